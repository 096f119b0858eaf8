"""What the averaged SGD models share: the stream, its clock, the average (Bach, JMLR 15:595)."""

from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_array, within
from treatise._core.row_arrays import rows_of
from treatise.online._passes import passes_over
from treatise.online._row_loops import Stream
from treatise.online._stream_input import each_column_once
from treatise.online.averaged_sgd._loops import (
    BEGUN,
    CONSTANT,
    DOUBLING,
    INVERSE_ROOT,
    LOG_COSH,
    LOGISTIC,
    RADIUS,
    SEEN,
    SQUARE_ROOT,
    STEADY,
    averaged_sgd,
    row_lengths,
    step_size,
)

_SCHEDULES = {"constant": CONSTANT, "doubling": DOUBLING, "sqrt": INVERSE_ROOT, "steady": STEADY}
_LOSSES = {"log": LOGISTIC, "square_root": SQUARE_ROOT, "logcosh": LOG_COSH}
_CURVATURE = {"log": 0.25, "square_root": 0.5, "logcosh": 1.0}
"""The most that a loss bends."""
_MOST_PASSES = 500


def can_stream(estimator):
    """Whether a model can learn from a stream in pieces."""
    if estimator.schedule == "constant" and estimator.horizon == "auto":
        raise AttributeError("partial_fit needs the length of the stream: set horizon, or schedule='sqrt'")
    return True


