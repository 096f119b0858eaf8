"""Sparse rules from moments: against the whole cone programme by Clarabel, and over features."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_graded_features
from treatise.selection import MomentSparseClassifier

ETA = 0.99


def benchmarks() -> Iterator[Contest | Scaling]:
    """The paper's generator at its size, then over features."""
    X, y = make_graded_features(random_state=0)
    yield Contest(
        work="moment classifier, eta 0.99, 50 rows of 1 000 features; quality: sum of absolute weights",
        peer="clarabel",
        ours=lambda: MomentSparseClassifier(ETA).fit(X, y).coef_[0],
        theirs=lambda: whole_programme(X, y),
        quality=lambda w: float(np.abs(w).sum()),
        warm_up=lambda: MomentSparseClassifier(ETA).fit(X[:, :50], y),
    )
    yield Scaling(
        work="moment classifier, eta 0.99, 60 rows, over features",
        sizes=(1_000, 5_000, 20_000),
        prepare=_fit,
        warm_up=_fit(100),
    )


def _fit(n_features: int) -> Any:
    X, y = make_graded_features(60, n_features, random_state=0)
    return lambda: MomentSparseClassifier(ETA).fit(X, y)


def whole_programme(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Equation (8) with all features at once, as a modelling language would hand it to Clarabel."""
    import clarabel
    from scipy import sparse

    p, kappa = X.shape[1], np.sqrt(ETA / (1 - ETA))
    parts = [X[y == label] for label in (1, -1)]
    means = [part.mean(axis=0) for part in parts]
    rows = [sparse.hstack([-sparse.eye_array(2 * p), sparse.csc_array((2 * p, 1))])]
    cones, heights = [clarabel.NonnegativeConeT(2 * p + 2)], [np.zeros(2 * p), -np.ones(2)]
    sides = np.array([np.r_[-means[0], means[0], 1.0], np.r_[means[1], -means[1], -1.0]])
    rows.append(sparse.csc_array(sides))
    for part, mean, side in zip(parts, means, sides, strict=True):
        factor = kappa * (part - mean) / np.sqrt(len(part))
        rows.append(sparse.csc_array(np.vstack([side, np.hstack([-factor, factor, np.zeros((len(part), 1))])])))
        cones.append(clarabel.SecondOrderConeT(len(part) + 1))
        heights.append(np.zeros(len(part) + 1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    empty = sparse.csc_array((2 * p + 1, 2 * p + 1))
    cost = np.r_[np.ones(2 * p), 0.0]
    left = sparse.csc_array(sparse.vstack(rows))
    answer = clarabel.DefaultSolver(empty, cost, left, np.concatenate(heights), cones, settings).solve()
    x = np.asarray(answer.x)
    return x[:p] - x[p : 2 * p]
