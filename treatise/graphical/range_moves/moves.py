"""Range moves and the moves they improve on (Kumar, Veksler & Torr, JMLR 12:31)."""

import math
import warnings
from itertools import combinations, cycle
from numbers import Integral, Real

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.jit import compiled
from treatise.graphical.range_moves._range_loops import range_arcs, smooth_inside
from treatise.graphical.range_moves.truncated_convex import (
    CarriedFlow,
    RangeGraph,
    TruncatedConvexEnergy,
    distance_profile,
    interval_length,
    solve_convex,
)
from treatise.inference import FlowNetwork, MAPResult, min_sum, trws


class RangeMoves(BaseEstimator):
    """Labels of least energy for ordered labels with borders: minimum cuts over whole ranges of labels.

    The energy is ``sum unary[a, f_a] + sum w_ab min(d(f_a - f_b), M)``, on any graph. A move lets every variable take
    any label of an interval at once; the cut that finds it overestimates no more than is needed to be a cut. The moves
    go round over all intervals until none lowers the energy.

    Use it for disparities, depths, grey levels and any many ordered labels, where alpha-expansion is stuck early. Not
    for labels without order (there alpha-expansion serves). Without a truncation one cut is exact, and both range
    methods are then :func:`solve_convex`. A move is a cut in a graph of n_variables * L nodes, with L arcs each way on
    an edge for linear distances and L ** 2 for others; 16 bytes an arc. Few rounds over the intervals are needed.

    Parameters
    ----------
    distance : {"linear", "quadratic"} or array-like, default="linear"
        Cost d of labels that differ by 0, 1, 2, ...; convex.
    truncation : float or "auto", default="auto"
        Cap M of that cost: what a border between two neighbours costs at most, however far apart their labels are.
        "auto" is the distance of labels that are an eighth of all labels apart, and two at least. Infinity keeps no
        borders.
    method : str, default="range_expansion"
        "range_expansion" offers each variable its old label or any of the interval, and within 2 + sqrt(2) times the
        least energy for truncated linear distances. "range_swap" moves only variables whose labels lie in the interval;
        it is faster, and rarely worse. "alpha_expansion" offers one label, "alpha_beta_swap" exchanges two, "icm"
        changes one variable at a time: fast and worse. "trws" and "min_sum" pass messages; the first gives a lower
        bound.
    interval : int or None, default=None
        Labels in a range. None is the paper's rule: ``ceil(sqrt(2) M)`` for linear distances, else the first L with
        d(L) >= M. Longer ones are slower.
    max_sweeps : int, default=100
        Most rounds over all intervals, labels or pairs of labels, or sweeps of messages. Where they do not suffice, the
        result's ``converged`` is False and a warning says so, but for "trws", whose ``gap`` to its bound tells how far
        the energy may be from the least.

    See Also
    --------
    denoise_image, stereo_disparity : Picture in, picture out.
    plot_energy_traces : How fast the methods lower the energy.

    Notes
    -----
    Intervals cut short by the first or last label are among the moves: the proof of the factor (section 6.3) needs
    both kinds, while Table 3 of the paper leaves out those at the first label and the label 0 itself. Of a range
    expansion those connected parts are taken that lower the energy; the paper takes or leaves the whole.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import RangeMoves, grid_edges
    >>> rng = np.random.default_rng(0)
    >>> unary, edges = rng.uniform(0, 10, (25, 8)), grid_edges((5, 5))
    >>> result = RangeMoves(truncation=3).minimize(unary, edges, 2.0)
    >>> round(result.energy, 3), result.labels[:5]
    (100.056, array([3, 3, 4, 4, 4]))

    References
    ----------
    .. [1] Paper v12-0031: Table 3, sections 5 and 6.
    """

    _parameter_constraints: dict = {
        "distance": [StrOptions({"linear", "quadratic"}), "array-like"],
        "truncation": [Interval(Real, 0, None, closed="right"), StrOptions({"auto"})],
        "method": [
            StrOptions(
                {"range_expansion", "range_swap", "alpha_expansion", "alpha_beta_swap", "icm", "trws", "min_sum"}
            )
        ],
        "interval": [Interval(Integral, 1, None, closed="left"), None],
        "max_sweeps": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, distance="linear", truncation="auto", *, method="range_expansion", interval=None, max_sweeps=100
    ):
        self.distance = distance
        self.truncation = truncation
        self.method = method
        self.interval = interval
        self.max_sweeps = max_sweeps

    def minimize(self, unary, edges, weights=None, init=None):
        """Search for the labelling of least energy.

        Parameters
        ----------
        unary : array-like of shape (n_variables, n_labels)
            Cost of each label; finite, of any sign.
        edges : array-like of shape (n_edges, 2)
            Pairs of neighbouring variables, see :func:`grid_edges`.
        weights : array-like of shape (n_edges,), float or None, default=None
            Weight of each edge, not negative; None is 1 for all.
        init : array-like of int, of shape (n_variables,), "paper" or None, default=None
            Labels to start from. "paper" is 0 for all, from where a range swap sees only what is next to that label.
            None is the same but for "range_swap", which starts from the labels of alpha-expansion, and "icm", which
            starts from each variable's cheapest label. Messages start from nothing.

        Returns
        -------
        result : MAPResult
        """
        self._validate_params()
        truncation = self._cap(unary)
        energy = TruncatedConvexEnergy(unary, edges, weights, self.distance, truncation)
        pairwise = energy.pairwise
        if self.method in ("trws", "min_sum"):
            return {"trws": trws, "min_sum": min_sum}[self.method](pairwise, max_sweeps=self.max_sweeps)
        labels = None if init is None else self._given(pairwise, init)
        if self.method.startswith("range") and truncation >= energy.profile[pairwise.n_labels - 1]:
            return solve_convex(unary, edges, weights, self.distance)
        if labels is None:
            labels = self._start(pairwise)
        if self.method == "icm":
            return _iterated_conditional_modes(pairwise, labels, self.max_sweeps)
        h = pairwise.n_labels
        if self.method.startswith("range"):
            length = min(h, self.interval or interval_length(self.distance, truncation, h))
            moves = label_intervals(h, length)
            propose = _RangeProposals(energy, self.method == "range_expansion")
        elif self.method == "alpha_expansion":
            moves, propose = list(range(h)), _TwoLabelProposals(pairwise).expansion
        else:
            moves, propose = list(combinations(range(h), 2)), _TwoLabelProposals(pairwise).swap
        return _descend(pairwise, labels, moves, propose, self.max_sweeps)

    def _cap(self, unary):
        if self.truncation != "auto":
            return self.truncation
        n_labels = np.shape(unary)[-1] if np.ndim(unary) == 2 else 0
        return distance_profile(self.distance, n_labels)[min(n_labels, max(2, math.ceil(n_labels / 8)))]

    @staticmethod
    def _given(pairwise, init):
        papers = isinstance(init, str) and init == "paper"
        return pairwise.checked_labels(np.zeros(pairwise.n_variables, int) if papers else init)

    def _start(self, pairwise):
        if self.method == "icm":
            return np.argmin(pairwise.unary, axis=1)
        if self.method != "range_swap":
            return np.zeros(pairwise.n_variables, int)
        start = _TwoLabelProposals(pairwise).expansion
        moves = list(range(pairwise.n_labels))
        return _descend(pairwise, np.zeros(pairwise.n_variables, int), moves, start, self.max_sweeps).labels


