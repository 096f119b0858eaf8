"""Exact inference by junction trees, on graphs that a good order of elimination keeps narrow."""

import heapq
from copy import copy
from math import prod

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from sklearn.utils import check_random_state

from treatise.inference.factor_graph import marginal_of
from treatise.inference.map_result import MAPResult
from treatise.inference.marginals import Marginals


class JunctionTree:
    """A model arranged as a tree of overlapping cliques, which answers every query exactly.

    The graph is triangulated by eliminating, again and again, the variable whose neighbours lack the fewest edges among
    them (min-fill); where sweeping along the graph (Cuthill-McKee order) gives smaller tables, as on long grids, that
    is done instead. Time and memory are those of the largest clique's table: trees, ladders, narrow grids (up to about
    20 rows of binary variables) and sparse networks are easy, a complete graph is hopeless, and the constructor says so
    before it allocates anything. Build it once and ask with different evidence. For plain trees of many thousands of
    variables :func:`belief_propagation` is exact too, in compiled loops.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    max_table : int, default=2**24
        Most joint states of a clique (2**24 are 128 MiB a table).

    Attributes
    ----------
    cliques : list of tuple of int
        Variables of each clique, ascending.
    edges : list of (int, int)
        Edges of the tree (forest) of cliques, each from a clique to its parent.
    separators : list of tuple of int
        Variables that the two cliques of each edge share.
    width : int
        Size of the largest clique less one.

    Raises
    ------
    ValueError
        If a clique would have more than ``max_table`` joint states.

    Examples
    --------
    >>> from treatise.inference import FactorGraph, JunctionTree
    >>> square = [[0, 1], [1, 2], [2, 3], [3, 0]]
    >>> tree = JunctionTree(FactorGraph.ising([0.5, 0, 0, 0], square, [0.3, 0.3, 0.3, 0.3]))
    >>> tree.cliques, tree.width
    ([(0, 1, 3), (1, 2, 3)], 2)
    >>> round(tree.log_partition(), 6)
    3.077242
    >>> tree.marginals(evidence={2: 0}).nodes[0].round(3)
    array([0.341, 0.659])
    """

    def __init__(self, graph, *, max_table=2**24):
        self.graph = graph
        self.cliques = _triangulate(graph, max_table)
        self.edges, self.separators = _clique_forest(self.cliques)
        check_running_intersection(self.cliques, self.edges)
        self.width = max(map(len, self.cliques), default=0) - 1
        self._parent = dict(self.edges)
        self._separator = {child: separator for (child, _), separator in zip(self.edges, self.separators)}
        self._order = _parents_first(len(self.cliques), self._parent)
        self._home = self._assign_factors()

    def _assign_factors(self):
        """For each factor the smallest clique that holds its variables."""
        holders: dict[int, set[int]] = {}
        for c, clique in enumerate(self.cliques):
            for v in clique:
                holders.setdefault(v, set()).add(c)
        sizes = [self._size(clique) for clique in self.cliques]
        homes = []
        for factor in self.graph.factors:
            fitting = set.intersection(*(holders[v] for v in factor.variables)) if factor.variables else set()
            homes.append(min(fitting, key=lambda c: (sizes[c], c)) if fitting else -1)
        self._holder = {v: min(cs, key=lambda c: (sizes[c], c)) for v, cs in holders.items()}
        return homes

    def _size(self, clique):
        return prod(int(self.graph.n_states[v]) for v in clique)

    def _potentials(self, evidence):
        """Tables of the cliques with their factors and the evidence in them, and the sum of the constant factors."""
        n_states = self.graph.n_states
        tables = [np.zeros(tuple(n_states[list(clique)])) for clique in self.cliques]
        constant = 0.0
        for factor, home in zip(self.graph.factors, self._home):
            if home < 0:
                constant += float(factor.table)
            else:
                tables[home] += _spread(factor.table, factor.variables, self.cliques[home])
        for v, state in (evidence or {}).items():
            if not 0 <= v < len(self.graph) or not 0 <= state < n_states[v]:
                raise ValueError(f"evidence {v}: {state} names no state of a variable of this model")
            only = np.full(n_states[v], -np.inf)
            only[state] = 0.0
            tables[self._holder[v]] += _spread(only, (v,), self.cliques[self._holder[v]])
        return tables, constant

    def _collect(self, evidence, reduce):
        """Pass messages from the leaves to the roots.

        Returns the tables with all messages from below, those messages, and the total: the log sum over all joint
        states, or the score of the best one.
        """
        tables, total = self._potentials(evidence)
        upward = {}
        for c in reversed(self._order):
            if c in self._parent:
                separator, parent = self._separator[c], self._parent[c]
                upward[c] = _reduced(tables[c], self.cliques[c], separator, reduce)
                tables[parent] += _spread(upward[c], separator, self.cliques[parent])
            else:
                total += float(reduce(tables[c]))
        if total == -np.inf:
            raise ValueError("no joint state is possible: the scores of -inf, or the evidence, exclude every one")
        return tables, upward, total

    def with_tables(self, graph):
        """The same tree for a model with the same variables and factors but other scores, as learning needs.

        Parameters
        ----------
        graph : FactorGraph
            Its factors couple the same variables in the same order.

        Returns
        -------
        tree : JunctionTree
        """
        same = np.array_equal(graph.n_states, self.graph.n_states) and len(graph.factors) == len(self.graph.factors)
        if not same or any(f.variables != g.variables for f, g in zip(graph.factors, self.graph.factors)):
            raise ValueError("the model has other variables or factors than the one that the tree was built for")
        tree = copy(self)
        tree.graph = graph
        return tree

    def log_partition(self, *, evidence=None):
        """Logarithm of the sum over all joint states that agree with the evidence.

        Parameters
        ----------
        evidence : dict of int to int or None, default=None
            Observed state of each observed variable.

        Returns
        -------
        log_partition : float
        """
        return self._collect(evidence, _log_sum)[2]

    def marginals(self, *, evidence=None):
        """Exact probabilities of variables and factors.

        Parameters
        ----------
        evidence : dict of int to int or None, default=None
            Observed state of each observed variable.

        Returns
        -------
        marginals : Marginals
        """
        tables, upward, log_partition = self._collect(evidence, _log_sum)
        for c in self._order:
            if c in self._parent:
                separator, parent = self._separator[c], self._parent[c]
                whole = _reduced(tables[parent], self.cliques[parent], separator, _log_sum)
                # What c already told its parent is taken out; what is impossible for the parent stays so.
                downward = whole - np.where(np.isinf(whole), 0.0, upward[c])
                tables[c] += _spread(downward, separator, self.cliques[c])
        for c, table in enumerate(tables):
            tables[c] = np.exp(table - _log_sum(table))
        nodes, factors = [], []
        for v in range(len(self.graph)):
            home = self._holder[v]
            nodes.append(marginal_of(tables[home], self.cliques[home], (v,)))
        for factor, home in zip(self.graph.factors, self._home):
            factors.append(np.ones(()) if home < 0 else marginal_of(tables[home], self.cliques[home], factor.variables))
        return Marginals(log_partition, "exact", tuple(nodes), tuple(factors), 1, True)

    def best_assignment(self, *, evidence=None):
        """The most probable assignment.

        Parameters
        ----------
        evidence : dict of int to int or None, default=None
            Observed state of each observed variable.

        Returns
        -------
        result : MAPResult
            Its lower bound is its energy, minus the score: nothing is more probable.
        """
        tables, _, _ = self._collect(evidence, np.max)
        labels = np.zeros(len(self.graph), np.int64)
        for c in self._order:
            known = self._separator.get(c, ())
            free = tuple(v for v in self.cliques[c] if v not in known)
            table = tables[c][tuple(labels[v] if v in known else slice(None) for v in self.cliques[c])]
            labels[list(free)] = np.unravel_index(np.argmax(table), table.shape)
        energy = float(self.graph.energy(labels))
        return MAPResult(labels, energy, energy, np.array([energy]), 1)

    def sample(self, n_samples=1, *, evidence=None, random_state=None):
        """Independent assignments drawn from the distribution.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        evidence : dict of int to int or None, default=None
            Observed state of each observed variable.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.

        Returns
        -------
        assignments : ndarray of int of shape (n_samples, n)
        """
        random = check_random_state(random_state)
        tables, _, _ = self._collect(evidence, _log_sum)
        drawn = np.zeros((n_samples, len(self.graph)), np.int64)
        for c in self._order:
            clique, known = self.cliques[c], self._separator.get(c, ())
            free = tuple(v for v in clique if v not in known)
            shape = tuple(self.graph.n_states[list(known)])
            rows = tables[c].transpose([clique.index(v) for v in known + free]).reshape(prod(shape), -1)
            row = np.ravel_multi_index(tuple(drawn[:, v] for v in known), shape) if known else np.zeros(n_samples, int)
            needed, row = np.unique(row, return_inverse=True)
            conditional = np.exp(rows[needed] - rows[needed].max(axis=1, keepdims=True))
            cumulative = np.cumsum(conditional, axis=1)
            at = random.uniform(size=n_samples) * cumulative[row, -1]
            # One search over all rows: each is moved beyond the end of the one before it.
            starts = np.concatenate([[0.0], np.cumsum(cumulative[:, -1])[:-1]])
            place = np.searchsorted((cumulative + starts[:, None]).ravel(), at + starts[row], side="right")
            state = np.clip(place - row * cumulative.shape[1], 0, cumulative.shape[1] - 1)
            drawn[:, list(free)] = np.transpose(np.unravel_index(state, tuple(self.graph.n_states[list(free)])))
        return drawn


