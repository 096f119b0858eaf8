"""Averaged stochastic gradient descent with a step that needs no tuning (Bach, JMLR 15:595)."""

from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise.online._averaged_sgd_kernels import (
    BEGUN,
    CONSTANT,
    DOUBLING,
    INVERSE_ROOT,
    LOG_COSH,
    LOGISTIC,
    RADIUS,
    SEEN,
    SQUARE_ROOT,
    averaged_sgd,
    largest_row,
    step_size,
)
from treatise.online._base import _dense_rows, _sparse_rows
from treatise.online._row_kernels import Stream
from treatise.online.sgd_guarantees import self_concordant_certificate

_SCHEDULES = {"constant": CONSTANT, "doubling": DOUBLING, "sqrt": INVERSE_ROOT}
_LOSSES = {"log": LOGISTIC, "square_root": SQUARE_ROOT, "logcosh": LOG_COSH}


def _can_stream(estimator):
    if estimator.schedule == "constant" and estimator.horizon == "auto":
        raise AttributeError("partial_fit needs the length of the stream: set horizon, or schedule='sqrt'")
    return True


class AveragedSGD(BaseEstimator, ABC):
    """Linear model that steps against the gradient of one row after another and answers with the mean iterate.

    A concrete model says what targets a column of weights learns (``_targets``).
    """

    _parameter_constraints: dict = {
        "schedule": [StrOptions({"constant", "doubling", "sqrt"})],
        "radius": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "horizon": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _targets(self, y):
        """One array of targets for each column of weights."""

    def _fit(self, X, y, n_outputs):
        self._begin(n_outputs)
        pointers, _, values = _rows(X)
        self._clock[:, RADIUS] = self._squared_radius(largest_row(pointers, values))
        n_rounds = X.shape[0] * self.n_passes
        self._check_horizon(n_rounds)
        rng = check_random_state(self.random_state)
        for _ in range(self.n_passes):
            order = rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0])
            self._pass(X, y, order, n_rounds if self.horizon == "auto" else self.horizon, running=False)
        return self

    def _continue(self, X, y):
        running = self.radius == "auto"
        if not running:
            pointers, _, values = _rows(X)
            self._clock[:, RADIUS] = self._squared_radius(largest_row(pointers, values))
        self._check_horizon(self.n_seen_ + X.shape[0])
        horizon = 1 if self.horizon == "auto" else self.horizon
        self._pass(X, y, np.arange(X.shape[0]), horizon, running=running)
        return self

    def _begin(self, n_outputs):
        self._current = np.zeros((n_outputs, self.n_features_in_ + 1))
        self._drift = np.zeros_like(self._current)
        self._clock = np.zeros((n_outputs, 3))

    def _pass(self, X, y, order, horizon, *, running):
        rows = _rows(X)
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
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X, y

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


