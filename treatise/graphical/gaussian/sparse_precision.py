"""Sparse inverse covariance by the graphical lasso, its penalty chosen by EBIC or by stability (StARS)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.graphical.edge_stability import stable_penalty
from treatise.graphical.gaussian._correlations import correlations
from treatise.graphical.gaussian.criteria import graph_ebic
from treatise.graphical.gaussian.from_covariance import CovarianceLearnerMixin
from treatise.graphical.gaussian.graph import GaussianGraphMixin
from treatise.optimize import graphical_lasso_penalty_limit, solve_graphical_lasso

_SMALLEST_PENALTY = 0.02
"""Of the penalty that empties the graph: below it graphs of real tables are dense, and say nothing."""


class SparsePrecision(CovarianceLearnerMixin, GaussianGraphMixin, BaseEstimator):
    """Gaussian graph of a table: which columns depend on each other when all others are known.

    The graphical lasso on the correlations, solved by Newton steps with a duality gap as certificate, and the penalty
    chosen by the extended BIC or by the stability of the edges over subsamples. Use it as a first look at numeric
    columns that are roughly Gaussian (rank or log-transform others first). It shrinks the edges it keeps; where a few
    hidden causes move all columns the graph comes out dense and misleading.

    A path of penalties costs a few inverses of p x p matrices each; p = 500 takes well under a second for a penalty.

    Parameters
    ----------
    penalty : float, "ebic" or "stars", default="ebic"
        Price of a partial correlation on the scale of correlations; or how to choose it from a path.
    gamma : float, default=0.5
        Weight of the extended term of "ebic".
    instability : float, default=0.05
        For "stars": the largest mean instability of edges that a graph may have.
    n_penalties : int, default=20
        Length of the path to choose from.
    assume_centered : bool, default=False
        Whether the columns have mean zero already.
    tol : float, default=1e-4
        Duality gap at which a solution stands.
    max_iter : int, default=100
        Newton steps at most.
    random_state : int, RandomState or None, default=None
        Draws the subsamples of "stars".

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weights are partial correlations.
    precision_, covariance_ : ndarray of shape (n_features, n_features)
        In the units of the columns.
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    penalty_ : float
        The penalty used.
    path_ : dict
        For a chosen penalty: "penalty" and "ebic" with "edges", or "instability", one value each along the path.
    gap_ : float
        Duality gap of the solution.
    n_iter_ : int
        Newton steps taken.
    converged_ : bool
        Whether the gap is below ``tol``; else a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import SparsePrecision
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 4))
    >>> X[:, 1] += X[:, 0]; X[:, 2] += X[:, 1]
    >>> SparsePrecision().fit(X).edges_
    array([[0, 1],
           [1, 2]])
    """

    _parameter_constraints = {
        "penalty": [Interval(Real, 0, None, closed="left"), StrOptions({"ebic", "stars"})],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "instability": [Interval(Real, 0, 0.5, closed="neither")],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "assume_centered": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        penalty="ebic",
        *,
        gamma=0.5,
        instability=0.05,
        n_penalties=20,
        assume_centered=False,
        tol=1e-4,
        max_iter=100,
        random_state=None,
    ):
        self.penalty = penalty
        self.gamma = gamma
        self.instability = instability
        self.n_penalties = n_penalties
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _learn(self, S, n_samples, scale, X):
        if self.penalty == "ebic":
            found = self._by_ebic(S, n_samples)
        elif self.penalty == "stars":
            if X is None:
                raise ValueError("penalty='stars' draws rows again and again, and a covariance has none; use fit")
            found = self._by_stability(X - self.location_, S)
        else:
            if self.penalty == 0 and np.linalg.matrix_rank(S) < len(S):
                raise ValueError(
                    f"the covariance of {n_samples} rows and {len(S)} columns is singular, so penalty=0 has no "
                    "solution; choose a positive penalty, 'ebic' or 'stars'"
                )
            self.penalty_ = float(self.penalty)
            found = self._solve(S, self.penalty_)
        if not found.converged:
            warnings.warn(
                f"the duality gap is {found.gap:.1e} after {found.n_iter} steps; tol={self.tol:g} asks for less: raise "
                "max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.gap_, self.n_iter_, self.converged_ = found.gap, max(found.n_iter, 1), bool(found.converged)
        self.precision_ = found.precision / np.outer(scale, scale)
        self.covariance_ = found.covariance * np.outer(scale, scale)
        self._set_gaussian_graph(found.precision)
        return self

    def _solve(self, S, penalty, start=None):
        return solve_graphical_lasso(S, penalty, start=start, tol=self.tol, max_iter=self.max_iter)

    def _penalties(self, S):
        limit = max(graphical_lasso_penalty_limit(S), 1e-12)
        return np.geomspace(limit, _SMALLEST_PENALTY * limit, self.n_penalties)

    def _by_ebic(self, S, n):
        penalties, chosen, found = self._penalties(S), None, None
        self.path_ = {"penalty": penalties, "edges": [], "ebic": []}
        for penalty in penalties:
            found = self._solve(S, penalty, None if found is None else found.precision)
            self.path_["edges"].append(int(np.count_nonzero(np.triu(found.precision, 1))))
            ebic = graph_ebic(S, found.precision, n, gamma=self.gamma, start=found.covariance)
            self.path_["ebic"].append(ebic)
            if chosen is None or ebic < min(self.path_["ebic"][:-1]):
                chosen, self.penalty_ = found, float(penalty)
        return chosen

    def _by_stability(self, rows, S):
        penalties = self._penalties(S)

        def graphs(chosen):
            moments, start, path = correlations(rows[chosen])[0], None, []
            for penalty in penalties:
                start = self._solve(moments, penalty, start).precision
                path.append(start != 0)
            return np.array(path)

        place, instability = stable_penalty(graphs, len(rows), self.instability, random_state=self.random_state)
        self.penalty_ = float(penalties[place])
        self.path_ = {"penalty": penalties, "instability": instability}
        return self._solve(S, self.penalty_)
