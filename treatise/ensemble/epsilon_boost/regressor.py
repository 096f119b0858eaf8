"""Boosting in tiny steps for numbers: forward stagewise regression (Rosset, Zhu & Hastie, JMLR 5:941)."""

from numbers import Integral

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.model_selection import KFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from treatise._core.magnitudes import check_magnitudes
from treatise.ensemble.epsilon_boost._base import EpsilonBoost
from treatise.ensemble.epsilon_boost._loops import Rule
from treatise.ensemble.epsilon_boost._paths import Judgement
from treatise.optimize import SquaredLoss
from treatise.optimize.losses.squared import SQUARED

_STEP = 0.02


class EpsilonBoostRegressor(RegressorMixin, EpsilonBoost):
    """Regression by tiny steps along the steepest member: nearly the whole path of the lasso over a dictionary.

    Half the squared error under a bound on the sum of absolute coefficients, from tight to loose; over columns this
    is the lasso, over stumps an additive model of steps. Use it where the path and a sparse additive model are wanted;
    for columns alone LARS gives the exact path, and on large tables a gradient boosting library is faster and better.

    A step costs O(n p) for stumps, and for up to 2 000 columns O(p), whatever the rows.

    Parameters
    ----------
    epsilon : float or "auto", default="auto"
        Length of a step, in units of y; "auto" is a fiftieth of its standard deviation.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treatise.ensemble import EpsilonBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = EpsilonBoostRegressor(dictionary="columns", epsilon=1.0, n_steps=2200, early_stopping=False).fit(X, y)
    >>> round(path.monotone_until_)  # the lasso itself turns at 1915
    2064

    References
    ----------
    .. [1] Paper v05-0941, Algorithm 1 with squared error, Figures 1 and 5.
    """

    _parameter_constraints: dict = {**EpsilonBoost._parameter_constraints}

    def __init__(
        self, *, dictionary="stumps", epsilon="auto", n_steps=5000, step="epsilon", norm="l1", fit_intercept=True,
        early_stopping=True, cv=5, random_state=0,
    ):  # fmt: skip
        self.dictionary = dictionary
        self.epsilon = epsilon
        self.n_steps = n_steps
        self.step = step
        self.norm = norm
        self.fit_intercept = fit_intercept
        self.early_stopping = early_stopping
        self.cv = cv
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Walk the path and choose a step on it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns; constant ones have no stump.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows in the loss.

        Returns
        -------
        self : EpsilonBoostRegressor
        """
        self._check_settings()
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = y.astype(np.float64)
        self._check_sizes(X)
        check_magnitudes(y, "y")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if np.count_nonzero(weights) < 2:
            raise ValueError(f"{np.count_nonzero(weights)} rows have a weight above zero; a path needs two at least")
        mean = np.average(y, weights=weights)
        spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weights)))
        self.epsilon_ = (_STEP * spread or 1.0) if isinstance(self.epsilon, str) else float(self.epsilon)
        generator = check_random_state(self.random_state)
        self._seed = int(generator.randint(2**31 - 1))
        self._boost(X, y, weights, SquaredLoss(), self._folds(X, generator))
        return self

    def _folds(self, X, generator):
        if not self.early_stopping:
            return []
        drawn = isinstance(self.cv, Integral)
        splitter = KFold(min(self.cv, len(X)), shuffle=True, random_state=generator) if drawn else check_cv(self.cv)
        return list(splitter.split(X))

    def _constant(self, y, weights):
        return np.average(y, weights=weights)

    def _judgement(self):
        return Judgement(Rule(SQUARED, 0.0, 0.0), 1.0)

    def predict(self, X):
        """Values of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._final_scores(X)

    def staged_predict(self, X, steps=None):
        """Values along the path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        steps : iterable of int or None, default=None
            After how many steps; None is after every one.

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        yield from self._staged_scores(X, steps)
