"""Exact inference by junction trees, on graphs that a good order of elimination keeps narrow."""

from copy import copy
from math import prod

import numpy as np
from sklearn.utils import check_random_state

from treatise.inference.factor_graph import check_evidence, marginal_of
from treatise.inference.junction_tree._products import Products, TooWide, spread
from treatise.inference.junction_tree._triangulation import (
    check_running_intersection,
    clique_forest,
    parents_first,
    triangulate,
)
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
        self.cliques = triangulate(graph, max_table)
        self.edges, self.separators = clique_forest(self.cliques)
        check_running_intersection(self.cliques, self.edges)
        self.width = max(map(len, self.cliques), default=0) - 1
        self._parent = dict(self.edges)
        self._separator = {child: separator for (child, _), separator in zip(self.edges, self.separators)}
        self._order = parents_first(len(self.cliques), self._parent)
        self._home = self._assign_factors()
        self._products = None

    def _assign_factors(self):
        """For each factor the smallest clique that holds its variables."""
        holders: dict[int, set[int]] = {}
        for c, clique in enumerate(self.cliques):
            for v in clique:
                holders.setdefault(v, set()).add(c)
        n_states = self.graph.n_states.tolist()
        sizes = [prod([n_states[v] for v in clique]) for clique in self.cliques]
        homes = []
        for factor in self.graph.factors:
            fitting = set.intersection(*(holders[v] for v in factor.variables)) if factor.variables else set()
            homes.append(min(fitting, key=lambda c: (sizes[c], c)) if fitting else -1)
        self._holder = {v: min(cs, key=lambda c: (sizes[c], c)) for v, cs in holders.items()}
        return homes

    def _potentials(self, evidence):
        """Tables of the cliques with their factors and the evidence in them, and the sum of the constant factors."""
        n_states = self.graph.n_states
        tables = [np.zeros(tuple(n_states[list(clique)])) for clique in self.cliques]
        constant = 0.0
        for factor, home in zip(self.graph.factors, self._home):
            if home < 0:
                constant += float(factor.table)
            else:
                tables[home] += spread(factor.table, factor.variables, self.cliques[home])
        check_evidence(evidence or {}, n_states)
        for v, state in (evidence or {}).items():
            only = np.full(n_states[v], -np.inf)
            only[state] = 0.0
            tables[self._holder[v]] += spread(only, (v,), self.cliques[self._holder[v]])
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
                tables[parent] += spread(upward[c], separator, self.cliques[parent])
            else:
                total += float(reduce(tables[c]))
        if total == -np.inf:
            raise _impossible()
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
        tree.graph, tree._products = graph, None
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
        return self._log_partition(self._in_products(Products.collect, evidence), evidence)

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
        tables, log_partition = self._calibrated(evidence)
        factors = []
        for factor, home in zip(self.graph.factors, self._home):
            factors.append(np.ones(()) if home < 0 else marginal_of(tables[home], self.cliques[home], factor.variables))
        return Marginals(log_partition, "exact", self._nodes(tables), tuple(factors), 1, True)

    def node_probabilities(self, *, evidence=None):
        """Exact probabilities of the states of every variable: the ``nodes`` of :meth:`marginals`, without factors.

        Parameters
        ----------
        evidence : dict of int to int or None, default=None
            Observed state of each observed variable.

        Returns
        -------
        nodes : tuple of ndarray
        """
        return self._nodes(self._calibrated(evidence)[0])

    def _nodes(self, tables):
        homes = (self._holder[v] for v in range(len(self.graph)))
        return tuple(marginal_of(tables[home], self.cliques[home], (v,)) for v, home in enumerate(homes))

    def _in_products(self, question, evidence):
        """The answer by products and sums; None where the scores range too far for them."""
        check_evidence(evidence or {}, self.graph.n_states)
        if self._products is None:
            self._products = Products(self)
        try:
            return question(self._products, evidence or {})
        except TooWide:
            return None

    def _calibrated(self, evidence):
        """Probabilities of the joint states of every clique, and the log partition function."""
        found = self._in_products(Products.calibrate, evidence)
        if found is not None:
            return found[0], self._log_partition(found, evidence)
        tables, upward, log_partition = self._collect(evidence, _log_sum)
        for c in self._order:
            if c in self._parent:
                separator, parent = self._separator[c], self._parent[c]
                whole = _reduced(tables[parent], self.cliques[parent], separator, _log_sum)
                # What c already told its parent is taken out; what is impossible for the parent stays so.
                downward = whole - np.where(np.isinf(whole), 0.0, upward[c])
                tables[c] += spread(downward, separator, self.cliques[c])
        return [np.exp(table - _log_sum(table)) for table in tables], log_partition

    def _log_partition(self, found, evidence):
        """The total of products, or else that of logarithms."""
        if found is None:
            return self._collect(evidence, _log_sum)[2]
        if found[-1] == -np.inf:
            raise _impossible()
        return float(found[-1])

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


def _reduced(table, clique, separator, reduce):
    return reduce(table, axis=tuple(axis for axis, v in enumerate(clique) if v not in separator))


def _log_sum(table, axis=None):
    """Logarithm of the sum of exponentials along axes; a sum of nothing possible is -inf."""
    top = table.max(axis=axis, keepdims=True)
    top = np.where(top == -np.inf, 0.0, top)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(table - top).sum(axis=axis)) + top.squeeze(axis)


def _impossible():
    return ValueError("no joint state is possible: the scores of -inf, or the evidence, exclude every one")
