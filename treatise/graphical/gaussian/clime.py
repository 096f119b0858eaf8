"""Sparse precision matrices by linear programs: CLIME, for all penalties at once (JMLR 15:489)."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.graphical.gaussian.criteria import graph_ebic
from treatise.graphical.gaussian.from_covariance import CovarianceLearnerMixin
from treatise.graphical.gaussian.graph import GaussianGraphMixin
from treatise.optimize import l1_constraint_paths


class ClimePath:
    """The estimates of CLIME for every penalty.

    Parameters
    ----------
    columns : list of L1Path
        The path of every column of the precision matrix.
    scale : ndarray of shape (d,)
        Deviations of the variables, by which the estimate of a correlation matrix is divided.
    """

    def __init__(self, columns, scale):
        self.columns = columns
        self.scale = scale

    @property
    def lowest(self):
        """The smallest penalty to which all columns have a solution."""
        return max(float(column.breakpoints[-1]) for column in self.columns)

    @property
    def n_breakpoints(self):
        """Vertices of all columns together."""
        return sum(len(column.breakpoints) for column in self.columns)

    @property
    def gap(self):
        """Largest relative difference between primal and dual objectives over all columns and breakpoints."""
        return max(column.gap for column in self.columns)

    def at(self, penalty):
        """The symmetric estimate at one penalty: of two entries the smaller in size.

        Parameters
        ----------
        penalty : float
            Not below ``lowest``.

        Returns
        -------
        precision : sparse matrix of shape (d, d)
        """
        found = np.column_stack([column.at(penalty) for column in self.columns])
        smaller = np.where(np.abs(found) <= np.abs(found.T), found, found.T)
        # Of two entries of one size and different signs neither is better: the upper one stands, for symmetry.
        upper = np.triu(smaller)
        return sparse.csr_array((upper + np.triu(upper, 1).T) / np.outer(self.scale, self.scale))


class Clime(CovarianceLearnerMixin, GaussianGraphMixin, BaseEstimator):
    """Gaussian graph by constrained l1 minimisation: the sparsest columns that nearly invert the covariance.

    Every column of the precision matrix is a linear program, ``min |w|_1 subject to |S w - e| <= penalty``, and one run
    of the parametric simplex method solves it for all penalties, with a dual certificate at each breakpoint. Use it in
    place of the graphical lasso where guarantees entry by entry matter, or where the whole path is wanted exactly. The
    estimate need not be positive definite: ``score`` says so rather than repair it.

    A pivot costs d times the non-zeros of a column, and there are at least as many pivots as non-zeros at the smallest
    penalty, so the path should not be followed to where columns are dense: with 200 rows, 200 columns to a penalty of
    0.1 take a fraction of a second, 800 (where 0.1 is far below the noise, and some columns have no solution) a minute
    on two cores. A path keeps the non-zeros of each breakpoint: those 800 columns need 3 GiB.

    Parameters
    ----------
    penalty : float or "ebic", default="ebic"
        How far the product with the covariance may be from the identity, between 0 and 1; "ebic" chooses from a path.
    lowest : float or None, default=None
        Where the path ends; None takes ``penalty``, or half of ``sqrt(log d / n)`` (at most 0.5) for "ebic".
    gamma : float, default=0.5
        Weight of the extended term of "ebic".
    n_penalties : int, default=30
        Number of penalties that "ebic" tries.
    correlation : bool, default=True
        Whether columns are brought to unit deviation first, so that the penalty means the same for all of them.
    assume_centered : bool, default=False
        Whether the columns have mean zero already.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weights are partial correlations.
    precision_ : ndarray of shape (n_features, n_features)
        The estimate, symmetric, in the units of the columns.
    path_ : ClimePath
        The whole path: ``path_.at(penalty)``, and the breakpoints of every column.
    penalty_ : float
        The penalty used.
    location_ : ndarray of shape (n_features,)
        Means of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import Clime
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 4))
    >>> X[:, 1] += X[:, 0]; X[:, 2] += X[:, 1]
    >>> Clime().fit(X).edges_
    array([[0, 1],
           [1, 2]])

    References
    ----------
    .. [1] Paper v15-0489, sections 2 and 3.
    """

    _parameter_constraints = {
        "penalty": [Interval(Real, 0, None, closed="left"), StrOptions({"ebic"})],
        "lowest": [Interval(Real, 0, None, closed="left"), None],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "correlation": ["boolean"],
        "assume_centered": ["boolean"],
    }

    def __init__(
        self, penalty="ebic", *, lowest=None, gamma=0.5, n_penalties=30, correlation=True, assume_centered=False
    ):
        self.penalty = penalty
        self.lowest = lowest
        self.gamma = gamma
        self.n_penalties = n_penalties
        self.correlation = correlation
        self.assume_centered = assume_centered

    def _learn(self, S, n, scale, X):
        d = len(S)
        if not self.correlation:
            S, scale = S * np.outer(scale, scale), np.ones(d)
        end = self.lowest
        if end is None:
            noise = float(np.sqrt(np.log(max(d, 2)) / n))
            end = min(0.5 * noise, 0.5) if self.penalty == "ebic" else float(self.penalty)
        self.path_ = ClimePath(l1_constraint_paths(S, lowest=float(end)), scale)
        if self.penalty == "ebic":
            self.penalty_ = self._by_ebic(S, n)
        else:
            self.penalty_ = float(self.penalty)
            if self.penalty_ < self.path_.lowest * (1 - 1e-12):
                raise ValueError(
                    f"at penalty={self.penalty_:g} a column has no solution: the covariance of {n} rows and {d} "
                    f"columns is singular; choose at least {self.path_.lowest:.4g}"
                )
        self.precision_ = self.path_.at(self.penalty_).toarray()
        self._set_gaussian_graph(self.precision_)
        return self

    def _by_ebic(self, S, n):
        """The penalty whose graph has the least criterion."""
        penalties = np.geomspace(0.95, max(self.path_.lowest, 1e-3), self.n_penalties)
        plain = ClimePath(self.path_.columns, np.ones(len(S)))
        criteria = [graph_ebic(S, plain.at(penalty).toarray(), n, gamma=self.gamma) for penalty in penalties]
        return float(penalties[int(np.argmin(criteria))])


def dantzig_selector_path(X, y, *, lowest=0.0):
    """The Dantzig selector for all penalties: ``min |w|_1 subject to |X'(y - X w)| / n <= penalty``.

    Sparse linear regression whose residual is nearly uncorrelated with every feature. Centre X and y first, or the
    intercept is taken for a feature. Cost as for CLIME with one column.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Targets.
    lowest : float, default=0.0
        Where the path ends.

    Returns
    -------
    path : L1Path
        ``path.at(penalty)`` gives the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import dantzig_selector_path
    >>> X = np.eye(3)
    >>> dantzig_selector_path(X, [3.0, -1.0, 0.0]).at(0.5).round(6)
    array([1.5, 0. , 0. ])

    References
    ----------
    .. [1] Paper v15-0489, section 2.
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"X needs rows and y one value for each; they have shapes {X.shape} and {y.shape}")
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError("X or y has a value that is not finite")
    gram = X.T @ X / len(y)
    return l1_constraint_paths((gram + gram.T) / 2, X.T @ y / len(y), lowest=lowest)