def check_running_intersection(cliques, edges):
    """Raise unless every variable's cliques form one connected part of the forest.

    In a forest they do when they outnumber by one the edges both of whose cliques hold the variable.
    """
    surplus: dict[int, int] = {}
    for clique in cliques:
        for v in clique:
            surplus[v] = surplus.get(v, 0) + 1
    for a, b in edges:
        for v in set(cliques[a]) & set(cliques[b]):
            surplus[v] -= 1
    broken = [v for v, count in surplus.items() if count != 1]
    if broken:
        raise ValueError(f"the cliques of variable {broken[0]} are not connected: this is no junction tree")


def _triangulate(graph, max_table):
    """Maximal cliques of the triangulation with the smaller tables: by min-fill, or along the graph."""

    def sizes(cliques):
        return [prod(int(graph.n_states[v]) for v in clique) for clique in cliques]

    cliques = min((_min_fill_cliques(graph), _sweep_cliques(graph)), key=lambda found: sum(sizes(found)))
    largest, widest = max(zip(sizes(cliques), map(len, cliques)), default=(0, 0))
    if largest > max_table:
        raise ValueError(
            f"the largest clique would couple {widest} variables with {largest:.3g} joint states, "
            f"more than max_table={max_table}; take belief_propagation, mean_field or tree_reweighted instead"
        )
    return _maximal(cliques)


