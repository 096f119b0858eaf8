"""Intervals that should hold a new target: how methods give them, and how they are judged.

A regressor with predictive intervals has ``predict_interval(X, level=...)``, which gives the lower and the upper end
for every row. One whose predictive law is normal inherits it from :class:`NormalIntervals`.
"""

from inspect import signature

import numpy as np
from scipy.special import ndtri, stdtrit
from sklearn.base import is_regressor
from sklearn.dummy import DummyRegressor


def interval_ends(level):
    """The two probabilities between which a central interval lies.

    Parameters
    ----------
    level : float
        Probability of the interval.

    Returns
    -------
    ends : ndarray of shape (2,)
    """
    if not 0 < level < 1:
        raise ValueError(f"level={level} is out of range; choose a probability between 0 and 1, such as 0.95")
    return np.array([(1 - level) / 2, (1 + level) / 2])


def normal_intervals(mean, deviation, level):
    """Central intervals of normal laws.

    Parameters
    ----------
    mean, deviation : ndarray of shape (n_samples,)
        Of each law.
    level : float
        Probability of the intervals.

    Returns
    -------
    intervals : ndarray of shape (n_samples, 2)
    """
    return mean[:, None] + deviation[:, None] * ndtri(interval_ends(level))


class NormalIntervals:
    """Intervals of a regressor whose ``predict(X, return_std=True)`` tells mean and deviation of a normal target."""

    def predict_interval(self, X, *, level=0.95):
        """Intervals that hold a new target with a given probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        level : float, default=0.95
            Probability.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
        """
        return normal_intervals(*self.predict(X, return_std=True), level)


def gives_intervals(estimator):
    """Whether :func:`predictive_intervals` finds intervals of an estimator.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    bool
    """
    # The deviation of scikit-learn's guess at the mean is always zero.
    if not is_regressor(estimator) or isinstance(estimator, DummyRegressor):
        return False
    return hasattr(estimator, "predict_interval") or "return_std" in signature(estimator.predict).parameters


def predictive_intervals(estimator, X, *, level=0.9):
    """Intervals for new targets from whatever way a fitted regressor has to tell its uncertainty.

    Its own ``predict_interval`` comes first; the deviation that scikit-learn's regressors give with ``return_std`` is
    taken for that of a normal law.

    Parameters
    ----------
    estimator : fitted regressor
        One that :func:`gives_intervals`.
    X : array-like of shape (n_samples, n_features)
        Rows.
    level : float, default=0.9
        Probability of the intervals.

    Returns
    -------
    intervals : ndarray of shape (n_samples, 2)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import BayesianRidge
    >>> from treatise.statistics import predictive_intervals
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = X[:, 0] + 0.1 * rng.normal(size=500)
    >>> low, high = predictive_intervals(BayesianRidge().fit(X, y), X, level=0.9).T
    >>> print(f"{np.mean((low <= y) & (y <= high)):.2f}")
    0.91
    """
    if not gives_intervals(estimator):
        raise ValueError(
            f"{type(estimator).__name__} gives no predictive intervals; take a regressor with predict_interval, "
            "or with return_std in predict"
        )
    if hasattr(estimator, "predict_interval"):
        return estimator.predict_interval(X, level=level)
    return normal_intervals(*estimator.predict(X, return_std=True), level)


def interval_scores(y, intervals, *, level):
    """Winkler's score of each interval: its width, and a fine for every unit by which it misses; less is better.

    The fine is ``2 / (1 - level)`` a unit, with which the mean is least for the true quantiles: the score is proper.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        What was the case.
    intervals : array-like of shape (n_samples, 2)
        Lower and upper ends.
    level : float
        Probability that the intervals promise.

    Returns
    -------
    scores : ndarray of shape (n_samples,)

    References
    ----------
    .. [1] Gneiting, T. & Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation. Journal of
       the American Statistical Association 102, equation 43.

    Examples
    --------
    >>> from treatise.statistics import interval_scores
    >>> interval_scores([1.0, 3.5, -1.0], [[0.0, 3.0]] * 3, level=0.9).round(6)
    array([ 3., 13., 23.])
    """
    interval_ends(level)
    y, (low, high) = np.asarray(y, np.float64), np.asarray(intervals, np.float64).T
    missed = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
    return high - low + 2.0 / (1.0 - level) * missed


def coverage_bounds(inside, units=None, *, confidence=0.95):
    """Confidence bounds of the share of rows that lie in their intervals.

    Wilson's interval of a binomial share. Where rows come in units whose rows depend on each other, it is that of as
    many independent rows as vary as much as the shares of the units do, with a quantile of Student's law.

    Parameters
    ----------
    inside : array-like of bool of shape (n_samples,)
        Whether each row does.
    units : array-like of shape (n_samples,) or None, default=None
        Names of the units; None takes all rows for independent.
    confidence : float, default=0.95
        Confidence of the bounds.

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
       American Statistical Association 22.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import coverage_bounds
    >>> inside = np.repeat([True, False], [90, 10])
    >>> print("{:.3f} to {:.3f}".format(*coverage_bounds(inside)))
    0.826 to 0.945
    >>> print("{:.3f} to {:.3f}".format(*coverage_bounds(inside, np.repeat(np.arange(10), 10))))
    0.523 to 0.987
    """
    inside, (_, upper) = np.asarray(inside, np.float64), interval_ends(confidence)
    n, share = len(inside), inside.mean()
    if units is None:
        effective, quantile = n, ndtri(upper)
    else:
        codes = np.unique(np.asarray(units), return_inverse=True)[1]
        n_units = codes.max() + 1
        if n_units < 2:
            return 0.0, 1.0
        excess = np.bincount(codes, inside - share)
        variance = n_units / (n_units - 1) * np.sum(excess**2) / n**2
        # Rows that all agree tell no more than their units do.
        effective = min(n, share * (1 - share) / variance) if variance > 0 else n_units
        quantile = stdtrit(n_units - 1, upper)
    weight = quantile**2 / effective
    middle = (share + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))
