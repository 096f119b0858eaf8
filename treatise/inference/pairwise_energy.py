"""Energies of discrete variables coupled in pairs, as MAP solvers take them."""

from functools import cached_property

import numpy as np

from treatise._core.jit import compiled


class PairwiseEnergy:
    """Sum of a cost for the label of each variable and a weighted cost for the labels of each edge.

    The energy of the labels f is ``sum_a unary[a, f_a] + sum_e weights[e] * table[f_tail(e), f_head(e)]``: the negative
    logarithm of the density of a Markov random field, up to a constant. Evaluating it costs one step a variable and an
    edge.

    Parameters
    ----------
    unary : array-like of shape (n_variables, n_labels)
        Cost of each label; finite, of any sign.
    edges : array-like of shape (n_edges, 2)
        Pairs of coupled variables. An edge given twice counts twice.
    weights : array-like of shape (n_edges,), float or None
        Weight of each edge, not negative; None is 1 for all.
    table : array-like of shape (n_labels, n_labels)
        Cost of two labels at the ends of an edge of weight 1.

    Examples
    --------
    >>> from treatise.inference import PairwiseEnergy
    >>> energy = PairwiseEnergy([[0, 2], [3, 0]], [[0, 1]], 1.5, [[0, 1], [1, 0]])
    >>> energy([0, 1]), energy([0, 0])
    (1.5, 3.0)
    """

    def __init__(self, unary, edges, weights, table):
        unary = np.ascontiguousarray(unary, float)
        if unary.ndim != 2 or 0 in unary.shape:
            raise ValueError(f"unary must be a table of variables and labels; its shape is {unary.shape}")
        if not np.all(np.isfinite(unary)):
            raise ValueError("unary holds NaN or infinity; give a forbidden label a large finite cost")
        self.unary = unary
        self.n_variables, self.n_labels = unary.shape
        self.tails, self.heads = _edge_ends(edges, self.n_variables)
        self.weights = _edge_weights(weights, len(self.tails))
        table = np.ascontiguousarray(table, float)
        if table.shape != (self.n_labels,) * 2:
            raise ValueError(
                f"the table of pairs has shape {table.shape}; it must be {self.n_labels} x {self.n_labels}"
            )
        if not np.all(np.isfinite(table)):
            raise ValueError("the table of pairs holds NaN or infinity; give a forbidden pair a large finite cost")
        self.table = table

    def __call__(self, labels):
        """Energy of one label for each variable."""
        labels = self.checked_labels(labels)
        return float(labelling_energy(labels, self.unary, self.tails, self.heads, self.weights, self.table))

    def checked_labels(self, labels):
        """The labelling as integers of its own, or an error that says what is wrong with it."""
        found = np.array(labels)
        if found.shape != (self.n_variables,) or not np.issubdtype(found.dtype, np.integer):
            raise ValueError(
                f"a labelling is {self.n_variables} integers; this one has shape {found.shape}, type {found.dtype}"
            )
        if len(found) and not 0 <= found.min() <= found.max() < self.n_labels:
            bad = int(found.min() if found.min() < 0 else found.max())
            raise ValueError(f"the label {bad} does not exist; labels run from 0 to {self.n_labels - 1}")
        return found.astype(np.int64)

    @cached_property
    def neighbours(self):
        """Per variable, see :func:`arrange_neighbours`: beginnings, neighbours, edges, twin entries."""
        return arrange_neighbours(self.n_variables, self.tails, self.heads)


def _edge_ends(edges, n_variables):
    edges = np.asarray(edges)
    edges = edges.reshape(0, 2).astype(int) if edges.size == 0 else edges
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise ValueError(f"edges must be pairs of integers; their shape is {edges.shape}, their type {edges.dtype}")
    if len(edges) and not 0 <= edges.min() <= edges.max() < n_variables:
        bad = int(edges.min() if edges.min() < 0 else edges.max())
        raise ValueError(f"an edge names the variable {bad}; variables run from 0 to {n_variables - 1}")
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        raise ValueError(f"edge {loops[0]} joins variable {edges[loops[0], 0]} to itself; put its cost into unary")
    return (np.ascontiguousarray(ends, np.int64) for ends in edges.T)


def _edge_weights(weights, n_edges):
    weights = np.asarray(1.0 if weights is None else weights, float)
    weights = np.full(n_edges, weights) if weights.ndim == 0 else np.ascontiguousarray(weights)
    if weights.shape != (n_edges,):
        raise ValueError(f"weights must hold one number for each of {n_edges} edges; their shape is {weights.shape}")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"the weight {bad:g} is negative, infinite or NaN; weights of edges are at least 0")
    return weights


@compiled
def labelling_energy(labels, unary, tails, heads, weights, table):
    """Cost of the labels of all variables plus weighted cost of the pairs of labels on all edges."""
    total = 0.0
    for a in range(len(labels)):
        total += unary[a, labels[a]]
    for e in range(len(tails)):
        total += weights[e] * table[labels[tails[e]], labels[heads[e]]]
    return total


@compiled
def arrange_neighbours(n, tails, heads):
    """For each variable its neighbours in the order of the edges.

    Returns where each variable's entries begin; their neighbours; their edges; and the entry of the same edge at its
    other end.
    """
    begin = np.zeros(n + 1, np.int64)
    for e in range(len(tails)):
        begin[tails[e] + 1] += 1
        begin[heads[e] + 1] += 1
    for a in range(n):
        begin[a + 1] += begin[a]
    free = begin[:-1].copy()
    neighbour = np.empty(2 * len(tails), np.int64)
    edge = np.empty(2 * len(tails), np.int64)
    twin = np.empty(2 * len(tails), np.int64)
    for e in range(len(tails)):
        i = free[tails[e]]
        free[tails[e]] += 1
        j = free[heads[e]]
        free[heads[e]] += 1
        neighbour[i], neighbour[j] = heads[e], tails[e]
        edge[i], edge[j] = e, e
        twin[i], twin[j] = j, i
    return begin, neighbour, edge, twin
