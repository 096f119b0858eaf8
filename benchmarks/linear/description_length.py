"""Selection by description length against the cross-validated lasso of several responses."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import MultiTaskLassoCV

from benchmarks._contest import Contest, Scaling
from treatise.linear import MICMulti


def benchmarks() -> Iterator[Contest | Scaling]:
    """The size of the paper's Table 2, the responses as they are drawn; then over features."""
    X, Y, _ = _responses(100, 2000, 20)
    yield Contest(
        work="20 responses on 2 000 features, 100 rows, nothing given by hand; quality: R2 on 2 000 other rows",
        peer="scikit-learn",
        ours=partial(_fit, MICMulti(), X, Y),
        theirs=partial(_fit, MultiTaskLassoCV(cv=5), X, Y),
        quality=_held_out,
        warm_up=partial(_fit, MICMulti(), X[:, :50], Y),
        repeats=1,
    )
    yield Scaling(
        work="MICMulti, 5 responses, 1 000 rows, 10 features shared in part, over features",
        sizes=(2000, 6000, 20_000),
        prepare=_large,
        warm_up=_large(100),
    )


def _responses(n: int, p: int, h: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of normal numbers; each response has one feature of all, others of a part of them, noise of 0.1."""
    weights, rng = np.zeros((p, h)), np.random.default_rng(0)
    for feature in range(min(10, p)):
        share = h - feature * h // 12
        weights[feature, :share] = rng.normal(size=share)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X @ weights + np.sqrt(0.1) * rng.normal(size=(n, h)), weights


def _fit(model: Any, X: np.ndarray, Y: np.ndarray) -> Any:
    return model.fit(X, Y)


def _held_out(model: Any) -> float:
    X, Y, _ = _responses(2000, 2000, 20, seed=2)
    return float(model.score(X, Y))


def _large(p: int) -> Any:
    X, Y, _ = _responses(1000, p, 5)
    return partial(_fit, MICMulti(), X, Y)
