"""Energies whose cost of neighbouring labels is convex up to a cap (Kumar, Veksler & Torr, JMLR 12:31)."""

import math

import numpy as np

from treatise.graphical.range_moves._range_loops import (
    Field,
    MoveGraph,
    carry_flow,
    range_arcs,
    range_capacities,
    range_labels,
)
from treatise.inference import FlowNetwork, MAPResult, PairwiseEnergy


class TruncatedConvexEnergy:
    """Ordered labels on a graph: a cost for each label, and ``w * min(d(difference), M)`` for each edge.

    Parameters
    ----------
    unary : array-like of shape (n_variables, n_labels)
        Cost of each label; finite, of any sign.
    edges : array-like of shape (n_edges, 2)
        Pairs of neighbouring variables.
    weights : array-like of shape (n_edges,), float or None, default=None
        Weight of each edge, not negative; None is 1 for all.
    distance : {"linear", "quadratic"} or array-like, default="linear"
        Cost d of labels that differ by 0, 1, 2, ...: the difference, its square, or given by an array of at least
        n_labels numbers, which must start with 0 and be convex.
    truncation : float, default=inf
        Cap M of the cost: neighbours on two sides of a border pay no more than this.

    Attributes
    ----------
    pairwise : PairwiseEnergy
        The same energy for solvers that know nothing of convexity. Calling this object calls it.
    profile : ndarray of shape (n_labels + 1,)
        The distance d, before truncation.
    cap : float
        The truncation, or the largest distance of two labels if that is less.

    Examples
    --------
    >>> from treatise.graphical import TruncatedConvexEnergy
    >>> energy = TruncatedConvexEnergy([[0, 1, 5], [4, 4, 0]], [[0, 1]], 2.0, "quadratic", truncation=3)
    >>> energy([0, 2]), energy([1, 2])
    (6.0, 3.0)
    """

    def __init__(self, unary, edges, weights=None, distance="linear", truncation=math.inf):
        unary = np.asarray(unary, float)
        if unary.ndim != 2:
            raise ValueError(f"unary must be a table of variables and labels; its shape is {unary.shape}")
        h = unary.shape[1]
        self.profile = distance_profile(distance, h)
        if not truncation > 0:
            raise ValueError(f"truncation={truncation} must be positive")
        self.cap = float(min(truncation, self.profile[max(h - 1, 0)]))
        difference = np.abs(np.subtract.outer(np.arange(h), np.arange(h)))
        self.pairwise = PairwiseEnergy(unary, edges, weights, np.minimum(self.profile[difference], self.cap))

    def __call__(self, labels):
        """Energy of one label for each variable."""
        return self.pairwise(labels)


def distance_profile(distance, n_labels):
    """The distance of labels 0 to ``n_labels`` apart; an error if it is not convex."""
    x = np.arange(n_labels + 1.0)
    if isinstance(distance, str):
        if distance not in ("linear", "quadratic"):
            raise ValueError(f"distance={distance!r} is unknown; choose 'linear', 'quadratic' or give an array")
        return x if distance == "linear" else x**2
    given = np.asarray(distance, float)
    if given.ndim != 1 or len(given) < max(n_labels, 2) or not np.all(np.isfinite(given)):
        raise ValueError(f"distance must hold {max(n_labels, 2)} finite numbers or more; its shape is {given.shape}")
    if given[0] != 0:
        raise ValueError(f"distance[0]={given[0]:g}, but equal labels cost nothing; subtract it from all")
    # What lies beyond the labels never enters an energy; a straight line keeps the profile convex.
    profile = given[: n_labels + 1] if len(given) > n_labels else np.append(given, 2 * given[-1] - given[-2])
    bend = np.diff(np.append(profile[1], profile), 2)
    if np.any(bend < -1e-12 * np.abs(profile).max()):
        at = int(np.argmin(bend))
        raise ValueError(f"distance is not convex at {at}: d({at + 1}) - 2 d({at}) + d({at - 1}) = {bend[at]:g}")
    return profile


def interval_length(distance, truncation, n_labels):
    """Labels in a range by the paper's rule: ``sqrt(2) M`` for linear distances, else the first L with d(L) >= M."""
    profile = distance_profile(distance, n_labels)
    if isinstance(distance, str) and distance == "linear":
        wanted = math.ceil(math.sqrt(2) * min(truncation, n_labels))
    else:
        reached = np.flatnonzero(profile >= truncation)
        wanted = int(reached[0]) if len(reached) else n_labels
    return max(1, min(wanted, n_labels))


