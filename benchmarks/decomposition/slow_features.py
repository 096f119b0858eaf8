"""Slow features: xSFA against the same on whole arrays in plain NumPy, linear SFA against one generalised eigenproblem.

No maintained package has xSFA. The plain transcription forms every expansion and every product as a whole.
"""

from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
from scipy.linalg import eigh
from sklearn.decomposition import FastICA

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_colored_sources, mix_postnonlinear, mix_spiral
from treatise.decomposition import XSFA, SlowFeatureAnalysis

DEGREES = {"expansion_degree": 3, "removal_degree": 4}


def benchmarks() -> Iterator[Contest | Scaling]:
    """The paper's six sources, a million frames, and the spiral."""
    sources = make_colored_sources(10_000, random_state=0)
    X = mix_postnonlinear(sources, random_state=1)
    yield Contest(
        "10 000 frames, six columns, degrees 3 and 4: xSFA, mean correlation with the plain transcription",
        "numpy",
        ours=lambda: XSFA(6, basis="monomial", **DEGREES).fit_transform(X),
        theirs=lambda: plain_xsfa(X, 6, 3, 4),
        quality=partial(_agreement, plain_xsfa(X, 6, 3, 4)),
        warm_up=partial(XSFA(2).fit, X[:500]),
    )
    yield Scaling(
        "xSFA, six columns, degrees 3 and 4 (83 terms of the columns), to a million frames",
        (10_000, 100_000, 1_000_000),
        prepare=lambda n: partial(XSFA(6, **DEGREES).fit, mix_postnonlinear(make_colored_sources(n), random_state=1)),
    )
    wide = np.cumsum(np.random.default_rng(0).normal(size=(200_000, 83)), axis=0)
    yield Contest(
        "200 000 frames x 83 columns: linear slow features, least delta value",
        "scipy",
        ours=lambda: SlowFeatureAnalysis().fit(wide).deltas_[0],
        theirs=lambda: _eigenproblem(wide),
        quality=float,
        warm_up=partial(SlowFeatureAnalysis().fit, wide[:500]),
    )
    pair = make_colored_sources(20_000, 3, random_state=0)[:, [0, 2]]
    pair = pair / np.abs(pair).max(axis=0)
    spiral = mix_spiral(pair)
    yield Contest(
        "20 000 frames on the spiral: mean correlation with the sources (the peer is linear)",
        "scikit-learn",
        ours=lambda: XSFA().fit_transform(spiral),
        theirs=lambda: FastICA(2, random_state=0).fit_transform(spiral),
        quality=partial(_agreement, pair),
        warm_up=partial(XSFA(2).fit, spiral[:500]),
    )


def _agreement(truth: np.ndarray, found: np.ndarray) -> float:
    count = found.shape[1]
    return float(np.abs(np.corrcoef(found.T, truth.T)[:count, count:]).max(axis=0).mean())


def _eigenproblem(X: np.ndarray) -> float:
    centred, changes = X - X.mean(axis=0), np.diff(X, axis=0)
    return float(eigh(changes.T @ changes / len(changes), centred.T @ centred / len(X), eigvals_only=True)[0])


def plain_xsfa(X: np.ndarray, n_sources: int, expansion_degree: int, removal_degree: int) -> np.ndarray:
    """Section 4.1 of v15-0921 on whole arrays."""
    left, sources = _monomials(_standard(X), expansion_degree), []
    while True:
        white = _whitened(left)
        changes = np.diff(white, axis=0)
        outputs = white @ np.linalg.eigh(changes.T @ changes / len(changes))[1]
        sources.append(outputs[:, 0])
        if len(sources) == n_sources:
            return np.column_stack(sources)
        known = _whitened(_monomials(np.column_stack(sources), removal_degree))
        left = outputs[:, 1:] - known @ (known.T @ outputs[:, 1:] / len(X))


def _standard(signals: np.ndarray) -> np.ndarray:
    return (signals - signals.mean(axis=0)) / signals.std(axis=0)


def _monomials(signals: np.ndarray, degree: int) -> np.ndarray:
    columns = []
    for power in range(1, degree + 1):
        for first, *others in combinations_with_replacement(range(signals.shape[1]), power):
            column = signals[:, first]
            for other in others:
                column = column * signals[:, other]
            columns.append(column)
    return _standard(np.column_stack(columns))


def _whitened(signals: np.ndarray) -> np.ndarray:
    variances, axes = np.linalg.eigh(signals.T @ signals / len(signals))
    return signals @ axes[:, variances > 1e-7] / np.sqrt(variances[variances > 1e-7])
