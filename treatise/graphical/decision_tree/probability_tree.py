"""Probability trees of binary columns, and the conjunctions they stand for (Lowd & Davis, sections 4.1 and 4.2)."""

from dataclasses import dataclass

import numpy as np

from treatise._core.invariants import is_array, within
from treatise.graphical.decision_tree._probability_tree_loops import grow_tree, leaves_of_rows

CONVERSIONS = ("default", "prune", "prune10", "prune5", "nonzero")
_LONGEST = {"default": None, "prune": None, "prune10": 10, "prune5": 5, "nonzero": None}

Feature = tuple[tuple[int, int], ...]
"""Tests (column, value) in the order of the columns; the feature is 1 where all of them hold."""


@dataclass
class ProbabilityTree:
    """Distribution of one binary column given tests of others.

    Parameters
    ----------
    target : int
        The column explained.
    variable : ndarray of int
        Column tested at each node, -1 in a leaf; node 0 is the root.
    when_true, when_false : ndarray of int
        Children where the tested column is 1, and 0.
    counts : ndarray of int of shape (n_nodes, 2)
        Rows of each node with target 0 and 1.
    gain : ndarray of float
        What the split adds to the log-likelihood of the rows.
    """

    target: int
    variable: np.ndarray
    when_true: np.ndarray
    when_false: np.ndarray
    counts: np.ndarray
    gain: np.ndarray

    def _invariants(self):
        n_nodes = len(self.variable)
        own = np.arange(n_nodes)
        inner = self.variable >= 0
        for name in ("variable", "when_true", "when_false"):
            yield (
                f"{name} has a number for each node",
                is_array(getattr(self, name), np.integer, n_nodes) and n_nodes > 0,
            )
        for name in ("when_true", "when_false"):
            child = getattr(self, name)
            yield f"{name} comes after its node", (child > own)[inner].all() and within(child[inner], 0, n_nodes)
        yield "nodes have counts", is_array(self.counts, np.integer, n_nodes, 2) and within(self.counts, 0, np.inf)
        yield "nodes have a gain", is_array(self.gain, np.float64, n_nodes)

    @property
    def n_leaves(self):
        """Number of leaves."""
        return int((self.variable < 0).sum())

    def probabilities(self):
        """Share of ones at every node under a uniform Dirichlet prior."""
        return (self.counts[:, 1] + 1.0) / (self.counts.sum(axis=1) + 2.0)

    def conditional_proba(self, X):
        """Probability that the target is 1 in each row of zeros and ones."""
        return self.probabilities()[self._leaves(X, 0.0)]

    def log_likelihood(self, X, kappa=1.0):
        """Sum over rows of the log-probability of the target, in the tree cut back to a price ``kappa``."""
        ones = self.probabilities()[self._leaves(X, -np.log(kappa))]
        return float(np.log(np.where(X[:, self.target] > 0, ones, 1.0 - ones)).sum())

    def cut(self, kappa):
        """The tree that the same rows give for a smaller ``kappa``: greedy growth only stops earlier."""
        keep, pending = [], [0]
        while pending:
            node = pending.pop()
            keep.append(node)
            if self.variable[node] >= 0 and self.gain[node] > -np.log(kappa):
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
        )

    def paths(self):
        """Node and its tests, for every node from the root on."""
        pending = [(0, ())]
        while pending:
            node, tests = pending.pop()
            yield node, tests
            if self.variable[node] >= 0:
                column = int(self.variable[node])
                pending.append((int(self.when_false[node]), (*tests, (column, 0))))
                pending.append((int(self.when_true[node]), (*tests, (column, 1))))

    def features(self, conversion="prune"):
        """Conjunctive features of the tree (section 4.2).

        Parameters
        ----------
        conversion : {"default", "prune", "prune10", "prune5", "nonzero"}, default="prune"
            "default" takes every leaf with every value of the target; "prune" every node; "prune10" and "prune5" those
            of "prune" with at most so many tests; "nonzero" drops from "default" all tests of zero.

        Returns
        -------
        features : list of tuple of (column, value)
            Without duplicates and without the empty feature.
        """
        if conversion not in _LONGEST:
            raise ValueError(f"conversion={conversion!r} is unknown; choose one of {', '.join(CONVERSIONS)}")
        found: dict[Feature, None] = {}
        for node, path in self.paths():
            if self.variable[node] >= 0 and not conversion.startswith("prune"):
                continue
            for value in (1, 0):
                tests = (*path, (self.target, value))
                if conversion == "nonzero":
                    tests = tuple(test for test in tests if test[1])
                longest = _LONGEST[conversion]
                if tests and (longest is None or len(tests) <= longest):
                    found[tuple(sorted(tests))] = None
        return list(found)

    def _leaves(self, X, least_gain):
        X = np.ascontiguousarray(X, dtype=np.uint8)
        return leaves_of_rows(X, self.variable, self.when_true, self.when_false, self.gain, least_gain)


def grow_probability_trees(X, *, kappa=1.0, min_samples_leaf=10):
    """One probability tree for each column of a binary table, on all other columns.

    Splits are chosen by the gain in log-likelihood, counted by AND and popcount over bit-packed columns: a node costs
    O(p) times the words of 64 rows that it touches. Not for tables of more than two values.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones.
    kappa : float, default=1.0
        Prior of a split: it is made where its gain exceeds ``-log(kappa)``.
    min_samples_leaf : int, default=10
        Least rows of a leaf.

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
    X = np.asarray(X)
    if X.ndim != 2 or not np.isin(X, (0, 1)).all():
        raise ValueError("X must be a table of zeros and ones")
    if not 0 < kappa <= 1:
        raise ValueError(f"kappa={kappa} is no prior of a split; choose it above 0 and at most 1")
    columns = pack_columns(X)
    return [
        ProbabilityTree(i, *grow_tree(columns, i, len(X), min_samples_leaf, -np.log(kappa))) for i in range(X.shape[1])
    ]


def pack_columns(X):
    """Columns of zeros and ones as words of 64 rows, the bits beyond the last row zero."""
    packed = np.packbits(np.ascontiguousarray(X.T, dtype=np.uint8), axis=1, bitorder="little")
    words = -(-packed.shape[1] // 8)
    padded = np.zeros((len(packed), 8 * words), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)
