"""Side-by-side runs of online learners over random orders of the data (LIBOL, JMLR 15:495)."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from treatise._core.figures import panels_for
from treatise._core.progress import progress
from treatise.online import (
    ALMA,
    AROW,
    NAROW,
    ROMMA,
    ConfidenceWeighted,
    ImprovedEllipsoid,
    NormalHerd,
    OnlineGradientDescent,
    OnlinePerceptron,
    PassiveAggressive,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)
from treatise.online._stream_input import read_rows
from treatise.online.rules._base import OnlineClassifier

Step = Callable[[dict[str, Any]], list[dict[str, Any]]]
"""A search over one parameter: the candidates, given the parameters so far."""

AS_PUBLISHED = {"n_passes": 1, "fit_intercept": False, "shuffle": False}
"""The paper's learners go once through the rows, in the order given, without an intercept."""


class OnlineComparison:
    """Mistakes, updates and time of many online learners on the same random orders of one data set.

    Parameters are chosen first, on one order, by the mistakes of one pass; then every learner passes through every
    order once. Use it to choose a learner for a stream of which a sample is at hand. The mistake rate is that of
    predictions made before the label was seen, so no part of the data is held out; a parameter chosen on the same
    data makes it a little optimistic.

    It costs ``permutations`` passes for each learner, and 9 to 23 more for one whose parameters are searched. Memory is
    that of the data twice: each order is laid out once for all learners.

    Parameters
    ----------
    learners : dict of str to OnlineClassifier, or None, default=None
        Learners by name. None takes ``libol_learners()``, the ones of the paper; beyond a few thousand features take
        ``libol_learners(covariance="diagonal")``.
    permutations : int or array-like of int of shape (n_runs, n_samples), default=20
        Number of random orders, or the orders themselves.
    grid : {"libol"} or None, default="libol"
        "libol" searches the parameters as the paper does: one after the other, C, r and b of NAROW over the powers
        of two from 1/16 to 16, eta and alpha from 0.55 to 0.95, b of the ellipsoid method from 0.1 to 0.9, keeping
        the largest of those with the fewest mistakes. Gradient descent keeps its default, as in the paper. None
        leaves all parameters as they are.
    selection_order : array-like of int of shape (n_samples,) or None, default=None
        Order on which parameters are searched; None draws one.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders.

    Attributes
    ----------
    parameters_ : dict of str to dict
        What the search chose, by learner.
    runs_ : polars.DataFrame
        Mistakes, updates and seconds of each learner in each run.
    curves_ : dict of str to ndarray of shape (n_moments, 3)
        Examples seen, mean mistake rate and mean number of updates by then.

    References
    ----------
    .. [1] Paper v15-0495, Section 3.1, Table 1 and Figure 1.
    """

    parameters_: dict[str, dict[str, Any]]
    runs_: pl.DataFrame
    curves_: dict[str, np.ndarray]

    def __init__(
        self,
        learners: dict[str, OnlineClassifier] | None = None,
        *,
        permutations: Any = 20,
        grid: str | None = "libol",
        selection_order: Any = None,
        random_state: Any = None,
    ) -> None:
        self.learners = learners
        self.permutations = permutations
        self.grid = grid
        self.selection_order = selection_order
        self.random_state = random_state

    def run(self, X: Any, y: Any) -> "OnlineComparison":
        """Run all learners.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : OnlineComparison
        """
        if self.grid not in ("libol", None):
            raise ValueError(f"grid={self.grid!r} is unknown; it is 'libol' or None")
        X, y = read_rows(OnlinePerceptron(), X, y, reset=True)
        classes, labels = np.unique(y, return_inverse=True)
        learners = libol_learners(len(classes)) if self.learners is None else self.learners
        _check_learners(learners)
        selection, orders = self._orders(X.shape[0])
        steps = len(learners) * (len(orders) + (self.grid is not None))
        with progress("online learners", steps) as advance:
            self.parameters_ = {name: {} for name in learners}
            if self.grid == "libol":
                stream = _Replay(X, labels, classes, selection)
                for name, learner in learners.items():
                    with _told_of(name):
                        self.parameters_[name] = _search(learner, stream)
                    advance(1)
            chosen = {name: clone(learner).set_params(**self.parameters_[name]) for name, learner in learners.items()}
            rows: list[tuple] = []
            curves: dict[str, list] = {name: [] for name in learners}
            for number, order in enumerate(orders):
                stream = _Replay(X, labels, classes, order)
                for name, learner in chosen.items():
                    with _told_of(name):
                        if number == 0:
                            stream.rounds(1).run(learner)  # compiles what is not compiled yet, outside the clock
                        seconds = stream.run(learner)
                    rows.append((name, number, learner.n_mistakes_, learner.n_updates_, seconds))
                    curves[name].append(learner.mistake_curve_)
                    advance(1)
        self.curves_ = {}
        for name, runs in curves.items():
            seen, mistakes, updates = np.mean(runs, axis=0).T
            self.curves_[name] = np.column_stack([seen, mistakes / seen, updates])
        self.runs_ = pl.DataFrame(rows, schema=["learner", "run", "mistakes", "updates", "seconds"], orient="row")
        self._n_samples = len(labels)
        return self

    def table(self) -> pl.DataFrame:
        """Mean and standard deviation over the runs of each learner, fewest mistakes first.

        Returns
        -------
        table : polars.DataFrame
            Columns learner, mistake_rate, mistake_rate_std, updates, updates_std, seconds, seconds_std and
            parameters.
        """
        self._check_run()
        rate = pl.col("mistakes") / self._n_samples
        summary = self.runs_.group_by("learner", maintain_order=True).agg(
            rate.mean().alias("mistake_rate"),
            rate.std().alias("mistake_rate_std"),
            pl.col("updates").mean(),
            pl.col("updates").std().alias("updates_std"),
            pl.col("seconds").mean(),
            pl.col("seconds").std().alias("seconds_std"),
        )
        chosen = [_shown(self.parameters_[name]) for name in summary["learner"]]
        return summary.with_columns(pl.Series("parameters", chosen, dtype=pl.String)).sort("mistake_rate")

    def plot(self, ax: Any = None) -> np.ndarray:
        """Mean mistake rate and mean number of updates against the number of examples seen, and mean time of a pass.

        Parameters
        ----------
        ax : three matplotlib Axes or None, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : ndarray of three matplotlib Axes
        """
        self._check_run()
        rates, counts, times = ax = panels_for(ax, 3, figsize=(14, 5))
        from matplotlib import colormaps

        colours = colormaps["tab20"]
        for number, (name, curve) in enumerate(self.curves_.items()):
            style = {"color": colours(number % 20), "linestyle": "-" if number < 20 else "--", "linewidth": 1.5}
            rates.plot(curve[:, 0], curve[:, 1], **style)
            counts.plot(curve[:, 0], curve[:, 2], label=name, **style)
        rates.set_ylabel("mistakes so far, as a share of the examples")
        counts.set_ylabel("updates so far")
        for over_time in (rates, counts):
            over_time.set_xlabel("examples seen")
            over_time.grid(alpha=0.3)
        # The corner that counts which start from zero leave free.
        counts.legend(ncols=2, fontsize="small", loc="upper left")
        slowest_first = self.table().sort("seconds", descending=True)
        times.barh(slowest_first["learner"], 1000.0 * slowest_first["seconds"], color="0.6")
        times.set_xlabel("milliseconds for a pass")
        times.grid(axis="x", alpha=0.3)
        return ax

    def _check_run(self) -> None:
        if not hasattr(self, "runs_"):
            raise NotFittedError("this comparison has not run yet; call run(X, y) first")

    def _orders(self, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
        """The order of the search and those of the runs."""
        rng = check_random_state(self.random_state)
        selection = rng.permutation(n_samples) if self.selection_order is None else np.asarray(self.selection_order)
        if np.ndim(self.permutations) == 0:
            if not isinstance(self.permutations, Integral) or self.permutations < 1:
                raise ValueError(f"permutations={self.permutations!r} must be an integer of at least 1, or the orders")
            orders = np.array([rng.permutation(n_samples) for _ in range(self.permutations)])
        else:
            orders = np.asarray(self.permutations)
        for name, given in (("selection_order", selection[None]), ("permutations", orders)):
            if given.ndim != 2 or not np.array_equal(
                np.sort(given, axis=1), np.tile(np.arange(n_samples), (len(given), 1))
            ):
                raise ValueError(f"{name} must hold each of the {n_samples} rows once, as numbers from 0")
        return selection.astype(np.int64), orders.astype(np.int64)


def libol_learners(n_classes: int = 2, *, covariance: str = "full") -> dict[str, OnlineClassifier]:
    """The learners of the paper by its names: sixteen for two classes, thirteen for more.

    Parameters
    ----------
    n_classes : int, default=2
        Number of classes.
    covariance : {"full", "diagonal"}, default="full"
        That of the second-order learners; the paper's is full.

    Returns
    -------
    learners : dict of str to OnlineClassifier

    References
    ----------
    .. [1] Paper v15-0495, Section 2 and Table 1.
    """
    aggressive = {
        "PA": PassiveAggressive(variant=0),
        "PA1": PassiveAggressive(variant=1),
        "PA2": PassiveAggressive(variant=2),
    }
    relaxed = {"ROMMA": ROMMA(), "aROMMA": ROMMA(aggressive=True)}
    learners: dict[str, OnlineClassifier]
    if n_classes > 2:
        shares = {"PerceptronM": "max", "PerceptronU": "uniform", "PerceptronS": "similarity"}
        learners = {
            **{name: OnlinePerceptron(update=share) for name, share in shares.items()},
            **relaxed,
            "OGD": OnlineGradientDescent(),
            **aggressive,
            "CW": ConfidenceWeighted(0.75, covariance=covariance),
            "AROW": AROW(covariance=covariance),
            "SCW1": SoftConfidenceWeighted(covariance=covariance),
            "SCW2": SoftConfidenceWeighted(variant=2, covariance=covariance),
        }
    else:
        learners = {
            "Perceptron": OnlinePerceptron(),
            **relaxed,
            "ALMA": ALMA(radius=1.0),
            "OGD": OnlineGradientDescent(),
            **aggressive,
            "SOP": SecondOrderPerceptron(covariance=covariance),
            "IELLIP": ImprovedEllipsoid(covariance=covariance),
            "CW": ConfidenceWeighted(covariance=covariance),
            "NHERD": NormalHerd(covariance=covariance),
            "AROW": AROW(covariance=covariance),
            "NAROW": NAROW(covariance=covariance),
            "SCW": SoftConfidenceWeighted(covariance=covariance),
            "SCW2": SoftConfidenceWeighted(variant=2, eta=0.9, covariance=covariance),
        }
    return {name: learner.set_params(**AS_PUBLISHED) for name, learner in learners.items()}


def _check_learners(learners: dict[str, OnlineClassifier]) -> None:
    if not isinstance(learners, dict) or not learners:
        raise TypeError(f"learners={learners!r} must be a dictionary of at least one learner by its name")
    for name, learner in learners.items():
        if not isinstance(learner, OnlineClassifier):
            raise TypeError(f"learner {name!r} is {learner!r}, not an online classifier of this package")
        with _told_of(name):
            learner._validate_params()


@contextmanager
def _told_of(name: str) -> Iterator[None]:
    """Let an error say which of the learners it is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"learner {name!r}: {error}") from error


class _Replay:
    """Checked rows copied into an order: many passes along memory cost less than many across it."""

    def __init__(self, X: Any, labels: np.ndarray, classes: np.ndarray, order: np.ndarray) -> None:
        self.X, self.labels, self.classes = X[order], labels[order], classes

    def rounds(self, n: int) -> "_Replay":
        """The first rows alone."""
        return _Replay(self.X, self.labels, self.classes, np.arange(n))

    def run(self, learner: OnlineClassifier) -> float:
        """Let a learner begin anew and pass through the rows once; seconds of the pass."""
        learner.n_features_in_ = self.X.shape[1]
        learner._begin(self.classes, self.X)
        start = time.process_time()
        learner._run(self.X, self.labels, np.arange(len(self.labels)))
        return time.process_time() - start


def _search(learner: OnlineClassifier, stream: _Replay) -> dict[str, Any]:
    """Parameters chosen one after the other, each by the mistakes of one pass; the last of the best."""
    chosen: dict[str, Any] = {}
    for step in _search_steps(learner):
        best, fewest = {}, math.inf
        for candidate in step({**learner.get_params(), **chosen}):
            trial = clone(learner).set_params(**{**chosen, **candidate})
            stream.run(trial)
            if trial.n_mistakes_ <= fewest:
                best, fewest = candidate, trial.n_mistakes_
        chosen.update(best)
    return chosen


def _search_steps(learner: OnlineClassifier) -> list[Step]:
    """The searches of the paper's program for a kind of learner, in its order."""
    powers = [2.0**exponent for exponent in range(-4, 5)]
    probabilities = [number / 100 for number in range(55, 100, 5)]
    tenths = [number / 10 for number in range(1, 10)]
    if isinstance(learner, PassiveAggressive) and learner.variant == 0:
        return []
    searches = {
        PassiveAggressive: [_values("C", powers)],
        ALMA: [_values("C", powers), _values("alpha", probabilities), _alma_norms],
        ImprovedEllipsoid: [_values("b", tenths)],
        ConfidenceWeighted: [_values("eta", probabilities)],
        NormalHerd: [_values("C", powers)],
        AROW: [_values("r", powers)],
        NAROW: [_values("b", powers)],
        SoftConfidenceWeighted: [_values("C", powers), _values("eta", probabilities)],
    }
    return next((steps for kind, steps in searches.items() if isinstance(learner, kind)), [])


def _values(parameter: str, values: list[float]) -> Step:
    return lambda current: [{parameter: value} for value in values]


def _alma_norms(current: dict[str, Any]) -> list[dict[str, Any]]:
    """The program's search over the norm p, which in effect trades the first margin of ALMA for its first step."""
    roots = [math.sqrt(p - 1.0) for p in (2, 4, 6, 8, 10)]
    return [{"B": root / current["alpha"], "C": current["C"] / root} for root in roots]


def _shown(parameters: dict[str, float]) -> str:
    return ", ".join(f"{name}={value:.4g}" for name, value in parameters.items())
