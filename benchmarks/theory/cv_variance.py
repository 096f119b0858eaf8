"""The variance of cross-validated least squares by simulation: one factorisation a sample against one fit a fold."""

from collections.abc import Callable, Iterator

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score

from benchmarks import Contest, Scaling
from treatise.datasets import make_bengio_grandvalet
from treatise.papers.theory.v05_1089.simulation import simulate_cv_variance

LINE = LinearRegression(fit_intercept=False)
REPETITIONS = 500


def ours(repetitions: int = REPETITIONS) -> float:
    """Standard deviation of ten-fold cross-validation at n = 120, by the simulator."""
    run = simulate_cv_variance(
        make_bengio_grandvalet, LINE, 120, n_repetitions=repetitions, random_state=0, show_progress=False
    )
    return float(np.sqrt(run.theta))


def scikit_learn_loop() -> float:
    """The same by scikit-learn's cross-validation of every sample."""
    rng, folds = np.random.RandomState(0), KFold(10)
    means = np.empty(REPETITIONS)
    for r in range(REPETITIONS):
        X, y = make_bengio_grandvalet(120, random_state=rng)
        means[r] = -cross_val_score(LINE, X, y, cv=folds, scoring="neg_mean_squared_error").mean()
    return float(means.std(ddof=1))


def simulate_many(repetitions: int) -> Callable[[], float]:
    """The simulator at a number of repetitions."""
    return lambda: ours(repetitions)


def benchmarks() -> Iterator[Contest | Scaling]:
    """The contest with scikit-learn's loop, and the cost against the number of repetitions."""
    yield Contest(
        work=f"{REPETITIONS} ten-fold cross-validations of least squares, n = 120, d = 30; quality is the deviation",
        peer="scikit-learn", ours=ours, theirs=scikit_learn_loop, quality=float,
        warm_up=lambda: ours(100), repeats=1,
    )  # fmt: skip
    yield Scaling(
        work="ten-fold cross-validations of least squares simulated, n = 120, d = 30, against repetitions",
        sizes=(1000, 5000, 20_000), prepare=simulate_many, warm_up=lambda: ours(100),
    )  # fmt: skip
