"""Cost-complexity prunings of a fitted tree, and how each does on rows that the tree has not seen."""

from dataclasses import dataclass

import numpy as np

from treatise.ensemble.pruning._loops import cut_weakest_links
from treatise.ensemble.pruning.counted_tree import CountedTree, cut_tree
from treatise.ensemble.pruning.reduced_error import codes_of


@dataclass(frozen=True)
class NestedPrunings:
    """Prunings of a tree over the price of a leaf, each a part of those of lower price.

    Attributes
    ----------
    cut_at : ndarray of float of shape (n_nodes,)
        Price from which on a node is a leaf; infinite for leaves of the tree, and where a node above is cut first.
    prices : ndarray of float of shape (n_prunings,)
        Prices from which on each pruning is the best, never falling: zero for the whole tree.
    mistakes : ndarray of int of shape (n_prunings,)
        Of the rows that were given.
    """

    cut_at: np.ndarray
    prices: np.ndarray
    mistakes: np.ndarray

    @classmethod
    def of(cls, tree, X=None, y=None):
        """Those of a fitted tree, with their mistakes on rows that it was not grown on if there are any."""
        counted, nodes = CountedTree.of(tree), tree.tree_
        n = nodes.node_count
        wrong = np.zeros(n, dtype=np.int64)
        if X is not None:
            codes, n_classes = codes_of(tree, y)
            counts = counted.counts(tree, X, codes, n_classes)
            wrong = counts.sum(axis=1) - counts[np.arange(n), counted.labels]
        risk = nodes.impurity * nodes.weighted_n_node_samples / nodes.weighted_n_node_samples[0]
        cut_at, prices, sums = np.full(n, np.inf), np.empty(n), np.empty(n, dtype=np.int64)
        found = cut_weakest_links(counted.left, counted.right, risk, wrong, cut_at, prices, sums)
        return cls(cut_at, prices[:found].copy(), sums[:found].copy())

    def levels(self):
        """The different prices, and for each one between it and the next, by which another tree is judged."""
        prices = np.unique(self.prices)
        if len(prices) == 1:
            return prices, prices
        # From the last on nothing but the root is left, whatever the other tree asks for it.
        return prices, np.append(np.sqrt(prices[:-1] * prices[1:]), np.inf)

    def mistakes_at(self, prices):
        """Mistakes of the prunings that are the best at these prices."""
        return self.mistakes[np.searchsorted(self.prices, prices, side="right") - 1]

    def cut(self, tree, price):
        """The tree as it is best at a price."""
        leaves = (self.cut_at <= price) | (tree.tree_.children_left < 0)
        return cut_tree(tree, leaves.astype(np.uint8))
