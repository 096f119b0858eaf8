"""Graphs of categorical variables by softmax regressions with a price on whole tables (Ravikumar 2007, chapter 8)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.graphical.graph import UndirectedGraphMixin
from treatise.optimize import solve_group_multinomial_columns
from treatise.statistics.category_columns import coded_columns

_FACTOR = 2.0
"""Of sqrt(log p / n) times the spread of the states, which is 1/2 for even coins: then twice the Ising graph's penalty,
as the norm of a 2 x 2 table is half its logistic coefficient."""
_SMALLEST_PENALTY = 0.05


class MultinomialGraph(UndirectedGraphMixin, BaseEstimator):
    """Which categorical variables depend on each other when all others are known.

    Every column is explained by all the others with a softmax regression that pays for the norm of each table of
    weights, so that a variable comes in with all its states or stays out; this is the group-l1 relaxation of edge
    selection, with the pseudo-likelihood for the likelihood. Use it where columns have more than two states; with two
    it is the Ising graph with half the penalty, and :class:`IsingGraph` is much faster.

    A pass costs n p times the states; 50 columns of four states and 2 000 rows take some seconds.

    Parameters
    ----------
    penalty : float, "auto" or "ebic", default="auto"
        Price of a table's norm. "auto" takes ``2 g sqrt(log p / n)`` with g the chance that two
        rows differ in the most varied column (the noise of a table grows with it); "ebic" chooses from a path.
    rule : {"and", "or"}, default="and"
        Whether both or either of two columns must need the other.
    n_bins : int or None, default=None
        Parts of equal size into which numeric columns are cut; None takes every value for a state.
    gamma : float, default=0.25
        Weight of the extended term of "ebic".
    n_penalties : int, default=10
        Length of the path to choose from.
    tol : float, default=1e-4
        Largest violation of the optimum's conditions of a regression.
    max_iter : int, default=200
        Rounds of the working set at most.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weight of an edge is the mean norm of its two tables.
    tables_ : dict
        For each edge (s, t) the mean of both tables, one row for each state of s and one column for each of t.
    states_ : list of ndarray
        The states of each column.
    penalty_ : float
        The penalty used.
    path_ : dict
        For "ebic": "penalty", "edges" and "ebic" along the path.
    n_iter_ : int
        Rounds of the working set.
    converged_ : bool
        Whether all regressions reached ``tol``; else a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import MultinomialGraph
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice(["red", "green", "blue"], (400, 3))
    >>> X[:, 1] = np.where(rng.random(400) < 0.7, X[:, 0], X[:, 1])
    >>> MultinomialGraph().fit(X).edges_
    array([[0, 1]])

    References
    ----------
    .. [1] Paper thesis-ravikumar, chapter 8.
    """

    _parameter_constraints = {
        "penalty": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto", "ebic"})],
        "rule": [StrOptions({"and", "or"})],
        "n_bins": [Interval(Integral, 2, None, closed="left"), None],
        "gamma": [Interval(Real, 0, 1, closed="both")],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, penalty="auto", *, rule="and", n_bins=None, gamma=0.25, n_penalties=10, tol=1e-4, max_iter=200):
        self.penalty = penalty
        self.rule = rule
        self.n_bins = n_bins
        self.gamma = gamma
        self.n_penalties = n_penalties
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the graph of the columns of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories: text, numbers or both; a column may be constant, and has no edge then.
        y : None
            Ignored.

        Returns
        -------
        self : MultinomialGraph
        """
        codes, self.states_ = coded_columns(self, X, self.n_bins)
        n, p = codes.shape
        n_states = np.array([len(states) for states in self.states_])
        if self.penalty == "ebic":
            found = self._by_ebic(codes, n_states)
        else:
            differ = max(1.0 - np.sum((np.bincount(column) / n) ** 2) for column in codes.T)
            auto = max(_FACTOR * float(differ * np.sqrt(np.log(max(p, 2)) / n)), 1e-6)
            self.penalty_ = auto if self.penalty == "auto" else float(self.penalty)
            found = self._solve(codes, n_states, self.penalty_)
        if not found.converged:
            warnings.warn(
                f"a regression misses its optimum by {found.violation:.1e} after {self.max_iter} rounds; tol="
                f"{self.tol:g} asks for less: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.n_iter_, self.converged_ = max(found.n_iter, 1), bool(found.converged)
        self._set_graph((found.norms + found.norms.T) / 2, self._joined(found.norms))
        span = [slice(found.starts[t], found.starts[t + 1]) for t in range(p)]
        self.tables_ = {
            (s, t): (found.tables[s, span[t], : n_states[s]].T + found.tables[t, span[s], : n_states[t]]) / 2
            for s, t in self.edges_.tolist()
        }
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _solve(self, codes, n_states, penalty, start=None):
        return solve_group_multinomial_columns(
            codes, n_states, penalty, start=start, tol=self.tol, max_rounds=self.max_iter
        )

    def _joined(self, norms):
        needs = norms > 0
        return needs & needs.T if self.rule == "and" else needs | needs.T

    def _by_ebic(self, codes, n_states):
        """Least sum over columns of ``-2 log likelihood + d (log n + 2 gamma log(p - 1))`` with d free weights."""
        n, p = codes.shape
        price = np.log(n) + 2 * self.gamma * np.log(max(p - 1, 1))
        weights = np.outer(n_states - 1, n_states - 1)
        limit = _penalty_limit(codes, n_states)
        self.path_ = {"penalty": np.geomspace(limit, _SMALLEST_PENALTY * limit, self.n_penalties)}
        found, chosen, criteria, edges = None, None, [], []
        for penalty in self.path_["penalty"]:
            found = self._solve(codes, n_states, penalty, found)
            criteria.append(2 * n * found.losses.sum() + price * weights[found.norms > 0].sum())
            edges.append(int(np.count_nonzero(np.triu(self._joined(found.norms)))))
            if criteria[-1] == min(criteria):
                chosen, self.penalty_ = found, float(penalty)
        self.path_ |= {"ebic": np.array(criteria), "edges": np.array(edges)}
        return chosen


def _penalty_limit(codes, n_states):
    """The penalty that empties every regression: the largest norm of (joint shares - product of the shares)."""
    n, p = codes.shape
    indicators = [np.eye(k)[codes[:, j]] - np.bincount(codes[:, j], minlength=k) / n for j, k in enumerate(n_states)]
    largest = max(
        (np.linalg.norm(indicators[s].T @ indicators[t]) / n for s in range(p) for t in range(s)), default=0.0
    )
    return max(float(largest), 1e-6)
