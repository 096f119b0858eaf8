"""MINLIP for numbers whose order matters (Van Belle, Pelckmans, Suykens & Van Huffel, JMLR 12:819)."""

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import _check_sample_weight

from treatise._core.magnitudes import check_magnitudes
from treatise.ranking.minlip._base import Minlip, outcome_spread
from treatise.ranking.minlip._order import order_of_times
from treatise.statistics import concordance_index


class MinlipRanker(Minlip):
    """Utility that puts rows in the order of a number, blind to the scale of that number.

    The outcome is taken as an unknown increasing function of a utility of the row; the flattest such function wins.
    Each outcome is compared with those next to it, so that n rows give about n comparisons and not n². Ties are
    compared with neither each other nor in any order.

    Use it where the order of predictions counts and the outcome's scale is odd: ranks, grades, prices over decades,
    outliers. Where the mean of the outcome is wanted, use a regressor. Bring the columns to one scale first.

    A linear fit costs O(n p²) a step and O(n p) memory; 1 000 rows of 10 columns take 20 ms. With other kernels memory
    is n² numbers and a step O(n r²) for a Gram matrix of rank r: some thousand rows.

    Parameters
    ----------
    C : float, default=0.1
        Cost of an error, in units of the outcome's spread; infinity allows none, and refuses outcomes that no utility
        has the order of. The larger, the closer the fit.

    See Also
    --------
    MinlipSurvival : The same for outcomes known in part.
    MinlipOrdinal : For a few ordered classes, with thresholds.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.ranking import MinlipRanker
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    >>> MinlipRanker(np.inf).fit(X, [0.0, 1.0, 2.0, 4.0]).coef_.round(4)
    array([1.25, 0.5 ])

    References
    ----------
    .. [1] Paper v12-0819, Equations 5, 8 and 10, and Section 3.3.
    """

    def __init__(
        self,
        C=0.1,
        *,
        unit="spread",
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=1.0,
        penalty="l2",
        tol=1e-8,
        max_iter=200,
    ):
        self.C = C
        self.unit = unit
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Find the utility.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Rows; with ``kernel="precomputed"``, their Gram matrix.
        y : array-like of shape (n_samples,)
            Outcomes; only their order and distances count.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the errors; two is a second copy.

        Returns
        -------
        self : MinlipRanker
        """
        objects, y = self._fit_objects(X, y=y, y_numeric=True, sample_weight=sample_weight, ensure_min_samples=2)
        y = np.asarray(y, np.float64)
        check_magnitudes(y, "y")
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        counted = np.flatnonzero(weights > 0)
        if len(counted) and np.ptp(y[counted]) == 0:
            raise ValueError(f"y holds one value only, {y[counted[0]]:g}: there is no order to learn; give others too")
        order = order_of_times(y[counted], y[counted]).of_rows(counted)
        self.cost_ = self._cost(objects, weights, outcome_spread(y, weights))
        costs = self.cost_ * weights[order.rows]
        self._fit_utility(objects, order, costs, costs)
        return self

    def predict(self, X):
        """Utility of each row: the higher, the larger the outcome.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        utility : ndarray of shape (n_samples,)
            In the unit of the outcome, but for a constant.
        """
        return self._utility(X)

    def score(self, X, y):
        """Concordance: the share of pairs with different outcomes that the utility puts in order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Outcomes.

        Returns
        -------
        concordance : float
        """
        return concordance_index(y, self.predict(X))
