"""Graphs of binary variables by sparse logistic regressions (Ravikumar 2007, chapter 9)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise.graphical._two_values import binary_table, known_values
from treatise.graphical.discrete.pseudo_likelihood import fit_ising_on_graph, ising_node_losses
from treatise.graphical.edge_stability import stable_penalty
from treatise.graphical.graph import UndirectedGraphMixin
from treatise.optimize import solve_l1_logistic_columns

_FACTOR = 0.5
"""Of sqrt(log p / n): about the largest of p^2 scores of independent coins, each of deviation 1/4 over sqrt(n)."""
_SMALLEST_PENALTY = 0.02


class IsingGraph(UndirectedGraphMixin, BaseEstimator):
    """Which binary variables depend on each other when all others are known.

    Every column is explained by all the others with a sparse logistic regression; two columns are joined where both
    (or either) need the other. Use it for votes, symptoms, clicks, presence and absence. Weak edges need many rows;
    columns of which nearly all values are equal find no neighbours, and a hidden common cause shows as a clique.

    All columns together cost p products of the table with a vector for each round of the working set, in threads:
    400 columns of 2 000 rows take about a second.

    Parameters
    ----------
    penalty : float, "auto", "ebic" or "stars", default="auto"
        Price of a coefficient. "auto" takes ``0.5 sqrt(log p / n)``, above what pure noise reaches; "ebic" and "stars"
        choose from a path by the extended BIC of the regressions or by the stability of the edges.
    rule : {"and", "or"}, default="and"
        Whether both or either of two columns must need the other.
    binarize : float or None, default=None
        Where to cut the columns into 0 (at or below) and 1; None expects two values in the table.
    refit : bool, default=True
        Whether the weights of the edges are fitted again, without the penalty, by the pseudo-likelihood.
    gamma : float, default=0.25
        Weight of the extended term of "ebic".
    instability : float, default=0.05
        For "stars": the largest mean instability of edges that a graph may have.
    n_penalties : int, default=20
        Length of the path to choose from.
    tol : float, default=1e-6
        Largest violation of the optimum's conditions of a regression.
    max_iter : int, default=100
        Rounds of the working set at most.
    random_state : int, RandomState or None, default=None
        Draws the subsamples of "stars".

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph. The weights are those of the joint model, ``exp(sum theta_s x_s + sum theta_st x_s x_t)`` for
        values 0 and 1.
    coef_ : ndarray of shape (n_features, n_features)
        Row s holds the regression of column s on the others.
    intercept_ : ndarray of shape (n_features,)
        Of the regressions; infinite for a constant column.
    symmetric_coef_, fields_ : ndarray
        Couplings and fields of the joint model; fields are infinite for a constant column.
    penalty_ : float
        The penalty used.
    path_ : dict
        For "ebic" and "stars": "penalty" and "ebic" or "instability", one value each along the path.
    values_ : ndarray of shape (2,)
        The values of the columns that stand for 0 and 1.
    n_iter_ : int
        Rounds of the working set.
    converged_ : bool
        Whether all regressions reached ``tol``; else a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import IsingGraph
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (500, 4))
    >>> X[:, 1] = np.where(rng.random(500) < 0.8, X[:, 0], X[:, 1])
    >>> IsingGraph().fit(X).edges_
    array([[0, 1]])

    References
    ----------
    .. [1] Paper thesis-ravikumar, chapter 9, equations 9.3 and 9.4.
    """

    _parameter_constraints = {
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto", "ebic", "stars"})],
        "rule": [StrOptions({"and", "or"})],
        "binarize": [Real, None],
        "refit": ["boolean"],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "instability": [Interval(Real, 0, 0.5, closed="neither")],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        penalty="auto",
        *,
        rule="and",
        binarize=None,
        refit=True,
        gamma=0.25,
        instability=0.05,
        n_penalties=20,
        tol=1e-6,
        max_iter=100,
        random_state=None,
    ):
        self.penalty = penalty
        self.rule = rule
        self.binarize = binarize
        self.refit = refit
        self.gamma = gamma
        self.instability = instability
        self.n_penalties = n_penalties
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the graph of the columns of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Two values in the whole table, such as 0 and 1, or -1 and 1.
        y : None
            Ignored.

        Returns
        -------
        self : IsingGraph
        """
        X = binary_table(
            self, X, "an Ising graph", "use SparsePrecision for numbers and MultinomialGraph for categories"
        )
        n, p = X.shape
        share = X.mean(axis=0)
        varying = np.flatnonzero((share > 0) & (share < 1))
        part = X[:, varying]
        if self.penalty == "auto":
            self.penalty_ = _FACTOR * float(np.sqrt(np.log(max(p, 2)) / n))
        elif self.penalty == "ebic":
            self._choose_by_ebic(part)
        elif self.penalty == "stars":
            self._choose_by_stability(part)
        else:
            self.penalty_ = float(self.penalty)
        found = self._solve(part, self.penalty_)
        if not found.converged:
            warnings.warn(
                f"a regression misses its optimum by {found.violation:.1e} after {self.max_iter} rounds; tol="
                f"{self.tol:g} asks for less: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.n_iter_, self.converged_ = max(found.n_iter, 1), bool(found.converged)
        self.coef_ = np.zeros((p, p))
        self.coef_[np.ix_(varying, varying)] = found.coef
        self.intercept_ = np.where(share > 0, np.inf, -np.inf)
        self.intercept_[varying] = found.intercept
        joined = self._joined(found.coef)
        fields, couplings = np.asarray(found.intercept), np.where(joined, (found.coef + found.coef.T) / 2, 0.0)
        if self.refit and joined.any():
            fields, couplings = fit_ising_on_graph(part, joined, start=(fields, couplings))
        self.fields_ = np.where(share > 0, np.inf, -np.inf)
        self.fields_[varying] = fields
        self.symmetric_coef_ = np.zeros((p, p))
        self.symmetric_coef_[np.ix_(varying, varying)] = couplings
        adjacency = np.zeros((p, p), dtype=bool)
        adjacency[np.ix_(varying, varying)] = joined
        self._set_graph(self.symmetric_coef_, adjacency)
        return self

    def score(self, X, y=None):
        """Mean pseudo-log-likelihood of new rows: the sum over columns of ``log p(column | the others)``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the values of the fit.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Columns that were constant in the fit do not count.
        """
        check_is_fitted(self)
        X = known_values(self, X)
        known = np.flatnonzero(np.isfinite(self.fields_))
        couplings = self.symmetric_coef_[np.ix_(known, known)]
        return -float(ising_node_losses(X[:, known], self.fields_[known], couplings).sum())

    def _invariants(self):
        p = self.n_features_in_
        yield "there are two values", np.shape(self.values_) == (2,)
        yield "columns have fields", is_array(self.fields_, np.floating, p)
        yield "couplings are of the columns", is_array(self.symmetric_coef_, np.floating, p, p)

    def _solve(self, X, penalty, start=None):
        return solve_l1_logistic_columns(X, penalty, start=start, tol=self.tol, max_rounds=self.max_iter)

    def _joined(self, coef):
        needs = coef != 0
        return needs & needs.T if self.rule == "and" else needs | needs.T

    def _penalties(self, X):
        """From the penalty that empties every regression, the largest covariance, down."""
        centred = X - X.mean(axis=0)
        covariance = np.abs(centred.T @ centred) / len(X)
        np.fill_diagonal(covariance, 0.0)
        limit = max(float(covariance.max(initial=0.0)), 1e-6)
        return np.geomspace(limit, _SMALLEST_PENALTY * limit, self.n_penalties)

    def _path(self, X):
        start = None
        for penalty in self._penalties(X):
            found = self._solve(X, penalty, start)
            start = (found.coef, found.intercept)
            yield penalty, found

    def _choose_by_ebic(self, X):
        """Least sum over columns of ``-2 log likelihood + k (log n + 2 gamma log(p - 1))`` with k neighbours."""
        n, p = X.shape
        price = np.log(n) + 2 * self.gamma * np.log(max(p - 1, 1))
        penalties, criteria = [], []
        for penalty, found in self._path(X):
            loss = ising_node_losses(X, np.asarray(found.intercept), found.coef).sum()
            penalties.append(penalty)
            criteria.append(2 * n * loss + price * np.count_nonzero(found.coef))
        self.path_ = {"penalty": np.array(penalties), "ebic": np.array(criteria)}
        self.penalty_ = float(penalties[int(np.argmin(criteria))])

    def _choose_by_stability(self, X):
        penalties = self._penalties(X)

        def graphs(rows):
            part = X[rows]
            varying = np.flatnonzero((part.min(axis=0) < 1) & (part.max(axis=0) > 0))
            path, start = np.zeros((len(penalties), X.shape[1], X.shape[1]), dtype=bool), None
            for k, penalty in enumerate(penalties):
                found = self._solve(part[:, varying], penalty, start)
                start = (found.coef, found.intercept)
                path[k][np.ix_(varying, varying)] = self._joined(found.coef)
            return path

        place, instability = stable_penalty(graphs, len(X), self.instability, random_state=self.random_state)
        self.path_ = {"penalty": penalties, "instability": instability}
        self.penalty_ = float(penalties[place])