def label_intervals(n_labels, length):
    """First label and length of every interval of ``length`` labels, cut to those there are, in their order."""
    ends = range(1, n_labels + length)
    found = [(max(0, end - length), min(end, n_labels)) for end in ends]
    return [(low, end - low) for low, end in dict.fromkeys(found)]


def _descend(energy, labels, moves, propose, max_sweeps):
    """Go round over the moves, taking those that lower the energy, until each was tried in vain since the last."""
    least = energy(labels)
    trace, tried, in_vain = [least], 0, 0
    for move in cycle(moves):
        if in_vain == len(moves) or tried == max_sweeps * len(moves):
            break
        tried += 1
        proposal = propose(labels, *np.atleast_1d(move).tolist())
        found = energy(proposal)
        # A move must pay by more than the rounding of a sum of this size, else ties could take turns for ever.
        if found < least - 1e-12 * max(1.0, abs(least)):
            labels, least, in_vain = proposal, found, 0
            trace.append(least)
        else:
            in_vain += 1
    return _finished(labels, trace, tried, in_vain == len(moves), max_sweeps)


def _finished(labels, trace, tried, converged, max_sweeps):
    if not converged:
        warnings.warn(
            f"max_sweeps={max_sweeps} ended the moves while they still lowered the energy; raise max_sweeps",
            ConvergenceWarning,
            stacklevel=4,
        )
    return MAPResult(labels, trace[-1], None, np.array(trace), tried, converged)


