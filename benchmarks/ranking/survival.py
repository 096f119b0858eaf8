"""Survival times by MINLIP: ours against scikit-survival, which solves a dense quadratic program."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.ranking import MinlipSurvival

COST = 0.1


def lives(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Accelerated lives with four in ten censored, and the structured array of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    life = np.exp(X @ rng.normal(size=p) / np.sqrt(p) + 0.5 * rng.gumbel(size=n))
    seen = rng.exponential(np.quantile(life, 0.8), size=n)
    y = np.empty(n, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = life <= seen, np.minimum(life, seen)
    return X, y


def ours(X: np.ndarray, y: np.ndarray) -> Callable[[], np.ndarray]:
    """The utilities of the rows."""
    return lambda: MinlipSurvival(COST, unit=1.0).fit(X, y).predict(X)


def theirs(X: np.ndarray, y: np.ndarray) -> Callable[[], np.ndarray]:
    """The same with scikit-survival, whose scores are risks."""
    from sksurv.svm import MinlipSurvivalAnalysis

    return lambda: -MinlipSurvivalAnalysis(alpha=COST).fit(X, y).predict(X)


def benchmarks() -> Iterator[Contest | Scaling]:
    """1 000 and 3 000 rows against the peer, then our own cost up to 100 000 rows of 50 columns."""
    for n in (1000, 3000):
        X, y = lives(n, 10)
        try:
            yield Contest(
                f"linear MINLIP of {n} rows x 10 columns (quality: deviation of the utilities)",
                "scikit-survival",
                ours(X, y),
                theirs(X, y),
                lambda utility: float(np.std(utility)),
                warm_up=ours(*lives(50, 2)),
                repeats=1,
            )
        except ImportError:
            left_out("MINLIP: scikit-survival is not installed")
    yield Scaling(
        "linear MINLIP, 50 columns",
        (1_000, 10_000, 100_000),
        lambda n: ours(*lives(n, 50)),
        warm_up=ours(*lives(50, 2)),
    )
