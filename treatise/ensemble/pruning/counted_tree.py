"""A fitted tree of scikit-learn with the classes of other rows counted at its nodes."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.tree._tree import Tree, _build_pruned_tree_py
from sklearn.utils.validation import check_is_fitted

from treatise.ensemble.pruning._loops import (
    cut_of_least,
    cut_of_tables,
    fill_tables,
    gather,
    least_costs,
    log_counts,
    widths_of,
)

_LARGEST_STRETCH = 100
"""Powers of two by which columns are stretched, of numbers in single precision."""


@dataclass(frozen=True)
class CountedTree:
    """The nodes of a tree, with mistakes as leaves.

    Attributes
    ----------
    left, right : ndarray of int of shape (n_nodes,)
        Children, -1 for none.
    labels : ndarray of int of shape (n_nodes,)
        Class of each node as a leaf, as a position in the tree's classes: that of most growing rows.
    grown : ndarray of int of shape (n_nodes,)
        Growing rows at the node that are not of its label; None where the tree was grown with weights.
    """

    left: np.ndarray
    right: np.ndarray
    labels: np.ndarray
    grown: np.ndarray | None

    @classmethod
    def of(cls, tree):
        """From a fitted classifier of one output."""
        if not isinstance(tree, BaseDecisionTree) or not hasattr(tree, "predict_proba"):
            raise TypeError(f"a fitted decision tree classifier of scikit-learn is pruned, not {type(tree).__name__}")
        check_is_fitted(tree)
        nodes = tree.tree_
        if nodes.n_outputs != 1:
            raise ValueError(f"the tree has {nodes.n_outputs} outputs; one is pruned at a time")
        shares = nodes.value[:, 0, :]
        labels = np.argmax(shares, axis=1)
        grown = None
        if np.array_equal(nodes.weighted_n_node_samples, nodes.n_node_samples):
            # Shares of the classes, and counts before scikit-learn 1.3.
            share = shares.max(axis=1) / shares.sum(axis=1)
            grown = nodes.n_node_samples - np.rint(share * nodes.n_node_samples).astype(np.int64)
        # Of 32 bits they would compile once more.
        left, right = nodes.children_left.astype(np.int64), nodes.children_right.astype(np.int64)
        return cls(left, right, labels, grown)

    def counts(self, tree, X, codes, n_classes, signs=None):
        """Rows of each class at every node, or the sum of their signs."""
        places = tree.apply(X) * n_classes + codes
        counts = np.bincount(places, signs, minlength=len(self.left) * n_classes)
        counts = np.ascontiguousarray(counts.reshape(-1, n_classes), dtype=np.int64)
        gather(self.left, self.right, counts)
        return counts

    def unpruned_errors(self):
        """Growing rows that the tree itself has wrong."""
        if self.grown is None:
            raise ValueError(
                "the tree was grown with weights, and k counts mistakes; grow it without sample_weight and class_weight"
            )
        return int(self.grown[self.left < 0].sum())

    def slack(self, k):
        """What a pruning may add to the growing mistakes of the tree itself."""
        unpruned = self.unpruned_errors()
        if k < unpruned:
            raise ValueError(
                f"k={k} is below the {unpruned} growing rows that the tree itself has wrong, so that no pruning is "
                f"left; give {unpruned} at least"
            )
        return k - unpruned

    def least(self, cost, link, k=None):
        """Least cost of a pruning, and its leaves; with at most k mistakes on the growing rows if k is given."""
        leaves = np.zeros(len(self.left), dtype=np.uint8)
        if k is None:
            best = np.empty(len(cost), dtype=np.int64)
            least_costs(self.left, self.right, cost, link, best)
            cut_of_least(self.left, self.right, cost, best, leaves)
            return int(best[0]), leaves
        slack = self.slack(k)
        extra, width = np.empty(len(cost), dtype=np.int64), np.empty(len(cost), dtype=np.int64)
        widths_of(self.left, self.right, self.grown, slack, extra, width)
        starts = np.concatenate([[0], np.cumsum(width)])
        table = np.empty(starts[-1], dtype=np.int64)
        fill_tables(self.left, self.right, cost, link, extra, width, starts, table)
        cut_of_tables(self.left, self.right, cost, link, extra, width, starts, table, slack, leaves)
        return int(table[min(slack, width[0] - 1)]), leaves

    def log_prunings(self):
        """Logarithm of the number of prunings."""
        found = np.empty(len(self.left))
        log_counts(self.left, self.right, found)
        return float(found[0])


def cut_tree(tree, leaves):
    """A copy of a fitted tree that ends at some of its nodes."""
    nodes = tree.tree_
    cut = Tree(nodes.n_features, np.atleast_1d(nodes.n_classes).astype(np.intp), nodes.n_outputs)
    _build_pruned_tree_py(cut, nodes, leaves)
    # As what it is: clone would give it back unfitted.
    pruned = DecisionTreeClassifier.__new__(type(tree))
    pruned.__dict__.update(vars(tree))
    pruned.tree_ = cut
    return pruned


def grown_in_any_unit(tree, X, y):
    """A tree fitted to rows whose columns may have the smallest units.

    scikit-learn takes values for equal that differ by 1e-7 or less, whatever a column's unit: columns of numbers below
    one are stretched by a power of two while it grows, which rounds nothing.
    """
    sizes = abs(X).max(axis=0).toarray().ravel() if sparse.issparse(X) else np.fmax.reduce(np.abs(X), axis=0)
    small = (sizes > 0) & (sizes < 1)
    if not small.any():
        return tree.fit(X, y)
    stretch = np.zeros(len(sizes), dtype=np.int64)
    stretch[small] = np.minimum(-np.floor(np.log2(sizes[small])), _LARGEST_STRETCH).astype(np.int64)
    factors = np.ldexp(1.0, stretch)
    single = factors.astype(X.dtype)
    tree.fit(sparse.csr_matrix(X @ sparse.diags(single)) if sparse.issparse(X) else X * single, y)
    nodes = tree.tree_
    inner = np.flatnonzero(nodes.children_left >= 0)
    nodes.threshold[inner] /= factors[nodes.feature[inner]]
    return tree