def _iterated_conditional_modes(energy, labels, max_sweeps):
    begin, neighbour, edge, _ = energy.neighbours
    trace, changes = [energy(labels)], 1
    while changes and len(trace) <= max_sweeps:
        changes = _conditional_modes(
            labels, energy.unary, energy.table, energy.tails, energy.weights, begin, neighbour, edge
        )
        trace.append(energy(labels))
    return _finished(labels, trace, len(trace) - 1, changes == 0, max_sweeps)


class _RangeProposals:
    """Range swaps or expansions; keeps the graph of the last interval's length, which most intervals share."""

    def __init__(self, energy, expand):
        self.energy, self.expand, self.graph = energy, expand, None
        self.carried = CarriedFlow(energy)

    def __call__(self, labels, low, length):
        begin, neighbour, _, _ = self.energy.pairwise.neighbours
        if self.expand:
            moving = np.ones(len(labels), bool)
        else:
            moving = smooth_inside(low, length, labels, self.energy.profile, self.energy.cap, begin, neighbour)
            if not moving.any() or length == 1:
                return labels
        if self.graph is None or self.graph.length != length:
            self.graph = None  # the old graph's memory first
            self.graph = RangeGraph(self.energy, length, self.carried)
        proposal = self.graph.best(low, labels, moving)
        return parts_that_pay(self.energy.pairwise, labels, proposal) if self.expand else proposal


def parts_that_pay(energy, labels, proposal):
    """Take up those parts of a proposal that lower the energy by themselves.

    A cut overestimates some pairs, so that what it proposes may cost more than what there is. Parts without an edge
    between them add up, and one that is wrong must not spoil the others.

    Parameters
    ----------
    energy : PairwiseEnergy
        What is to be lowered.
    labels, proposal : ndarray of int of shape (n_variables,)
        Two labellings; a part is a connected set of variables on which they differ.

    Returns
    -------
    labels : ndarray of int of shape (n_variables,)
    """
    changed = labels != proposal
    at_tail, at_head = changed[energy.tails], changed[energy.heads]
    inside = at_tail & at_head
    pairs = coo_array(
        (np.ones(np.count_nonzero(inside), np.int8), (energy.tails[inside], energy.heads[inside])),
        shape=(len(labels),) * 2,
    )
    part = connected_components(pairs, directed=False)[1]

    def costs(found):
        own = energy.unary[np.arange(len(found)), found]
        return own, energy.weights * energy.table[found[energy.tails], found[energy.heads]]

    (own, shared), (new_own, new_shared) = costs(labels), costs(proposal)
    touched = at_tail | at_head
    of_edge = part[np.where(at_tail, energy.tails, energy.heads)[touched]]
    gain = np.bincount(part, own - new_own, len(labels))
    gain += np.bincount(of_edge, (shared - new_shared)[touched], len(labels))
    return np.where(changed & (gain[part] > 0.0), proposal, labels)