def _min_fill_cliques(graph):
    """Cliques of eliminating variables by least fill; the smaller table first where that is equal."""
    neighbors = graph.neighbors()
    log_states = np.log(graph.n_states.astype(float))

    def cost(v):
        around = neighbors[v]
        linked = sum(len(neighbors[u] & around) for u in around) // 2
        size = log_states[v] + sum(log_states[u] for u in around)
        return len(around) * (len(around) - 1) // 2 - linked, round(size, 9), v

    current = {v: cost(v) for v in range(len(graph))}
    heap = list(current.values())
    heapq.heapify(heap)
    cliques = []
    while heap:
        entry = heapq.heappop(heap)
        v = entry[2]
        if current.get(v) != entry:
            continue
        del current[v]
        clique, touched = _eliminate(v, neighbors)
        cliques.append(clique)
        for u in touched:
            new = cost(u)
            if new != current[u]:
                current[u] = new
                heapq.heappush(heap, new)
    return cliques


def _sweep_cliques(graph):
    """Cliques of eliminating variables in the reverse Cuthill-McKee order, which keeps the frontier narrow."""
    neighbors = graph.neighbors()
    columns = [sorted(around) for around in neighbors]
    starts = np.concatenate([[0], np.cumsum([len(around) for around in columns])])
    flat = np.array([u for around in columns for u in around], np.int64)
    matrix = csr_array((np.ones(len(flat)), flat, starts), shape=(len(graph), len(graph)))
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True) if len(flat) else range(len(graph))
    return [_eliminate(int(v), neighbors)[0] for v in order]


