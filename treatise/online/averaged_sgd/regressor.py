"""Robust linear regression by averaged SGD with a step that needs no tuning (Bach, JMLR 15:595)."""

from numbers import Real

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from treatise._core.invariants import is_number
from treatise.online.averaged_sgd._base import AveragedSGD, can_stream


class AveragedSGDRegressor(RegressorMixin, AveragedSGD):
    """Robust linear regression on a stream, with a step that needs no tuning.

    The loss log cosh(error / scale) is quadratic for small errors and linear for large ones, so that outliers pull
    no harder than any error above one or two scales. Guarantees, use and cost as for
    :class:`AveragedSGDClassifier`; the paper's form is ``scale=1.0`` with that class's.

    Parameters
    ----------
    scale : float or "auto", default="auto"
        Size of an ordinary error. "auto" learns y less its median, in units of its median distance from the median:
        those of the rows of ``fit``, or of the first call of ``partial_fit``. A number divides y by it and leaves the
        centre at zero; 1 is the paper's.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Averaged weights, in the units of y.
    intercept_ : float
        Averaged intercept.
    last_coef_, last_intercept_ : ndarray and float
        The same of the last iterate.
    center_, scale_ : float
        Centre and scale of y in use.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import AveragedSGDRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(100_000, 2))
    >>> y = X @ [1.0, -0.5] + 0.1 * rng.standard_t(1, size=100_000)
    >>> AveragedSGDRegressor(random_state=0).fit(X, y).coef_.round(1)
    array([ 1. , -0.5])

    References
    ----------
    .. [1] Paper v15-0595, Section 2.1 (robust regression) and Corollary 2.
    """

    _parameter_constraints = {
        **AveragedSGD._parameter_constraints,
        "scale": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
    }
    loss = "logcosh"

    def __init__(
        self, scale="auto", *, schedule="steady", radius="auto", horizon="auto", n_passes="auto", fit_intercept=True,
        shuffle=True, random_state=None,
    ):  # fmt: skip
        super().__init__(
            schedule=schedule, radius=radius, horizon=horizon, n_passes=n_passes, fit_intercept=fit_intercept,
            shuffle=shuffle, random_state=random_state,
        )  # fmt: skip
        self.scale = scale

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
        self.center_, self.scale_ = self._units(y)
        return self._fit(X, y, 1)

    @available_if(can_stream)
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
            self.center_, self.scale_ = self._units(y)
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
        return self._scores(X)[:, 0] * self.scale_ + self.center_

    @property
    def coef_(self):
        """Averaged weights of the features."""
        return self.scale_ * self._average()[0, :-1]

    @property
    def intercept_(self):
        """Averaged intercept."""
        return float(self.center_ + self.scale_ * self._average()[0, -1])

    @property
    def last_coef_(self):
        """Weights of the last iterate."""
        return self.scale_ * self._current[0, :-1]

    @property
    def last_intercept_(self):
        """Intercept of the last iterate."""
        return float(self.center_ + self.scale_ * self._current[0, -1])

    def _invariants(self):
        yield "the target has a centre and a unit", is_number(self.center_) and is_number(self.scale_)
        yield "the unit is above zero", self.scale_ > 0

    def _targets(self, y):
        return [(y - self.center_) / self.scale_]

    def _units(self, y):
        """Centre and scale of the targets; where most are equal, the mean distance stands in for the median one."""
        if self.scale != "auto":
            return 0.0, float(self.scale)
        center = float(np.median(y))
        distances = np.abs(y - center)
        return center, float(np.median(distances) or np.mean(distances) or 1.0)
