"""The variance of cross-validation taken apart by simulation, where fresh samples can be had."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.utils import check_random_state

from treatise._core.figures import axes_for
from treatise._core.progress import progress
from treatise.papers.theory.v05_1089._least_squares_loops import least_squares_fold_losses
from treatise.theory.corrected_resampling import t_quantile
from treatise.theory.cv_covariance import cv_contributions
from treatise.theory.cv_losses import Loss, cross_val_losses, jackknife_losses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Repetitions that share one stream of random numbers; fixed, so that results do not depend on n_jobs.
_BATCH = 100
_STATISTICS = {"cv": cross_val_losses, "jackknife": jackknife_losses}


@dataclass(frozen=True)
class CVVarianceSimulation:
    """Moments of cross-validation errors over many samples, and how the usual error bars fare.

    Attributes
    ----------
    n, n_folds, n_repetitions : int
        Size of a sample, folds, and number of samples drawn.
    mu : float
        Expectation of the cross-validation mean.
    sigma2, omega, gamma : float
        Variance of one error, covariance of two within a fold (NaN for leave-one-out), and between folds.
    theta : float
        Variance of the cross-validation mean.
    v1, v2, corrected : float
        Averages of the three estimates of ``theta`` that :func:`cv_variance_report` gives.
    standard_error : dict
        Monte-Carlo standard error of each number above, by its name.
    coverage : dict
        Fraction of intervals around the mean that held ``mu``, by estimate: "v1", "v2", "corrected".
    confidence : float
        What that fraction should be.
    """

    n: int
    n_folds: int
    n_repetitions: int
    mu: float
    sigma2: float
    omega: float
    gamma: float
    theta: float
    v1: float
    v2: float
    corrected: float
    confidence: float
    standard_error: dict[str, float] = field(repr=False)
    coverage: dict[str, float] = field(repr=False)

    @property
    def contributions(self) -> tuple[float, float, float]:
        """What sigma2, omega and gamma add to ``theta`` (the three terms of equation 7)."""
        return cv_contributions(self.n, self.n_folds, self.sigma2, self.omega, self.gamma)

    @property
    def shares(self) -> tuple[float, float, float]:
        """The contributions as fractions of ``theta``, negative where a covariance is; they sum to one."""
        own, within, between = (part / self.theta if self.theta else np.nan for part in self.contributions)
        return own, within, between

    @property
    def bias(self) -> dict[str, float]:
        """Average of each estimate less the true variance."""
        return {name: getattr(self, name) - self.theta for name in ("v1", "v2", "corrected")}

    def __str__(self) -> str:
        def estimate(label: str, name: str) -> str:
            ratio = getattr(self, name) / self.theta if self.theta else np.nan
            return f"  {label:<40s} {ratio:6.2f} of the variance, coverage {self.coverage[name]:.1%}"

        own, inner, outer = self.shares
        return "\n".join([
            f"Cross-validation of {self.n} examples in {self.n_folds} folds, {self.n_repetitions} samples: "
            f"mean {self.mu:.5g}, variance {self.theta:.4g}",
            f"  shares: variance of an error {own:.1%}, covariance within folds {inner:.1%}, between {outer:.1%}",
            estimate("V1, errors taken for independent:", "v1"),
            estimate("V2, folds taken for independent:", "v2"),
            estimate("corrected, folds correlated by 1/K:", "corrected"),
            f"  (intervals at {self.confidence:.0%})",
        ])  # fmt: skip


def simulate_cv_variance(
    generator: Callable | tuple,
    estimator: Any,
    n: int,
    *,
    n_folds: int = 10,
    n_repetitions: int = 1000,
    loss: Loss | None = None,
    rival: Any = None,
    statistic: str = "cv",
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    show_progress: bool | None = None,
) -> CVVarianceSimulation:
    """Take apart the variance of K-fold cross-validation by running it on many fresh samples.

    Use it before an experiment, with a simulated problem like yours or a large data set in the role of the
    population, to learn how far the naive error bars will be off. It is no estimate from the data at hand:
    that does not exist. It costs ``n_repetitions`` cross-validations; for
    :class:`~sklearn.linear_model.LinearRegression` with squared loss all folds come from one factorisation
    (O(n d^2) a repetition), which takes 20,000 repetitions of ten folds at n = 120, d = 30 in seconds.

    Parameters
    ----------
    generator : callable or tuple (X, y)
        ``generator(n, random_state=RandomState)`` returns a fresh sample ``X, y``. A tuple is a population,
        sampled uniformly with replacement as in Experiment 3.
    estimator : estimator
        The learning algorithm; give it a fixed ``random_state`` if it has one.
    n : int
        Examples in a sample, a multiple of ``n_folds`` (the theory needs folds of equal size).
    n_folds : int, default=10
        Folds K; ``n`` is leave-one-out. Folds are consecutive examples, the samples being exchangeable.
    n_repetitions : int, default=1000
        Samples. The relative error of the variance is about ``sqrt(2 / n_repetitions)``.
    loss : {"zero_one", "squared", "absolute"}, callable or None, default=None
        As in :func:`cross_val_losses`.
    rival : estimator or None, default=None
        A second algorithm: the errors are then differences of losses on the same folds (equation 4).
    statistic : {"cv", "jackknife"}, default="cv"
        Cross-validation (equation 3) or the debiased jackknife (equation 6).
    confidence : float, default=0.95
        Nominal coverage of the intervals that are judged.
    random_state : int, RandomState or None, default=None
        Seed of the samples; results do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Processes.
    show_progress : bool or None, default=None
        None draws a bar on a terminal only.

    Returns
    -------
    CVVarianceSimulation
        Prints readably.

    References
    ----------
    .. [1] Bengio & Grandvalet, JMLR 5:1089-1105, 2004, Section 7.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from treatise.datasets import make_bengio_grandvalet
    >>> from treatise.papers.theory.v05_1089.simulation import simulate_cv_variance
    >>> line = LinearRegression(fit_intercept=False)
    >>> simulated = simulate_cv_variance(make_bengio_grandvalet, line, 60, n_repetitions=2000, random_state=0)
    >>> print(simulated)
    Cross-validation of 60 examples in 10 folds, 2000 samples: mean 2.3293, variance 0.4478
      shares: variance of an error 42.8%, covariance within folds 4.9%, between 52.3%
      V1, errors taken for independent:          0.42 of the variance, coverage 77.7%
      V2, folds taken for independent:           0.42 of the variance, coverage 79.5%
      corrected, folds correlated by 1/K:        0.89 of the variance, coverage 90.8%
      (intervals at 95%)
    """
    _check_design(n, n_folds, n_repetitions, statistic)
    quantile = {
        "v1": t_quantile(confidence, n - 1),
        "v2": t_quantile(confidence, n_folds - 1),
        "corrected": t_quantile(confidence, n_folds - 1),
    }
    streams = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=-(-n_repetitions // _BATCH))
    counts = np.minimum(_BATCH, n_repetitions - _BATCH * np.arange(len(streams)))
    draw = generator if callable(generator) else _PopulationSampler(*generator)
    algorithms = [estimator] if rival is None else [estimator, rival]
    errors = _ErrorsOfOneSample(algorithms, n_folds, loss, statistic)
    run = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_run_batch)(draw, errors, n, n_folds, int(count), int(stream)) for count, stream in zip(counts, streams)
    )
    batches = []
    with progress("Cross-validations", n_repetitions, show=show_progress) as advance:
        for batch in run:
            batches.append(batch)
            advance(len(batch))
    return _summarise(np.concatenate(batches), n, n_folds, confidence, quantile)


def plot_cv_variance(
    simulations: Sequence[CVVarianceSimulation], *, relative: bool = False, ax: "Axes | None" = None
) -> "Axes":
    """Bars of what each covariance adds to the variance of cross-validation, against n or the folds.

    Stacked as in Figures 4 to 6 of the paper; a negative contribution hangs below the axis.

    Parameters
    ----------
    simulations : sequence of CVVarianceSimulation
        One bar each. They are labelled by n, or by the number of folds where only that varies.
    relative : bool, default=False
        Shares of the variance rather than the contributions themselves.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.linear_model import LinearRegression
    >>> from treatise.datasets import make_bengio_grandvalet
    >>> from treatise.papers.theory.v05_1089.simulation import plot_cv_variance, simulate_cv_variance
    >>> line = LinearRegression(fit_intercept=False)
    >>> runs = [simulate_cv_variance(make_bengio_grandvalet, line, n, random_state=0) for n in (60, 120)]
    >>> ax = plot_cv_variance(runs, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['60', '120']
    """
    if not simulations:
        raise ValueError("simulations is empty; give at least one result of simulate_cv_variance")
    ax = axes_for(ax)
    by_folds = len({s.n for s in simulations}) == 1 and len({s.n_folds for s in simulations}) > 1
    heights = np.array([s.shares if relative else s.contributions for s in simulations])
    place = np.arange(len(simulations))
    above, below = np.zeros(len(place)), np.zeros(len(place))
    for label, color, height in zip(("σ²", "ω", "γ"), ("#4c78a8", "#f2cf5b", "#e45756"), heights.T):
        ax.bar(place, height, bottom=np.where(height >= 0, above, below), color=color, label=label, width=0.7)
        above, below = above + np.maximum(height, 0), below + np.minimum(height, 0)
    ax.set_xticks(place, [str(s.n_folds if by_folds else s.n) for s in simulations])
    ax.set_xlabel("number of folds K" if by_folds else "number of examples n")
    ax.set_ylabel("share of the variance of CV" if relative else "variance of CV")
    ax.set_ylim(top=1.18 * above.max())
    ax.legend(ncols=3, loc="upper right")
    return ax


class _PopulationSampler:
    """Draws from a finite population uniformly with replacement."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = np.asarray(X), np.asarray(y)
        if len(self.X) != len(self.y):
            raise ValueError(f"the population has {len(self.X)} rows of X and {len(self.y)} of y")

    def __call__(self, n: int, random_state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        chosen = random_state.randint(len(self.y), size=n)
        return self.X[chosen], self.y[chosen]


class _ErrorsOfOneSample:
    """The errors e_1..e_n of Section 2.5 for one sample, folds being consecutive blocks."""

    def __init__(self, algorithms: list, n_folds: int, loss: Loss | None, statistic: str) -> None:
        self.algorithms, self.n_folds, self.loss, self.statistic = algorithms, n_folds, loss, statistic

    def __call__(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        errors = [self._of(algorithm, X, y) for algorithm in self.algorithms]
        return errors[0] if len(errors) == 1 else errors[0] - errors[1]

    def _of(self, algorithm: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        m = len(y) // self.n_folds
        if self._has_shortcut(algorithm, X, y, m):
            columns = np.column_stack([X, np.ones(len(y))]) if algorithm.fit_intercept else X
            errors = least_squares_fold_losses(np.ascontiguousarray(columns, float), np.asarray(y, float), m)
            if not np.isnan(errors[0]):
                return errors
        folds = PredefinedSplit(np.arange(len(y)) // m)
        return _STATISTICS[self.statistic](algorithm, X, y, cv=folds, loss=self.loss).losses

    def _has_shortcut(self, algorithm: Any, X: Any, y: np.ndarray, m: int) -> bool:
        return (
            type(algorithm) is LinearRegression
            and not algorithm.positive
            and self.statistic == "cv"
            and self.loss in (None, "squared")
            and isinstance(X, np.ndarray)
            and y.ndim == 1
            and len(y) - m >= X.shape[1] + algorithm.fit_intercept
        )


def _run_batch(draw: Callable, errors: _ErrorsOfOneSample, n: int, n_folds: int, count: int, stream: int) -> np.ndarray:
    """Mean, sum of squares within folds and between folds, for each sample of a batch."""
    rng = np.random.RandomState(stream)
    outcome = np.empty((count, 3))
    with config_context(skip_parameter_validation=True, assume_finite=True):
        for row in outcome:
            blocks = errors(*draw(n, random_state=rng)).reshape(n_folds, -1)
            block_mean = blocks.mean(axis=1)
            row[0] = block_mean.mean()
            row[1] = ((blocks - block_mean[:, None]) ** 2).sum()
            row[2] = blocks.shape[1] * ((block_mean - row[0]) ** 2).sum()
    return outcome


def _summarise(
    outcome: np.ndarray, n: int, n_folds: int, confidence: float, quantile: dict[str, float]
) -> CVVarianceSimulation:
    """Moments from the sums of squares, centred at the grand mean so that large losses do not cancel."""
    mean, within, between = outcome.T
    R, K, m = len(mean), n_folds, n // n_folds
    mu, theta = float(mean.mean()), float(mean.var(ddof=1))
    total = n * (mean - mu) ** 2
    squares, block_squares = within + between + total, m * (between + total)
    v2 = between / (n * (K - 1))
    # The statistics s1, s2, s3 of equation 12, of errors less the grand mean; and the estimates of theta.
    samples = {
        "sigma2": squares / n,
        "omega": (block_squares - squares) / (n * (m - 1)) if m > 1 else np.full(R, np.nan),
        "gamma": (n * total - block_squares) / (n * (n - m)),
        "v1": (within + between) / (n * (n - 1)),
        "v2": v2,
        "corrected": v2 * (1.0 + K / (K - 1)),
    }
    averages = {name: float(values.mean()) for name, values in samples.items()}
    for name in ("sigma2", "omega", "gamma"):
        # Centring at the estimated rather than the true mean takes theta/R from each second moment.
        averages[name] += theta / R
    spread = {"mu": mean, "theta": (mean - mu) ** 2, **samples}
    return CVVarianceSimulation(
        n=n, n_folds=K, n_repetitions=R, mu=mu, theta=theta, **averages, confidence=confidence,
        standard_error={name: float(values.std(ddof=1) / np.sqrt(R)) for name, values in spread.items()},
        coverage={
            name: float(np.mean(np.abs(mean - mu) <= width * np.sqrt(samples[name])))
            for name, width in quantile.items()
        },
    )  # fmt: skip


def _check_design(n: int, n_folds: int, n_repetitions: int, statistic: str) -> None:
    for name, value in (("n", n), ("n_folds", n_folds), ("n_repetitions", n_repetitions)):
        if not isinstance(value, Integral) or value < 2:
            raise ValueError(f"{name}={value!r} must be an integer of at least 2")
    if n % n_folds:
        raise ValueError(
            f"n={n} does not split into n_folds={n_folds} folds of equal size, as the decomposition needs; "
            f"choose {n - n % n_folds} or {n - n % n_folds + n_folds}"
        )
    if statistic not in _STATISTICS:
        raise ValueError(f"statistic={statistic!r} is unknown; choose one of {', '.join(_STATISTICS)}")