class AveragedSGD(InheritsDocumentation, BaseEstimator, ABC):
    """Linear model that steps against the gradient of one row after another and answers with the mean iterate.

    A concrete model says what targets a column of weights learns (``_targets``).

    Parameters
    ----------
    schedule : {"steady", "constant", "doubling", "sqrt"}, default="steady"
        "steady" steps 1 / (2 R^2), however long the stream, and begins a new average at every power of two. The others
        divide this by the root of a length N, for which there are guarantees but which leaves the weights far from the
        best ones on most tables: "constant" is the paper's, needs the length of the stream, and its average remembers
        the way from zero. "doubling" takes the last power of two for the length and begins a new average there, "sqrt"
        the number of the row.
    radius : float or "auto", default="auto"
        Limit R of the norm of a row (with its constant). "auto" scans the rows in ``fit``, and takes the largest so
        far in ``partial_fit``. For "steady" steps ``fit`` takes the root mean square of the norms where it can: a few
        long rows then do not hold up all others. It is larger where the longest row would step past its own target.
    horizon : int or "auto", default="auto"
        Length N of the stream; "auto" takes the rows of ``fit`` times the passes.
    n_passes : int or "auto", default="auto"
        Passes in ``fit``. "auto" takes as many as make some 50 000 rounds, from 1 to 500, and no more than ``horizon``
        has room for. The paper's guarantees are for one.
    fit_intercept : bool, default=True
        Learn an intercept, as the weight of a constant 1 in every row.
    shuffle : bool, default=True
        Take the rows of ``fit`` in a random order in each pass, not in the order given. The theory is for rows that
        come at random, which those of a table sorted by class do not.
    random_state : int, RandomState instance or None, default=None
        Source of the orders.

    Attributes
    ----------
    step_, radius_ : float
        Step and radius in use.
    n_seen_ : int
        Rows learnt from, each pass counted.
    """

    _parameter_constraints: dict = {
        "schedule": [StrOptions({"steady", "constant", "doubling", "sqrt"})],
        "radius": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "horizon": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_passes": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, schedule="steady", radius="auto", horizon="auto", n_passes="auto", fit_intercept=True, shuffle=True,
        random_state=None,
    ):  # fmt: skip
        self.schedule = schedule
        self.radius = radius
        self.horizon = horizon
        self.n_passes = n_passes
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state

    @abstractmethod
    def _targets(self, y):
        """One array of targets for each column of weights."""

    def _fit(self, X, y, n_outputs):
        self._begin(n_outputs)
        pointers, _, values = rows_of(X)
        largest, mean = row_lengths(pointers, values)
        self._clock[:, RADIUS] = self._squared_radius(largest)
        if self.schedule == "steady" and self.radius == "auto":
            # A step of 1 / (curvature |x|^2) may end where the row's own loss is least, and no longer one is taken.
            enough = mean + float(self.fit_intercept)
            self._clock[:, RADIUS] = np.maximum(enough, 0.5 * _CURVATURE[self.loss] * self._clock[:, RADIUS])
        room = {} if self.horizon == "auto" else {"most_rounds": self.horizon}
        n_passes = passes_over(X.shape[0], self.n_passes, most_passes=_MOST_PASSES, **room)
        n_rounds = X.shape[0] * n_passes
        self._check_horizon(n_rounds)
        rng = check_random_state(self.random_state)
        for _ in range(n_passes):
            order = rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0])
            self._pass(X, y, order, n_rounds if self.horizon == "auto" else self.horizon, running=False)
        return self

    def _continue(self, X, y):
        running = self.radius == "auto"
        if not running:
            pointers, _, values = rows_of(X)
            self._clock[:, RADIUS] = self._squared_radius(row_lengths(pointers, values)[0])
        self._check_horizon(self.n_seen_ + X.shape[0])
        horizon = 1 if self.horizon == "auto" else self.horizon
        self._pass(X, y, np.arange(X.shape[0]), horizon, running=running)
        return self

    def _begin(self, n_outputs):
        self._current = np.zeros((n_outputs, self.n_features_in_ + 1))
        self._drift = np.zeros_like(self._current)
        self._clock = np.zeros((n_outputs, 3))

    def _invariants(self):
        outputs = len(self._current)
        for name in ("_current", "_drift"):
            fits = is_array(getattr(self, name), np.float64, outputs, self.n_features_in_ + 1)
            yield f"{name} has a number for each feature and a constant", fits
        yield "every output has a clock", is_array(self._clock, np.float64, outputs, 3)
        yield "the clock tells rows, rows and a square", within(self._clock, 0, np.inf)

    def _pass(self, X, y, order, horizon, *, running):
        rows = rows_of(X)
        for k, target in enumerate(self._targets(y)):
            averaged_sgd(
                Stream(*rows, order, target), _LOSSES[self.loss], _SCHEDULES[self.schedule], float(horizon),
                float(self.fit_intercept), running, self._current[k], self._drift[k], self._clock[k],
            )  # fmt: skip

    def _squared_radius(self, largest):
        squared = largest + float(self.fit_intercept)
        if self.radius == "auto":
            return squared
        # A few rounding errors of slack, for a radius that was computed as the largest norm elsewhere.
        if self.radius**2 < squared * (1.0 - 1e-12):
            whole = "a row with its constant" if self.fit_intercept else "a row"
            raise ValueError(
                f"radius={self.radius:g} is smaller than the norm {np.sqrt(squared):g} of {whole}; "
                "the step would be too long: give the largest norm, or 'auto'"
            )
        return self.radius**2

    def _check_horizon(self, n_rounds):
        if self.schedule == "constant" and self.horizon != "auto" and n_rounds > self.horizon:
            raise ValueError(
                f"horizon={self.horizon} is shorter than the {n_rounds} rows learnt from; give the length of the "
                "stream, or choose schedule='sqrt', which needs none"
            )

    def _read(self, X, y, *, reset, y_numeric=False):
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, order="C", y_numeric=y_numeric
        )
        return each_column_once(X), y

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        average = self._average()
        return safe_sparse_dot(X, average[:, :-1].T, dense_output=True) + average[:, -1]

    def _average(self):
        count = np.maximum(self._clock[:, SEEN] - self._clock[:, BEGUN], 1.0)
        return self._current - self._drift / count[:, None]

    @property
    def n_seen_(self):
        """Rows learnt from, each pass counted."""
        return int(self._clock[0, SEEN])

    @property
    def step_(self):
        """The step of the constant schedule, 1 / (2 R^2 sqrt(N)), or that of the next row of another one."""
        horizon = self.n_seen_ if self.horizon == "auto" else self.horizon
        return step_size(_SCHEDULES[self.schedule], self._clock[0, RADIUS], float(horizon), self.n_seen_ + 1.0)

    @property
    def radius_(self):
        """The radius R in use."""
        return float(np.sqrt(self._clock[0, RADIUS]))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
