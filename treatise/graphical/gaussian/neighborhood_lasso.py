"""A graph from one sparse regression per column: neighbourhood selection (JMLR 15:147, appendix B.2)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.jit import compiled
from treatise.graphical.gaussian.from_covariance import CovarianceLearnerMixin
from treatise.graphical.graph import UndirectedGraphMixin

_SMALLEST_PENALTY = 0.01
"""Of the penalty at which a regression is empty."""


class NeighborhoodLasso(CovarianceLearnerMixin, UndirectedGraphMixin, BaseEstimator):
    """Gaussian graph by the lasso regression of every column on the others (Meinshausen and Buhlmann).

    Each regression chooses its own penalty, so that columns with weak neighbours are not judged by those with strong
    ones; with ``adaptive`` a first fit without penalty makes weights that it found large cheap. Use it where edges
    matter and a covariance model does not: the regressions need not agree with each other, and :class:`SparsePrecision`
    gives a positive definite precision matrix. The columns are standardised.

    Costs p^3 and, for each column and penalty, p for every non-zero weight and sweep.

    Parameters
    ----------
    penalty : float or "ebic", default="ebic"
        Price of a standardised weight; "ebic" chooses it for every column from a path.
    rule : {"and", "or"}, default="and"
        Whether both regressions of a pair must find it, or one is enough.
    adaptive : bool, default=True
        Whether a weight's price is the inverse of its size in a first fit (Zou 2006).
    gamma : float, default=0.5
        Weight of the extended term of "ebic".
    n_penalties : int, default=20
        Length of the path to choose from.
    tol : float, default=1e-6
        Change of a weight at which to stop.
    max_iter : int, default=1000
        Sweeps at most, for each penalty.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weight of an edge is the mean of the pair's two standardised weights.
    coef_ : ndarray of shape (n_features, n_features)
        In row i the weights of the regression of column i, in the units of the columns.
    penalties_ : ndarray of shape (n_features,)
        The penalty of each regression.
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    converged_ : bool
        Whether all regressions settled; else a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import NeighborhoodLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 4))
    >>> X[:, 1] += X[:, 0]; X[:, 2] += X[:, 1]
    >>> NeighborhoodLasso().fit(X).edges_
    array([[0, 1],
           [1, 2]])

    References
    ----------
    .. [1] Paper v15-0147, appendix B.2 and section 8.
    """

    _parameter_constraints = {
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"ebic"})],
        "rule": [StrOptions({"and", "or"})],
        "adaptive": ["boolean"],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, penalty="ebic", *, rule="and", adaptive=True, gamma=0.5, n_penalties=20, tol=1e-6, max_iter=1000
    ):
        self.penalty = penalty
        self.rule = rule
        self.adaptive = adaptive
        self.gamma = gamma
        self.n_penalties = n_penalties
        self.tol = tol
        self.max_iter = max_iter

    def _learn(self, R, n_samples, scale, X):
        others = ~np.eye(len(R), dtype=bool)
        coef, self.penalties_, self.converged_ = neighborhood_weights(
            R, n_samples, others, others,
            penalty=self.penalty, adaptive=self.adaptive, gamma=self.gamma, n_penalties=self.n_penalties,
            tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip
        self.coef_ = coef * scale[:, None] / scale
        found = coef != 0
        self._set_graph((coef + coef.T) / 2, adjacency=found & found.T if self.rule == "and" else found | found.T)
        return self


def neighborhood_weights(
    R, n_samples, candidates, allowed, *, penalty="ebic", adaptive=True, gamma=0.5, n_penalties=20, tol=1e-6,
    max_iter=1000,
):  # fmt: skip
    """Weights of the regressions of equation (10): on allowed neighbours, of which only the candidates are penalised.

    Parameters
    ----------
    R : ndarray of shape (p, p)
        Correlations.
    n_samples : int
        Number of rows behind them.
    candidates, allowed : ndarray of bool of shape (p, p)
        Pairs to decide, and all pairs that may have a weight, those included.
    penalty, adaptive, gamma, n_penalties, tol, max_iter
        As for :class:`NeighborhoodLasso`.

    Returns
    -------
    coef : ndarray of shape (p, p)
        A row for each column with a candidate, of standardised weights.
    penalties : ndarray of shape (p,)
        The penalty of each regression; NaN where nothing was to be decided.
    converged : bool
        Whether the chosen weights of all regressions settled; else a warning says so.
    """
    p = len(R)
    coef, penalties, restless = np.zeros((p, p)), np.full(p, np.nan), 0
    for i in range(p):
        around = np.flatnonzero(allowed[i])
        if not candidates[i, around].any():
            continue
        G, c = np.ascontiguousarray(R[np.ix_(around, around)]), np.ascontiguousarray(R[around, i])
        prices = _prices(G, c, candidates[i, around], n_samples, adaptive)
        if penalty != "ebic":
            grid, best = np.array([float(penalty)]), 0
            path, settled = lasso_path(G, c, prices, grid, tol, max_iter)
        else:
            grid = _penalty_grid(G, c, prices, n_penalties, tol, max_iter)
            path, settled = lasso_path(G, c, prices, grid, tol, max_iter)
            best = int(np.argmin(_path_ebic(G, c, path, candidates[i, around], n_samples, gamma)))
        coef[i, around], penalties[i] = path[best], grid[best]
        restless += not settled[best]
    if restless:
        warnings.warn(
            f"the weights of {restless} of {p} regressions still move after max_iter={max_iter} sweeps; raise max_iter "
            f"or tol={tol:g}",
            ConvergenceWarning,
            stacklevel=3,
        )
    return coef, penalties, restless == 0


def _prices(G, c, penalised, n_samples, adaptive):
    """Price of each weight: zero for those that are not to be decided."""
    if not adaptive:
        return penalised.astype(np.float64)
    # Too few rows for a first fit without penalty: a little ridge keeps it finite.
    enough = n_samples > 2 * len(c)
    ridge = 1e-10 if enough else float(np.sqrt(np.log(len(c) + 1) / n_samples))
    first = np.abs(np.linalg.solve(G + ridge * np.eye(len(c)), c))
    return np.where(penalised, 1.0 / np.maximum(first, 1e-8), 0.0)


def _penalty_grid(G, c, prices, n_penalties, tol, max_iter):
    """Penalties down from the one at which no penalised weight moves."""
    free = prices == 0
    start = lasso_path(G, c, np.where(free, 0.0, np.inf), np.ones(1), tol, max_iter)[0][0]
    slope = np.abs(c - G @ start)[~free] / prices[~free]
    limit = max(float(slope.max()), 1e-12)
    return np.geomspace(limit, _SMALLEST_PENALTY * limit, n_penalties)


def _path_ebic(G, c, path, penalised, n_samples, gamma):
    """EBIC of the least-squares fits on the supports along a path (Chen and Chen 2008).

    As for graphs, the criterion takes the fit without shrinkage; supports with more weights than rows count as worst.
    """
    price = np.log(n_samples) + 2 * gamma * np.log(max(len(c) + 1, 2))
    criteria, known = np.empty(len(path)), {}
    for step, b in enumerate(path):
        support = np.flatnonzero(b)
        key = support.tobytes()
        if key not in known:
            left = 1.0
            if len(support):
                # A trace of ridge, far below what a row can tell, lets duplicates share their weight.
                part = G[np.ix_(support, support)] + 1e-10 * np.eye(len(support))
                left = 1.0 - float(c[support] @ np.linalg.solve(part, c[support]))
            count = int(np.count_nonzero(penalised[support]))
            enough = len(support) < n_samples - 1
            known[key] = n_samples * np.log(max(left, 1e-12)) + count * price if enough else np.inf
        criteria[step] = known[key]
    return criteria


@compiled
def lasso_path(G, c, prices, penalties, tol, max_iter):
    """Minimise ``b' G b / 2 - c' b + penalty * sum(prices * |b|)`` for falling penalties, each from the last.

    Weights of infinite price stay zero, those of price zero are free. Sweeps over all weights alternate with sweeps
    over those that are not zero until a full one moves none by more than ``tol``. Gives the weights at each penalty,
    and whether they came to rest.
    """
    k = len(c)
    path = np.zeros((len(penalties), k))
    settled = np.zeros(len(penalties), np.bool_)
    b = np.zeros(k)
    slope = c.copy()
    for step in range(len(penalties)):
        full = True
        for _ in range(max_iter):
            moved = 0.0
            for i in range(k):
                if prices[i] == np.inf or (not full and b[i] == 0.0):
                    continue
                price = penalties[step] * prices[i]
                target = slope[i] + G[i, i] * b[i]
                if target > price:
                    new = (target - price) / G[i, i]
                elif target < -price:
                    new = (target + price) / G[i, i]
                else:
                    new = 0.0
                change = new - b[i]
                if change != 0.0:
                    b[i] = new
                    for j in range(k):
                        slope[j] -= change * G[i, j]
                    moved = max(moved, abs(change))
            if moved <= tol:
                if full:
                    settled[step] = True
                    break
                full = True
            else:
                full = False
        path[step] = b
    return path, settled
