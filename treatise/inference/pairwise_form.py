"""A factor graph as flat arrays of variables and edges, which compiled loops take."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from treatise._core.jit import compiled


@dataclass(frozen=True)
class PairwiseForm:
    """Unary scores and edge tables, end to end, whatever the numbers of states.

    Variable s has its scores at ``unary[offset[s]:offset[s + 1]]``; edge e couples ``edges[e]`` by the table of rows
    (first end) and columns (second end) at ``pairs[pair_offset[e]:pair_offset[e + 1]]``. A factor of more than two
    variables becomes a variable of its own, whose states are the factor's joint states, tied to each of the factor's
    variables by a table of 0 and -inf; messages then are those of the factor graph.

    ``places`` says where each factor went: ``("constant",)``, ``("node", v)`` or ``("edge", e, swapped)``.
    """

    n_variables: int
    constant: float
    offset: np.ndarray
    unary: np.ndarray
    edges: np.ndarray
    pair_offset: np.ndarray
    pairs: np.ndarray
    places: tuple[tuple, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, graph, *, max_order=None, method=""):
        """The form of a graph; factors of more than ``max_order`` variables are an error."""
        n_states = [int(k) for k in graph.n_states]
        unary = [np.zeros(k) for k in n_states]
        tables: dict[tuple[int, int], np.ndarray] = {}
        numbers: dict[tuple[int, int], int] = {}
        constant, places = 0.0, []

        def couple(s, t, table):
            swapped = s > t
            pair = (t, s) if swapped else (s, t)
            table = table.T if swapped else table
            tables[pair] = tables[pair] + table if pair in tables else table
            return ("edge", numbers.setdefault(pair, len(numbers)), swapped)

        for factor in graph.factors:
            if len(factor.variables) == 0:
                constant += float(factor.table)
                places.append(("constant",))
            elif len(factor.variables) == 1:
                unary[factor.variables[0]] = unary[factor.variables[0]] + factor.table
                places.append(("node", factor.variables[0]))
            elif len(factor.variables) == 2:
                places.append(couple(*factor.variables, factor.table))
            elif max_order is not None and len(factor.variables) > max_order:
                raise ValueError(f"{method} takes factors of at most {max_order} variables; "
                                 f"one couples {len(factor.variables)}: {factor.variables}")  # fmt: skip
            else:
                joint = len(unary)
                unary.append(factor.table.ravel())
                states = np.unravel_index(np.arange(factor.table.size), factor.table.shape)
                for axis, v in enumerate(factor.variables):
                    agrees = np.arange(n_states[v])[:, None] == states[axis]
                    couple(v, joint, np.where(agrees, 0.0, -np.inf))
                places.append(("node", joint))
        return cls(
            n_variables=len(graph),
            constant=constant,
            offset=_ends([len(scores) for scores in unary]),
            unary=_flat(unary),
            edges=np.array(list(tables), np.int64).reshape(-1, 2),
            pair_offset=_ends([table.size for table in tables.values()]),
            pairs=_flat([table.ravel() for table in tables.values()]),
            places=tuple(places),
            shapes=tuple(factor.table.shape for factor in graph.factors),
        )

    @property
    def n_nodes(self):
        """Variables, with those that stand for factors."""
        return len(self.offset) - 1

    @cached_property
    def sizes(self):
        """Number of states of each variable."""
        return np.diff(self.offset)

    @cached_property
    def incidence(self):
        """The edges at each variable: ``first`` of shape (n + 1,) into ``incident``, which holds 2 e + end."""
        ends = self.edges.ravel()
        return _ends(np.bincount(ends, minlength=self.n_nodes)), np.argsort(ends, kind="stable")

    @cached_property
    def message_offset(self):
        """Place of message 2 e + end, the one into that end of edge e."""
        return _ends(self.sizes[self.edges.ravel()])

    @cached_property
    def n_components(self):
        """Number of connected parts."""
        links = coo_array((np.ones(len(self.edges)), tuple(self.edges.T)), shape=(self.n_nodes, self.n_nodes))
        return connected_components(links, directed=False)[0] if self.n_nodes else 0

    @property
    def is_forest(self):
        """Whether the edges close no loop."""
        return len(self.edges) == self.n_nodes - self.n_components

    @cached_property
    def order(self):
        """Variables, neighbours after one another: in a forest every one has at most one neighbour before it."""
        return breadth_first(self.edges, *self.incidence)

    def part(self, nodes, edges):
        """The form of some variables and some edges among them."""
        new = np.full(self.n_nodes, -1)
        new[nodes] = np.arange(len(nodes))
        return PairwiseForm(
            n_variables=len(nodes),
            constant=0.0,
            offset=_ends(self.sizes[nodes]),
            unary=_flat([self.unary[self.offset[s] : self.offset[s + 1]] for s in nodes]),
            edges=new[self.edges[edges]].reshape(-1, 2),
            pair_offset=_ends(np.diff(self.pair_offset)[edges]),
            pairs=_flat([self.pairs[self.pair_offset[e] : self.pair_offset[e + 1]] for e in edges]),
        )

    def by_node(self, flat):
        """Flat values of the model's own variables, one array for each."""
        return tuple(flat[self.offset[v] : self.offset[v + 1]].copy() for v in range(self.n_variables))

    def by_factor(self, nodes, pairs):
        """Flat probabilities of variables and of edges, in the shapes of the factors' tables."""
        found = []
        for place, shape in zip(self.places, self.shapes):
            if place[0] == "constant":
                found.append(np.ones(()))
            elif place[0] == "node":
                found.append(nodes[self.offset[place[1]] : self.offset[place[1] + 1]].reshape(shape).copy())
            else:
                _, e, swapped = place
                table = pairs[self.pair_offset[e] : self.pair_offset[e + 1]].reshape(shape[::-1] if swapped else shape)
                found.append((table.T if swapped else table).copy())
        return tuple(found)


def _ends(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _flat(arrays):
    return np.ascontiguousarray(np.concatenate(arrays)) if len(arrays) else np.zeros(0)


@compiled
def breadth_first(edges, first, incident):
    """The variables, part after part of the graph, each part from its first variable outwards."""
    n = len(first) - 1
    order = np.empty(n, np.int64)
    seen = np.zeros(n, np.bool_)
    filled = 0
    for root in range(n):
        if seen[root]:
            continue
        seen[root] = True
        order[filled] = root
        head = filled
        filled += 1
        while head < filled:
            s = order[head]
            head += 1
            for i in range(first[s], first[s + 1]):
                t = edges[incident[i] // 2, 1 - (incident[i] & 1)]
                if not seen[t]:
                    seen[t] = True
                    order[filled] = t
                    filled += 1
    return order
