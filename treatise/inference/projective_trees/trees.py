"""All projective dependency trees of a sentence, weighted arc by arc."""

from typing import NamedTuple

import numpy as np

from treatise.inference.projective_trees._best_loops import best_heads
from treatise.inference.projective_trees._sum_loops import tree_shares


class TreeMarginals(NamedTuple):
    """Probabilities of the parts of a tree, where a tree is as probable as its weight."""

    log_partition: float
    """Logarithm of the sum of the weights of all trees."""
    heads: np.ndarray
    """Of shape (n, n + 1): that word h is the head of word c at ``[c, h]``, that c is the root at ``[c, -1]``."""
    arcs: np.ndarray
    """Of shape (n, n, V): that h takes c after v other dependents on that side, at ``[h, c, v]``."""
    stops: np.ndarray
    """Of shape (n, 2, V): that h ends with v dependents on the left (0) or the right (1)."""


class ProjectiveTrees:
    """All projective trees over the words of a sentence: their sum, their arcs' probabilities, the heaviest of them.

    A tree has one root; every other word has a head, and no two arcs cross. A head takes the dependents on a side from
    the outermost inwards, and the weight of an arc may depend on how many were taken before. Use it for parsers that
    score arcs (one table of weights) and for grammars with valence; not for trees whose arcs may cross. Sums cost
    O(n^3 V) time and O(n^2 V) memory for n words and V valences.

    Parameters
    ----------
    log_arcs : array-like of shape (n, n) or (n, n, V)
        Logarithm of the weight of the arc from head h to dependent c at ``[h, c]``; with valence, after v other
        dependents on that side at ``[h, c, v]``, the last v standing for all larger numbers. Minus infinity forbids an
        arc; the diagonal does not count.
    log_roots : array-like of shape (n,) or None, default=None
        Logarithm of the weight of each word as the root; None is zero.
    log_stops : array-like of shape (n, 2, V) or None, default=None
        Logarithm of the weight of a word that ends with v dependents on its left (0) or right (1); None is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import ProjectiveTrees
    >>> trees = ProjectiveTrees(np.zeros((4, 4)))
    >>> round(np.exp(trees.marginals().log_partition))
    30
    >>> closer = -np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    >>> ProjectiveTrees(closer, [0, 0, 1, 0]).best_heads()
    array([ 1,  2, -1,  2])

    References
    ----------
    .. [1] Paper v12-0455, sections 2 and 5.3; Eisner, COLING 1996, for the charts of half spans.
    """

    def __init__(self, log_arcs, log_roots=None, log_stops=None):
        arcs = np.asarray(log_arcs, np.float64)
        arcs = arcs[:, :, np.newaxis] if arcs.ndim == 2 else arcs
        if arcs.ndim != 3 or arcs.shape[0] != arcs.shape[1] or 0 in arcs.shape:
            raise ValueError(
                f"log_arcs has the shape {np.shape(log_arcs)}; for a sentence of n words, at least one, it is "
                "(n, n) or (n, n, valences)"
            )
        n, _, V = arcs.shape
        self.log_arcs = np.ascontiguousarray(arcs)
        self.log_roots = _weights(log_roots, "log_roots", (n,))
        self.log_stops = _weights(log_stops, "log_stops", (n, 2, V))
        counted = self.log_arcs[~np.eye(n, dtype=bool)]
        for name, values in (("log_arcs", counted), ("log_roots", self.log_roots), ("log_stops", self.log_stops)):
            if np.isnan(values).any() or np.isposinf(values).any():
                raise ValueError(f"{name} holds NaN or infinity; weights are finite, and minus infinity forbids")

    def marginals(self):
        """Probability of each arc, root and stop.

        Returns
        -------
        marginals : TreeMarginals

        Raises
        ------
        ValueError
            Where the weights allow no tree.
        """
        n, _, V = self.log_arcs.shape
        roots, arcs, stops = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
        total = tree_shares(self.log_roots, self.log_arcs, self.log_stops, roots, arcs, stops)
        _require_tree(total)
        heads = np.column_stack([arcs.sum(axis=2).T, roots])
        return TreeMarginals(float(total), heads, arcs, stops)

    def best_heads(self):
        """The head of each word in the heaviest tree, -1 for the root.

        Returns
        -------
        heads : ndarray of int of shape (n,)

        Raises
        ------
        ValueError
            Where the weights allow no tree.
        """
        heads = np.empty(len(self.log_roots), np.int64)
        _require_tree(best_heads(self.log_roots, self.log_arcs, self.log_stops, heads))
        return heads


def _weights(values, name, shape):
    if values is None:
        return np.zeros(shape)
    values = np.ascontiguousarray(values, np.float64)
    if values.shape != shape:
        raise ValueError(f"{name} has the shape {values.shape}; beside these arcs it is {shape}")
    return values


def _require_tree(weight):
    if np.isneginf(weight):
        raise ValueError("the weights allow no tree: every way to join the words has an arc, root or stop forbidden")