def _eliminate(v, neighbors):
    """Join all neighbours of v and take v out; returns their clique and the variables whose surroundings changed."""
    around = neighbors[v]
    touched = set(around)
    for u in around:
        missing = around - neighbors[u] - {u}
        if missing:
            neighbors[u] |= missing
            # Filled edges change the fill of whoever sees both of their ends.
            touched |= neighbors[u]
        neighbors[u].discard(v)
    neighbors[v] = set()
    touched.discard(v)
    return around | {v}, touched


def _maximal(cliques):
    """Cliques within no other, in the order of elimination; one inside another was eliminated after it."""
    kept: list[set[int]] = []
    holding: dict[int, set[int]] = {}
    for clique in cliques:
        holders = set.intersection(*(holding.get(v, set()) for v in clique))
        if not holders:
            for v in clique:
                holding.setdefault(v, set()).add(len(kept))
            kept.append(clique)
    return [tuple(sorted(clique)) for clique in kept]


def _clique_forest(cliques):
    """Edges (child, parent) of a spanning forest of the cliques with the largest separators, and the separators."""
    holding: dict[int, list[int]] = {}
    for c, clique in enumerate(cliques):
        for v in clique:
            holding.setdefault(v, []).append(c)
    overlap: dict[int, dict[int, int]] = {c: {} for c in range(len(cliques))}
    for holders in holding.values():
        for a in holders:
            for b in holders:
                if a != b:
                    overlap[a][b] = overlap[a].get(b, 0) + 1
    # Prim's algorithm from each clique that no earlier part reached; larger overlaps first.
    placed, edges, separators = [False] * len(cliques), [], []
    for root in range(len(cliques)):
        if placed[root]:
            continue
        placed[root] = True
        heap = [(-size, root, b) for b, size in overlap[root].items()]
        heapq.heapify(heap)
        while heap:
            _, parent, child = heapq.heappop(heap)
            if placed[child]:
                continue
            placed[child] = True
            edges.append((child, parent))
            separators.append(tuple(sorted(set(cliques[child]) & set(cliques[parent]))))
            for b, size in overlap[child].items():
                if not placed[b]:
                    heapq.heappush(heap, (-size, child, b))
    return edges, separators


def _parents_first(n_cliques, parent):
    children: dict[int, list[int]] = {}
    for child, above in parent.items():
        children.setdefault(above, []).append(child)
    order, stack = [], [c for c in range(n_cliques) if c not in parent]
    while stack:
        c = stack.pop()
        order.append(c)
        stack.extend(children.get(c, []))
    return order


def _spread(table, variables, clique):
    """A table over some of a clique's variables in the axes of the clique."""
    order = sorted(range(len(variables)), key=lambda axis: clique.index(variables[axis]))
    shape = [1] * len(clique)
    for axis, v in enumerate(variables):
        shape[clique.index(v)] = table.shape[axis]
    return table.transpose(order).reshape(shape)


def _reduced(table, clique, separator, reduce):
    return reduce(table, axis=tuple(axis for axis, v in enumerate(clique) if v not in separator))


def _log_sum(table, axis=None):
    """Logarithm of the sum of exponentials along axes; a sum of nothing possible is -inf."""
    top = table.max(axis=axis, keepdims=True)
    top = np.where(top == -np.inf, 0.0, top)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(table - top).sum(axis=axis)) + top.squeeze(axis)
