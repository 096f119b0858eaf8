"""Hard instances of structure learning whose optimum is known (Chickering, Heckerman & Meek, JMLR 5:1287)."""

import cmath
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.faithful import faithful_cpts
from treatise.bayesnet.network.oracle import NetworkOracle
from treatise.bayesnet.network.plot import draw_at
from treatise.bayesnet.network.relations import includes, n_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_N_STATES = {"A": 9, "B": 2, "C": 3, "D": 9, "E": 2, "F": 2, "G": 9, "H": 2}
_MOST_VERTICES = 20
# Where the variables of an arc are drawn: the share of the way along it, and beside it.
_PLACES = {"A": (0.08, 0.17), "B": (0.25, 0.0), "C": (0.42, -0.12), "D": (0.65, 0.3), "E": (0.72, 0.16),
           "F": (0.75, 0.0), "G": (0.85, 0.25), "H": (0.55, 0.1)}  # fmt: skip


class NPHardnessReduction:
    """The learning problem that is as hard as finding a feedback arc set of a directed graph.

    Every vertex of the graph becomes a variable V of nine states, every arc a component of seven variables A to G and
    a hidden one H. The distribution is perfect for the network with the hidden variables, and each variable has two
    parents at most; yet the graph of the observed variables with the fewest parameters tells the smallest set of arcs
    that meets every cycle. Use it to give learners of structure a provably hard problem with a known answer: with the
    oracle, or with exact probabilities, since no feasible sample shows the weaker links.

    Building costs O(arcs). The smallest feedback arc set, and with it the optimum, takes 2**vertices steps.

    Parameters
    ----------
    graph : networkx.DiGraph or list of (tail, head)
        The directed graph. Each vertex has one arc in and one out at least, and three in all at most.

    Attributes
    ----------
    vertices : tuple
        The vertices, sorted if they can be.
    arcs : tuple of (tail, head)
        The arcs.
    network : BayesianNetwork
        The network of all variables, hidden ones included, that defines the distribution.
    observed, hidden : tuple of str
        Its variables: ``V_i`` for a vertex i, and ``A_i_j`` to ``G_i_j``, hidden ``H_i_j``, for an arc from i to j.
    n_states : dict
        Number of states of each variable.

    See Also
    --------
    smallest_independence_map : Solves such a problem by brute force, up to 24 observed variables.

    Notes
    -----
    Figures 1 and 3 of the paper show the components. Their edges are those that the text's counts of parameters
    leave: 186 for A, B, D, E and G; 18 for C and F where the arc is removed, 16 where it is kept.

    Examples
    --------
    >>> from treatise.papers.bayesnet.v05_1287.reduction import NPHardnessReduction
    >>> triangle = NPHardnessReduction([(1, 2), (2, 3), (3, 1)])
    >>> len(triangle.observed), len(triangle.hidden), triangle.optimum()
    (24, 3, 656)
    >>> best = triangle.dag(removed=triangle.minimum_feedback_arcs())
    >>> best["F_2_3"], triangle.includes(best)
    (('B_2_3', 'C_2_3', 'E_2_3'), True)
    >>> triangle.feedback_arcs(best)
    ((1, 2),)

    References
    ----------
    .. [1] Paper v05-1287, Section 3.1, Theorems 8 and 9.
    """

    def __init__(self, graph: Any) -> None:
        self.arcs = _checked_arcs(graph.edges if hasattr(graph, "edges") else graph)
        self.vertices = _sorted({vertex for arc in self.arcs for vertex in arc})
        lonely = [v for v in (graph.nodes if hasattr(graph, "nodes") else ()) if v not in self.vertices]
        if lonely:
            raise ValueError(f"the vertex {lonely[0]!r} lies on no cycle; take it away first")
        self._check_degrees()
        parents: dict[str, tuple[str, ...]] = {f"V_{v}": () for v in self.vertices}
        for arc in self.arcs:
            parents |= self._shared(arc)
            _, B, C, _, E, F, _, H = self.component(arc)
            parents |= {H: (), C: (B, H), F: (E, H)}
            parents[f"V_{arc[1]}"] += (F,)
        self.hidden = tuple(self.component(arc)[-1] for arc in self.arcs)
        self.n_states = {name: _N_STATES.get(name[0], 9) for name in parents}
        self.network = BayesianNetwork(parents, faithful_cpts(parents, self.n_states))
        self.observed = tuple(name for name in self.network.variables if name not in self.hidden)

    def _check_degrees(self) -> None:
        for v in self.vertices:
            into, out = sum(head == v for _, head in self.arcs), sum(tail == v for tail, _ in self.arcs)
            if not into or not out:
                raise ValueError(f"the vertex {v!r} has {into} arcs in and {out} out: it lies on no cycle; "
                                 "take it away first")  # fmt: skip
            if into + out > 3:
                raise ValueError(f"the vertex {v!r} has {into + out} arcs; at most three are allowed in all")

    def component(self, arc: tuple) -> tuple[str, ...]:
        """Names of the variables A to H of an arc."""
        tail, head = arc
        return tuple(f"{letter}_{tail}_{head}" for letter in _N_STATES)

    def _shared(self, arc: tuple) -> dict[str, tuple[str, ...]]:
        """Parents that A, B, D, E and G have in every graph here."""
        A, B, _, D, E, _, G, _ = self.component(arc)
        return {A: (), D: (), G: (), B: (f"V_{arc[0]}", A), E: (D, G)}

    def parameter_bound(self, k: int) -> int:
        """Parameters of the learning problem for feedback arc sets of k arcs (Equation 2).

        Parameters
        ----------
        k : int
            Number of arcs to remove.

        Returns
        -------
        bound : int
        """
        m = len(self.arcs)
        if not 0 <= k <= m:
            raise ValueError(f"k={k} must lie between 0 and the {m} arcs")
        two = sum(sum(head == v for _, head in self.arcs) == 2 for v in self.vertices)
        return 186 * m + 18 * k + 16 * (m - k) + 16 * (len(self.vertices) - two) + 32 * two

    def dag(self, removed: Iterable) -> dict[str, tuple[str, ...]]:
        """The graph of the observed variables that a feedback arc set gives (Theorem 8).

        Parameters
        ----------
        removed : list of (tail, head)
            Arcs that meet every cycle; if they do not, the graph would have a cycle itself, which is an error.

        Returns
        -------
        parents : dict
        """
        gone = set(self._known_arcs(removed))
        parents: dict[str, tuple[str, ...]] = {f"V_{v}": () for v in self.vertices}
        for arc in self.arcs:
            parents |= self._shared(arc)
            _, B, C, _, E, F, _, _ = self.component(arc)
            parents |= {C: (B, E, F), F: (E,)} if arc in gone else {C: (B,), F: (B, C, E)}
            parents[f"V_{arc[1]}"] += (F,)
        DAG.of(parents)
        return {name: parents[name] for name in self.observed}

    def _known_arcs(self, arcs: Iterable) -> list[tuple]:
        known = [tuple(arc) for arc in arcs]
        for arc in known:
            if arc not in self.arcs:
                raise ValueError(f"{arc!r} is no arc of the graph; its arcs: {list(self.arcs)}")
        return known

    def feedback_arcs(self, dag: Any) -> tuple[tuple, ...]:
        """Arcs that a solution of the learning problem removes: those whose ends no directed path joins (Theorem 9).

        Parameters
        ----------
        dag : mapping, list, networkx.DiGraph or BayesianNetwork
            A graph of the observed variables.

        Returns
        -------
        arcs : tuple of (tail, head)
            They meet every cycle, whatever the graph. Where it includes the distribution with at most
            ``parameter_bound(k)`` parameters, at most k.
        """
        graph = DAG.of(dag)
        joined = {v: graph.ancestors([graph.number(f"V_{v}")]) for v in self.vertices}
        return tuple(arc for arc in self.arcs if graph.number(f"V_{arc[0]}") not in joined[arc[1]])

    def minimum_feedback_arcs(self) -> tuple[tuple, ...]:
        """The fewest arcs that meet every cycle, by dynamic programming over sets of vertices.

        Returns
        -------
        arcs : tuple of (tail, head)
        """
        n = len(self.vertices)
        if n > _MOST_VERTICES:
            raise ValueError(f"the graph has {n} vertices; the smallest set is searched for up to {_MOST_VERTICES}")
        number = {v: i for i, v in enumerate(self.vertices)}
        into = [0] * n
        for tail, head in self.arcs:
            into[number[head]] |= 1 << number[tail]
        # Vertices in a row: arcs that point backwards are removed. What v costs after a set depends on the set alone.
        cost, last = [0] * (1 << n), [0] * (1 << n)
        for members in range(1, 1 << n):
            cost[members], last[members] = min(
                (cost[members ^ (1 << v)] + (into[v] & ~members).bit_count(), v) for v in range(n) if members >> v & 1
            )
        place, members = {}, (1 << n) - 1
        while members:
            place[last[members]] = members.bit_count()
            members ^= 1 << last[members]
        return tuple(arc for arc in self.arcs if place[number[arc[0]]] > place[number[arc[1]]])

    def optimum(self) -> int:
        """Fewest parameters of a graph of the observed variables that includes the distribution."""
        return self.parameter_bound(len(self.minimum_feedback_arcs()))

    def includes(self, dag: Any) -> bool:
        """Whether a graph of the observed variables can represent the distribution.

        Parameters
        ----------
        dag : mapping, list, networkx.DiGraph or BayesianNetwork
            The graph.

        Returns
        -------
        included : bool
        """
        if set(DAG.of(dag).variables) != set(self.observed):
            raise ValueError("the graph must have the observed variables of the problem, all of them and no others")
        return includes(dag, self.network)

    def n_parameters(self, dag: Any) -> int:
        """Parameters of a graph of the observed variables, as the problem counts them."""
        return n_parameters(dag, {name: self.n_states[name] for name in self.observed})

    def oracle(self) -> NetworkOracle:
        """Answers about the observed variables, for learners that ask for them (Theorem 15)."""
        return NetworkOracle(self.network, self.hidden)

    def plot(self, dag: Any = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the network, or a graph of the observed variables: vertices orange, hidden variables grey.

        Parameters
        ----------
        dag : mapping, list, networkx.DiGraph or None, default=None
            The graph; None draws the network with its hidden variables.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        graph = DAG.of(self.network if dag is None else dag)
        around = {v: cmath.exp(2j * math.pi * (0.25 - i / len(self.vertices))) for i, v in enumerate(self.vertices)}
        points = {f"V_{v}": point for v, point in around.items()}
        for arc in self.arcs:
            start, step = around[arc[0]], around[arc[1]] - around[arc[0]]
            for name, (along, aside) in zip(self.component(arc), _PLACES.values()):
                # Components bend to their left, so that arcs to and fro between two vertices keep apart.
                points[name] = start + step * (along + 1j * (aside + 0.6 * along * (1 - along)))
        place = {v: (points[name].real, points[name].imag) for v, name in enumerate(graph.variables)}
        paint = {"V": "#f6c48a", "H": "#d0d0d0"}
        return draw_at(graph, place, ax, 420, 5, [paint.get(name[0], "#cfe0f3") for name in graph.variables])


def _sorted(vertices: set) -> tuple:
    try:
        return tuple(sorted(vertices))
    except TypeError:
        return tuple(sorted(vertices, key=str))


def _checked_arcs(arcs: Iterable) -> tuple:
    found = [tuple(arc) for arc in arcs]
    for arc in found:
        if len(arc) != 2 or arc[0] == arc[1]:
            raise ValueError(f"{arc!r} is no arc between two vertices")
    if not found or len(set(found)) < len(found):
        raise ValueError("the graph needs one arc or more, each listed once")
    return tuple(found)
