"""The PC algorithm's skeleton: a graph by tests of conditional independence (JMLR 15:147, Algorithm 4)."""

from numbers import Integral, Real

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from treatise.graphical.gaussian._separation_loops import weakest_partial_correlations
from treatise.graphical.gaussian.from_covariance import CovarianceLearnerMixin
from treatise.graphical.graph import UndirectedGraphMixin


class PCSkeleton(CovarianceLearnerMixin, UndirectedGraphMixin, BaseEstimator):
    """Gaussian graph by deleting pairs that some few neighbours make independent.

    From the complete graph a pair goes as soon as its partial correlation given some set of neighbours of one of its
    ends is not significant; sets grow from none to ``order`` variables. Use it for sparse graphs whose pairs are parted
    by few variables, or with a generous ``level`` to screen pairs for a finer method. Hubs and dense groups need sets
    larger than is affordable, and each of the many tests may err.

    With d the largest degree left after each round the cost is ``p^2 d^order`` tests. The sets of one round are drawn
    from the graph of the round before, so the order of the columns does not matter.

    Parameters
    ----------
    order : int, default=1
        Most variables to condition on.
    level : float, default=0.05
        Significance level of each test (Fisher's z).
    threshold : float or None, default=None
        A fixed size of partial correlations below which a pair goes, in place of ``level``.

    Attributes
    ----------
    adjacency_, edges_, edge_weights_ : ndarray
        The graph; the weight of an edge is the weakest partial correlation that it withstood.
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    n_tests_ : int
        Pairs tested, over all sizes of sets.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import PCSkeleton
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 4))
    >>> X[:, 1] += X[:, 0]; X[:, 2] += X[:, 1]
    >>> PCSkeleton(level=0.01).fit(X).edges_
    array([[0, 1],
           [1, 2]])

    References
    ----------
    .. [1] Paper v15-0147, section 6.
    """

    _parameter_constraints = {
        "order": [Interval(Integral, 0, None, closed="left")],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "threshold": [Interval(Real, 0, 1, closed="left"), None],
    }

    def __init__(self, order=1, *, level=0.05, threshold=None):
        self.order = order
        self.level = level
        self.threshold = threshold

    def _least_rows(self):
        return int(self.order) + 4

    def _learn(self, R, n_samples, scale, X):
        sizes = np.arange(self.order + 1)
        limits = (
            fisher_thresholds(n_samples, sizes, self.level)
            if self.threshold is None
            else np.full(len(sizes), float(self.threshold))
        )
        weakest, self.n_tests_ = skeleton(R, limits)
        self._set_graph(weakest, adjacency=weakest != 0)
        return self


def fisher_thresholds(n_samples, sizes, level):
    """Partial correlations given sets of some sizes that are just significant by Fisher's z.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    sizes : array-like of int
        Numbers of variables conditioned on.
    level : float
        Two-sided significance level.

    Returns
    -------
    thresholds : ndarray
    """
    return np.tanh(norm.isf(level / 2) / np.sqrt(np.maximum(n_samples - np.asarray(sizes) - 3, 1)))


def skeleton(R, limits, *, within=None):
    """Algorithm 4 on a correlation matrix: the weakest partial correlation of each pair that no set parted.

    Parameters
    ----------
    R : ndarray of shape (p, p)
        Correlations.
    limits : ndarray of shape (order + 1,)
        Size of a partial correlation given 0, 1, ... variables below which a pair goes.
    within : ndarray of bool of shape (p, p) or None, default=None
        The graph to start from; None takes the complete one.

    Returns
    -------
    weakest : ndarray of shape (p, p)
        Zero for pairs that went.
    n_tests : int
        Pairs tested.
    """
    p = len(R)
    joined = ~np.eye(p, dtype=bool) if within is None else np.array(within, dtype=bool)
    weakest, n_tests = np.where(joined, 2.0, 0.0), 0
    for size, limit in enumerate(limits):
        pairs = np.argwhere(np.triu(joined, 1))
        if size == 0:
            found = R[pairs[:, 0], pairs[:, 1]]
        else:
            starts, members = smaller_neighbourhoods(joined, pairs)
            found = weakest_partial_correlations(R, pairs, starts, members, size, float(limit))
        n_tests += int(np.count_nonzero(found != 2.0))
        i, j = pairs.T
        value = np.where(np.abs(found) < np.abs(weakest[i, j]), found, weakest[i, j])
        value = np.where(np.abs(value) < limit, 0.0, value)
        weakest[i, j] = weakest[j, i] = value
        joined = weakest != 0
    return weakest, n_tests


def weakest_within(R, pairs, graph, order):
    """The weakest partial correlation of pairs over all sets of up to ``order`` neighbours in a graph that stays.

    Parameters
    ----------
    R : ndarray of shape (p, p)
        Correlations.
    pairs : ndarray of int of shape (m, 2)
        The pairs.
    graph : ndarray of bool of shape (p, p)
        Where the neighbours come from.
    order : int
        Most variables to condition on.

    Returns
    -------
    weakest : ndarray of shape (m,)
    """
    starts, members = smaller_neighbourhoods(graph, pairs)
    weakest = R[pairs[:, 0], pairs[:, 1]]
    for size in range(1, order + 1):
        found = weakest_partial_correlations(R, pairs, starts, members, size, 0.0)
        weakest = np.where(np.abs(found) < np.abs(weakest), found, weakest)
    return weakest


def smaller_neighbourhoods(graph, pairs):
    """The neighbours of one end of each pair, of the end that has fewer, without the other end.

    Parameters
    ----------
    graph : ndarray of bool of shape (p, p)
        The graph.
    pairs : ndarray of int of shape (m, 2)
        The pairs.

    Returns
    -------
    starts : ndarray of int of shape (m + 1,)
    members : ndarray of int
        Those of pair k are ``members[starts[k]:starts[k + 1]]``.
    """
    degree = graph.sum(axis=1)
    i, j = pairs.T
    end, other = np.where(degree[i] <= degree[j], i, j), np.where(degree[i] <= degree[j], j, i)
    rows = graph[end]
    rows[np.arange(len(end)), other] = False
    starts = np.concatenate([[0], np.cumsum(rows.sum(axis=1))]).astype(np.int64)
    return starts, np.nonzero(rows)[1].astype(np.int64)