class AveragedSGDClassifier(ClassifierMixin, AveragedSGD):
    """Logistic regression in a single pass, with a constant step that follows from the length of the stream alone.

    The weights are the mean of all iterates of stochastic gradient descent with the step 1 / (2 R^2 sqrt(N)), R the
    largest norm of a row. No constant is tuned: the error falls like 1 / sqrt(N) whatever the data, and like 1 / N
    where the loss is strongly convex at its optimum. Use it for long streams read once, and where a guarantee is
    wanted (:func:`averaged_sgd_bounds`, :meth:`certificate`). On small samples the weights are still near zero after
    one pass: take more passes, ``last_coef_``, or a batch solver. Rows of very different norms make the step too
    short; scale them first. One pass costs O(nnz) for each class beyond two; memory is two vectors of n_features.

    Parameters
    ----------
    loss : {"log", "square_root"}, default="log"
        The logistic loss, or half of sqrt(1 + score^2) - y score.
    schedule : {"constant", "doubling", "sqrt"}, default="constant"
        "constant" is the paper's. Where the length of the stream is unknown: "doubling" takes the last power of two
        for the length and begins a new average there, "sqrt" the number of the row.
    radius : float or "auto", default="auto"
        Limit of the norm of a row (with its constant). "auto" scans the rows in ``fit``, and takes the largest so
        far in ``partial_fit``.
    horizon : int or "auto", default="auto"
        Length N of the stream; "auto" takes the rows of ``fit`` times the passes.
    n_passes : int, default=1
        Passes in ``fit``. The paper's guarantees are for one.
    fit_intercept : bool, default=True
        Learn an intercept, as the weight of a constant 1 in every row.
    shuffle : bool, default=False
        Take the rows of ``fit`` in a random order in each pass. The theory is for rows that come at random: shuffle
        a table that is sorted, by class say.
    random_state : int, RandomState instance or None, default=None
        Source of the orders.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Averaged weights; with more than two classes one row for each against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Averaged intercepts.
    last_coef_, last_intercept_ : ndarray
        The same of the last iterate.
    classes_ : ndarray
        The classes.
    step_, radius_ : float
        Step and radius in use.
    n_seen_ : int
        Rows learnt from.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import AveragedSGDClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AveragedSGDClassifier(shuffle=True, random_state=0).fit(scale(X), y)
    >>> round(model.score(scale(X), y), 2)
    0.93

    References
    ----------
    .. [1] Paper v15-0595, Sections 2 and 3.1, Corollary 2.
    """

    _parameter_constraints = {
        **AveragedSGD._parameter_constraints,
        "loss": [StrOptions({"log", "square_root"})],
    }

    def __init__(
        self, loss="log", *, schedule="constant", radius="auto", horizon="auto", n_passes=1, fit_intercept=True,
        shuffle=False, random_state=None,
    ):  # fmt: skip
        self.loss = loss
        self.schedule = schedule
        self.radius = radius
        self.horizon = horizon
        self.n_passes = n_passes
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes, at least two.

        Returns
        -------
        self : object
        """
        X, y = self._read(X, y, reset=True)
        check_classification_targets(y)
        self._set_classes(np.unique(y))
        return self._fit(X, y, self._n_outputs())

    @available_if(_can_stream)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn from further rows, once each, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like or None, default=None
            All classes that will ever come; needed in the first call.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit: the stream may hold more later")
        X, y = self._read(X, y, reset=first)
        check_classification_targets(y)
        if first:
            self._set_classes(unique_labels(classes))
            self._begin(self._n_outputs())
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y holds {unknown!r}, not among the classes {self.classes_!r} of the first call")
        return self._continue(X, y)

    def decision_function(self, X):
        """Signed score of the second class, or a score for each class where there are more than two.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X):
        """Probability of each class; with more than two, each against the rest and then made to sum to one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X)
        chance = expit(scores) if self.loss == "log" else 0.5 + 0.5 * scores / np.sqrt(1.0 + scores**2)
        if chance.shape[1] == 1:
            return np.column_stack([1.0 - chance, chance])
        return chance / chance.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The class with the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0.0).astype(np.intp)]
        return self.classes_[np.argmax(scores, axis=1)]

    def certificate(self, X, y):
        """How far the weights can be from those with the least mean loss on these rows (Lemma 9).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples, as a rule those learnt from.
        y : array-like of shape (n_samples,)
            Their classes, two in all.

        Returns
        -------
        certificate : Certificate
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError(f"a certificate is for two classes, this model has {len(self.classes_)}")
        X, y = self._read(X, y, reset=False)
        if self.fit_intercept:
            ones = np.ones((X.shape[0], 1))
            X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        weights = self._average()[0, : X.shape[1]]
        return self_concordant_certificate(X, next(self._targets(y)), weights, loss=self.loss)

    @property
    def coef_(self):
        """Averaged weights of the features."""
        return self._average()[:, :-1]

    @property
    def intercept_(self):
        """Averaged intercepts."""
        return self._average()[:, -1]

    @property
    def last_coef_(self):
        """Weights of the last iterate."""
        return self._current[:, :-1]

    @property
    def last_intercept_(self):
        """Intercepts of the last iterate."""
        return self._current[:, -1]

    def _set_classes(self, classes):
        if len(classes) < 2:
            raise ValueError(f"y holds one class only ({classes[0]!r}); a classifier needs two")
        self.classes_ = classes

    def _n_outputs(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _targets(self, y):
        for positive in self.classes_[1:] if len(self.classes_) == 2 else self.classes_:
            yield np.where(y == positive, 1.0, -1.0)


class AveragedSGDRegressor(RegressorMixin, AveragedSGD):
    """Robust linear regression in a single pass, with a constant step that needs no tuning.

    The loss log cosh(y - prediction) is quadratic for small errors and linear for large ones, so that outliers pull
    no harder than any error above one or two: scale y so that ordinary errors are about one. Guarantees, use and
    cost as for :class:`AveragedSGDClassifier`; one pass over a small sample leaves the weights near zero.

    Parameters
    ----------
    loss : {"logcosh"}, default="logcosh"
        The loss.
    schedule : {"constant", "doubling", "sqrt"}, default="constant"
        "constant" is the paper's. Where the length of the stream is unknown: "doubling" takes the last power of two
        for the length and begins a new average there, "sqrt" the number of the row.
    radius : float or "auto", default="auto"
        Limit of the norm of a row (with its constant). "auto" scans the rows in ``fit``, and takes the largest so
        far in ``partial_fit``.
    horizon : int or "auto", default="auto"
        Length N of the stream; "auto" takes the rows of ``fit`` times the passes.
    n_passes : int, default=1
        Passes in ``fit``. The paper's guarantees are for one.
    fit_intercept : bool, default=True
        Learn an intercept, as the weight of a constant 1 in every row.
    shuffle : bool, default=False
        Take the rows of ``fit`` in a random order in each pass; the theory is for rows that come at random.
    random_state : int, RandomState instance or None, default=None
        Source of the orders.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Averaged weights.
    intercept_ : float
        Averaged intercept.
    last_coef_, last_intercept_ : ndarray and float
        The same of the last iterate.
    step_, radius_ : float
        Step and radius in use.
    n_seen_ : int
        Rows learnt from.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import AveragedSGDRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(100_000, 2))
    >>> y = X @ [1.0, -0.5] + 0.1 * rng.standard_t(1, size=100_000)
    >>> AveragedSGDRegressor().fit(X, y).coef_.round(1)
    array([ 0.9, -0.5])

    References
    ----------
    .. [1] Paper v15-0595, Section 2.1 (robust regression) and Corollary 2.
    """

    _parameter_constraints = {**AveragedSGD._parameter_constraints, "loss": [StrOptions({"logcosh"})]}

    def __init__(
        self, loss="logcosh", *, schedule="constant", radius="auto", horizon="auto", n_passes=1, fit_intercept=True,
        shuffle=False, random_state=None,
    ):  # fmt: skip
        self.loss = loss
        self.schedule = schedule
        self.radius = radius
        self.horizon = horizon
        self.n_passes = n_passes
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Forget everything and learn from the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : object
        """
        X, y = self._read(X, y, reset=True, y_numeric=True)
        return self._fit(X, y, 1)

    @available_if(_can_stream)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y):
        """Learn from further rows, once each, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "_current")
        X, y = self._read(X, y, reset=first, y_numeric=True)
        if first:
            self._begin(1)
        return self._continue(X, y)

    def predict(self, X):
        """Predicted targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
        """
        return self._scores(X)[:, 0]

    @property
    def coef_(self):
        """Averaged weights of the features."""
        return self._average()[0, :-1]

    @property
    def intercept_(self):
        """Averaged intercept."""
        return float(self._average()[0, -1])

    @property
    def last_coef_(self):
        """Weights of the last iterate."""
        return self._current[0, :-1]

    @property
    def last_intercept_(self):
        """Intercept of the last iterate."""
        return float(self._current[0, -1])

    def _targets(self, y):
        yield y.astype(np.float64)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # One short pass cannot follow the few dozen rows of a common test.
        tags.regressor_tags.poor_score = True
        return tags


def _rows(X):
    return _sparse_rows(X) if sparse.issparse(X) else _dense_rows(X)