class _TwoLabelProposals:
    """Cuts that offer each variable two labels (Boykov, Veksler and Zabih, 2001)."""

    def __init__(self, energy):
        self.energy = energy
        begin, neighbour, _, twin = energy.neighbours
        self.first, self.head, self.sister = range_arcs(1, False, begin, neighbour, twin)
        self.residual, self.excess = np.empty(len(self.head)), np.empty(energy.n_variables)

    def expansion(self, labels, alpha):
        """Each variable keeps its label or takes alpha."""
        return self._best(labels, np.full_like(labels, alpha), labels, labels != alpha)

    def swap(self, labels, alpha, beta):
        """Each variable of the two labels takes either."""
        moving = (labels == alpha) | (labels == beta)
        return self._best(labels, np.full_like(labels, alpha), np.full_like(labels, beta), moving)

    def _best(self, labels, taken, kept, moving):
        if not moving.any():
            return labels
        energy = self.energy
        begin, neighbour, edge, _ = energy.neighbours
        _two_label_capacities(
            taken, kept, moving, labels, energy.unary, energy.table, energy.tails, energy.weights, begin, neighbour,
            edge, self.first, self.residual, self.excess,
        )  # fmt: skip
        side = FlowNetwork.cut_arcs(self.first, self.head, self.sister, self.residual, self.excess)
        return np.where(moving, np.where(side, taken, kept), labels)


@compiled
def _two_label_capacities(
    taken, kept, moving, labels, unary, table, tails, weights, begin, neighbour, edge, first, residual, excess
):
    """Capacities of the cut in which variable a takes ``taken[a]`` with the source and ``kept[a]`` with the sink.

    A pair whose costs are not submodular, as some of truncated quadratic distances, keeps the linear part of them only
    (footnote 3 of the paper).
    """
    for a in range(len(labels)):
        excess[a] = 0.0
    for a in range(len(labels)):
        if not moving[a]:
            for arc in range(first[a], first[a + 1]):
                residual[arc] = 0.0
            continue
        excess[a] += unary[a, kept[a]] - unary[a, taken[a]]
        for i in range(begin[a], begin[a + 1]):
            b, w = neighbour[i], weights[edge[i]]
            arc = first[a] + i - begin[a]
            if not moving[b]:
                residual[arc] = 0.0
                if tails[edge[i]] == a:
                    excess[a] += w * (table[kept[a], labels[b]] - table[taken[a], labels[b]])
                else:
                    excess[a] += w * (table[labels[b], kept[a]] - table[labels[b], taken[a]])
            elif tails[edge[i]] == a:
                # E = A + (C - A) x_a + (D - C) x_b + (B + C - A - D) (1 - x_a) x_b, where x = 1 keeps.
                both, head_keeps = table[taken[a], taken[b]], table[taken[a], kept[b]]
                tail_keeps, none = table[kept[a], taken[b]], table[kept[a], kept[b]]
                excess[a] += w * (tail_keeps - both)
                excess[b] += w * (none - tail_keeps)
                residual[arc] = max(0.0, w * (head_keeps + tail_keeps - both - none))
            else:
                residual[arc] = 0.0


@compiled
def _conditional_modes(labels, unary, table, tails, weights, begin, neighbour, edge):
    """Give each variable in turn its best label with all others fixed; the number of changes."""
    n, h = unary.shape
    cost = np.empty(h)
    changes = 0
    for a in range(n):
        for k in range(h):
            cost[k] = unary[a, k]
        for i in range(begin[a], begin[a + 1]):
            other, w = labels[neighbour[i]], weights[edge[i]]
            for k in range(h):
                cost[k] += w * (table[k, other] if tails[edge[i]] == a else table[other, k])
        best = np.argmin(cost)
        # A change must pay by more than rounding, else two labels could take turns for ever.
        if cost[best] < cost[labels[a]] - 1e-12 * (1.0 + abs(cost[best])):
            labels[a] = best
            changes += 1
    return changes