def solve_convex(unary, edges, weights=None, distance="linear"):
    """The labelling of least energy where the cost of neighbours is convex and has no cap: one minimum cut.

    Exact, for any unary costs. Use it where the field is smooth all over; it blurs borders, which a truncation keeps
    (:class:`RangeMoves`). The graph has n_variables * n_labels nodes, with n_labels arcs each way on an edge for linear
    distances and n_labels ** 2 for others.

    Parameters
    ----------
    unary, edges, weights, distance
        As for :class:`TruncatedConvexEnergy`.

    Returns
    -------
    result : MAPResult
        Its gap is zero.

    Examples
    --------
    >>> from treatise.graphical import solve_convex
    >>> result = solve_convex([[0, 1, 9], [5, 5, 5], [9, 1, 0]], [[0, 1], [1, 2]], 2.0)
    >>> result.labels, result.energy
    (array([1, 1, 1]), 7.0)

    References
    ----------
    .. [1] Paper v12-0031, section 5.1 and Lemma 1.
    """
    energy = TruncatedConvexEnergy(unary, edges, weights, distance)
    n, h = energy.pairwise.unary.shape
    graph = RangeGraph(energy, h, CarriedFlow(energy))
    labels = graph.best(0, np.zeros(n, np.int64), np.ones(n, bool))
    least = energy(labels)
    return MAPResult(labels, least, least, np.array([least]), 1)


class CarriedFlow:
    """The flow of the last cut by edge and label, and by variable and label, from which the next one starts."""

    def __init__(self, energy):
        pairwise, h = energy.pairwise, energy.pairwise.n_labels
        bend = np.diff(np.append(energy.profile[1], energy.profile), 2)
        # Arcs between different labels are left out where d is a straight line, but for rounding.
        self.dense = bool(np.any(bend[1:] > 1e-12 * energy.profile.max()))
        # Any flow will do, so that half the digits are enough.
        self.pairs = np.zeros((len(pairwise.tails), h, h if self.dense else 1), np.float32)
        self.chains = np.full((pairwise.n_variables, h), np.nan)


class RangeGraph:
    """The graph of the moves to intervals of one length: laid out once, its capacities filled in for each move."""

    def __init__(self, energy, length, carried):
        self.energy, self.length, self.carried = energy, length, carried
        bend = np.diff(np.append(energy.profile[1], energy.profile[: length + 1]), 2)
        pairwise = energy.pairwise
        begin, neighbour, edge, twin = pairwise.neighbours
        n_nodes = pairwise.n_variables * length
        n_arcs = 2 * (n_nodes - pairwise.n_variables) + len(neighbour) * length ** (1 + carried.dense)
        if n_arcs >= 2**31:
            raise ValueError(
                f"an interval of {length} labels needs {n_arcs} arcs on this graph, which is beyond 2**31; shorten it"
            )
        first, self.head, self.sister = range_arcs(length, carried.dense, begin, neighbour, twin)
        self.field = Field(
            pairwise.unary, pairwise.table, energy.cap, pairwise.tails, pairwise.weights, begin, neighbour, edge
        )
        # The pair of equal labels has an arc of the first capacity each way.
        slope = np.append(energy.profile[1], np.maximum(bend[1:], 0.0))
        self.arcs = MoveGraph(
            length, carried.dense, slope, first, np.empty(n_arcs), np.empty(n_nodes), np.empty(n_nodes),
            np.empty(pairwise.n_variables),
        )  # fmt: skip

    def fill(self, low, labels, moving):
        """Capacities of the move of the variables ``moving`` to the labels from ``low`` on."""
        range_capacities(low, labels, moving, self.field, self.arcs, self.carried.pairs, self.carried.chains)

    def best(self, low, labels, moving):
        """The labelling that the cheapest cut stands for."""
        self.fill(low, labels, moving)
        arcs = self.arcs
        side = FlowNetwork.cut_arcs(arcs.first, self.head, self.sister, arcs.residual, arcs.excess)
        carry_flow(low, moving, self.field, arcs, self.carried.pairs, self.carried.chains)
        return range_labels(low, self.length, moving, side, labels)
