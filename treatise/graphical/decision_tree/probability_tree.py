"""Probability trees of discrete columns, and the conjunctions they stand for (Lowd & Davis, sections 4.1 and 4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treatise._core.invariants import is_array, within
from treatise.graphical.decision_tree._probability_tree_loops import grow_tree, leaves_of_rows
from treatise.graphical.decision_tree.value_tests import (
    Feature,
    narrowed,
    packed_tests,
    splitting_tests,
    table_of_values,
)

CONVERSIONS = ("default", "prune", "prune10", "prune5", "nonzero")
_LONGEST = {"default": None, "prune": None, "prune10": 10, "prune5": 5, "nonzero": None}


@dataclass
class ProbabilityTree:
    """Distribution of one column of two or more values given tests of others.

    Parameters
    ----------
    target : int
        The column explained.
    variable : ndarray of int
        Column tested at each node, -1 in a leaf; node 0 is the root.
    when_true, when_false : ndarray of int
        Children where the tested column has the value tested for, and where it has another.
    counts : ndarray of int of shape (n_nodes, n_values of the target)
        Rows of each node with each value of the target.
    gain : ndarray of float
        What the split adds to the log-likelihood of the rows.
    value : ndarray of int or None, default=None
        Value tested for at each node; None tests for 1 everywhere.
    n_values : sequence of int or None, default=None
        Number of values of each column; None for two.
    """

    target: int
    variable: np.ndarray
    when_true: np.ndarray
    when_false: np.ndarray
    counts: np.ndarray
    gain: np.ndarray
    value: np.ndarray | None = None
    n_values: Sequence[int] | None = None

    def __post_init__(self):
        if self.value is None:
            self.value = np.ones(len(self.variable), dtype=np.int64)

    def _invariants(self):
        n_nodes = len(self.variable)
        own = np.arange(n_nodes)
        inner = self.variable >= 0
        for name in ("variable", "when_true", "when_false", "value"):
            yield (
                f"{name} has a number for each node",
                is_array(getattr(self, name), np.integer, n_nodes) and n_nodes > 0,
            )
        for name in ("when_true", "when_false"):
            child = getattr(self, name)
            yield f"{name} comes after its node", (child > own)[inner].all() and within(child[inner], 0, n_nodes)
        yield "nodes have counts", is_array(self.counts, np.integer, n_nodes, None) and within(self.counts, 0, np.inf)
        yield "nodes have a gain", is_array(self.gain, np.float64, n_nodes)

    @property
    def n_leaves(self):
        """Number of leaves."""
        return int((self.variable < 0).sum())

    def probabilities(self):
        """Share of each value at every node under a uniform Dirichlet prior; of two values, that of the second."""
        total = self.counts.sum(axis=1) + float(self.counts.shape[1])
        if self.counts.shape[1] == 2:
            return (self.counts[:, 1] + 1.0) / total
        return (self.counts + 1.0) / total[:, np.newaxis]

    def conditional_proba(self, X):
        """Probability of each value of the target in each row of codes; of two values, that of the second."""
        return self.probabilities()[self._leaves(X, 0.0)]

    def log_likelihood(self, X, kappa=1.0):
        """Sum over rows of the log-probability of the target, in the tree cut back to a price ``kappa``."""
        share = self.probabilities()[self._leaves(X, self._least_gain(kappa))]
        target = np.asarray(X)[:, self.target]
        if share.ndim == 1:
            return float(np.log(np.where(target > 0, share, 1.0 - share)).sum())
        return float(np.log(share[np.arange(len(share)), target.astype(np.int64)]).sum())

    def cut(self, kappa):
        """The tree that the same rows give for a smaller ``kappa``: greedy growth only stops earlier."""
        keep, pending = [], [0]
        while pending:
            node = pending.pop()
            keep.append(node)
            if self.variable[node] >= 0 and self.gain[node] > self._least_gain(kappa):
                pending += [self.when_false[node], self.when_true[node]]
        kept = np.array(keep)
        place = np.full(len(self.variable) + 1, -1)
        place[kept] = np.arange(len(kept))
        split = (self.variable[kept] >= 0) & (place[self.when_true[kept]] >= 0)
        return ProbabilityTree(
            self.target,
            np.where(split, self.variable[kept], -1),
            np.where(split, place[self.when_true[kept]], -1),
            np.where(split, place[self.when_false[kept]], -1),
            self.counts[kept],
            np.where(split, self.gain[kept], 0.0),
            self.value[kept],
            self.n_values,
        )

    def paths(self):
        """Node and its tests, one for each column tested on the way, for every node from the root on."""
        pending = [(0, ())]
        while pending:
            node, tests = pending.pop()
            yield node, tests
            if self.variable[node] >= 0:
                column, value = int(self.variable[node]), int(self.value[node])
                for equal, child in ((False, self.when_false[node]), (True, self.when_true[node])):
                    pending.append((int(child), narrowed(tests, column, value, equal, self._count(column))))

    def features(self, conversion="prune"):
        """Conjunctive features of the tree (section 4.2).

        Parameters
        ----------
        conversion : {"default", "prune", "prune10", "prune5", "nonzero"}, default="prune"
            "default" takes every leaf with every value of the target; "prune" every node; "prune10" and "prune5" those
            of "prune" with at most so many tests; "nonzero", for columns of two values, drops from "default" all tests
            of zero.

        Returns
        -------
        features : list of tuple of (column, value)
            Without duplicates and without the empty feature. Where a test holds at several of a column's values, they
            take the place of the one value as a tuple.
        """
        if conversion not in _LONGEST:
            raise ValueError(f"conversion={conversion!r} is unknown; choose one of {', '.join(CONVERSIONS)}")
        n_target = self.counts.shape[1]
        if conversion == "nonzero" and max(n_target, *(self.n_values if self.n_values is not None else (2,))) > 2:
            raise ValueError("conversion='nonzero' is for columns of two values; choose 'prune' for more")
        if n_target == 1:
            return []
        found: dict[Feature, None] = {}
        for node, path in self.paths():
            if self.variable[node] >= 0 and not conversion.startswith("prune"):
                continue
            for value in reversed(range(n_target)):
                tests = (*path, (self.target, value))
                if conversion == "nonzero":
                    tests = tuple(test for test in tests if test[1])
                longest = _LONGEST[conversion]
                if tests and (longest is None or len(tests) <= longest):
                    found[tuple(sorted(tests))] = None
        return list(found)

    def _leaves(self, X, least_gain):
        X = np.ascontiguousarray(X, dtype=np.uint8)
        return leaves_of_rows(X, self.variable, self.value, self.when_true, self.when_false, self.gain, least_gain)

    def _least_gain(self, kappa):
        """What a split must gain: it adds a leaf, with a parameter for every value of the target but one."""
        return -np.log(kappa) * (self.counts.shape[1] - 1)

    def _count(self, column):
        return 2 if self.n_values is None else int(self.n_values[column])


def grow_probability_trees(X, *, kappa=1.0, min_samples_leaf=10, n_values=None):
    """One probability tree for each column of a discrete table, on all other columns.

    Splits, on one value of a column against its others, are chosen by the gain in log-likelihood, counted by AND and
    popcount over bit-packed tests: a node costs O(tests) times the words of 64 rows that it touches, and the number of
    the target's values less one. A column of two values makes one test, one of k values k.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Codes 0, 1, 2, ... of the values of each column.
    kappa : float, default=1.0
        Prior of a parameter: a split is made where its gain exceeds ``-log(kappa)`` times the number of the target's
        values less one.
    min_samples_leaf : int, default=10
        Least rows of a leaf.
    n_values : sequence of int or None, default=None
        Number of values of each column; None takes the largest code of each column and one more, two at least.

    Returns
    -------
    trees : list of ProbabilityTree

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import grow_probability_trees
    >>> X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [40, 10, 10, 40], axis=0)
    >>> tree = grow_probability_trees(X)[1]
    >>> tree.features("default")
    [((0, 1), (1, 1)), ((0, 1), (1, 0)), ((0, 0), (1, 1)), ((0, 0), (1, 0))]

    References
    ----------
    .. [1] Paper v15-0501, Algorithm 2. Its test "best score > log kappa" is read as gain + log kappa > 0, the change of
       the log-posterior: as printed every split would pass.
    """
    X, n_values = table_of_values(X, n_values)
    if not 0 < kappa <= 1:
        raise ValueError(f"kappa={kappa} is no prior of a split; choose it above 0 and at most 1")
    tests = np.array(splitting_tests(n_values), dtype=np.int64).reshape(-1, 2)
    columns = packed_tests(X, tests.tolist())
    starts = np.searchsorted(tests[:, 0], np.arange(len(n_values) + 1))
    trees = []
    for i, k in enumerate(n_values):
        if k == 1:
            trees.append(_only_a_root(i, len(X), n_values))
            continue
        least_gain = -np.log(kappa) * (k - 1)
        test, *rest = grow_tree(columns, starts[i], starts[i + 1], k, len(X), min_samples_leaf, least_gain)
        variable = np.where(test >= 0, tests[test, 0], -1)
        trees.append(ProbabilityTree(i, variable, *rest, np.where(test >= 0, tests[test, 1], 1), n_values))
    return trees


def _only_a_root(target, n_rows, n_values):
    """The tree of a column of one value."""
    none = np.array([-1])
    return ProbabilityTree(target, none, none, none, np.array([[n_rows]]), np.zeros(1), None, n_values)
