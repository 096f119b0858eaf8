"""The graph of a range move: one chain of nodes for each variable, one node for each label of the interval.

The variable a takes the last label of its chain that stays with the source, or keeps its old one if none does. Costs of
pairs are built as by Ishikawa (2003), which the paper allows in place of its Equations 4 and 5: the arc from label k of
a to label k' <= k of b has the capacity w (d(x+1) - 2 d(x) + d(x-1)) for x = k - k' > 0 and w d(1) for x = 0, except
between the first labels. Every cut then costs what the paper's Properties 1 to 9 say, less the constant kappa. The
directed edge of Figure 5(a) starts at a node that is tied to the source, hence it is a capacity from the source; the
extra node of Figure 5(c) is replaced by capacities from the source and an edge, as footnote 2 of the paper foresees.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled
def range_arcs(length, dense, begin, neighbour, twin):
    """Arcs of the graph for intervals of some length: where each node's begin, their heads, and the arcs back.

    Node ``a * length + k``: down the chain, up the chain, then for each neighbour an arc to its label k, or to all its
    labels if ``dense``.
    """
    n = len(begin) - 1
    each = length if dense else 1
    first = np.zeros(n * length + 1, np.int64)
    for a in range(n):
        for k in range(length):
            chain = (k > 0) + (k < length - 1)
            first[a * length + k + 1] = first[a * length + k] + chain + (begin[a + 1] - begin[a]) * each
    head = np.empty(first[-1], np.int32)
    sister = np.empty(first[-1], np.int32)
    for a in range(n):
        for k in range(length):
            node = a * length + k
            arc = first[node]
            if k > 0:
                head[arc] = node - 1
                sister[arc] = first[node - 1] + (k > 1)
                arc += 1
            if k < length - 1:
                head[arc] = node + 1
                sister[arc] = first[node + 1]
                arc += 1
            for i in range(begin[a], begin[a + 1]):
                b, back = neighbour[i], twin[i] - begin[neighbour[i]]
                for j in range(0 if dense else k, length if dense else k + 1):
                    chain = (j > 0) + (j < length - 1)
                    head[arc] = b * length + j
                    sister[arc] = first[b * length + j] + chain + back * each + (k if dense else 0)
                    arc += 1
    return first, head, sister


class Field(NamedTuple):
    """The energy as arrays: costs of labels and of pairs of them, edges, and the edges at each variable."""

    unary: np.ndarray
    table: np.ndarray
    cap: float
    """The truncation M."""
    tails: np.ndarray
    weights: np.ndarray
    begin: np.ndarray
    neighbour: np.ndarray
    edge: np.ndarray


class MoveGraph(NamedTuple):
    """The graph of moves to intervals of one length."""

    length: int
    dense: bool
    """Whether arcs join different labels."""
    slope: np.ndarray
    """``slope[x]`` is the capacity between labels that are x apart on an edge of weight 1."""
    first: np.ndarray
    """Where the arcs of each node begin."""
    residual: np.ndarray
    """Capacities of the arcs."""
    excess: np.ndarray
    """Capacity from the source to each node, or minus that to the sink."""
    chain_cost: np.ndarray
    """Cost of the label that each node stands for, less ``least``."""
    least: np.ndarray
    """Of each variable, the least cost of what it may take."""


@compiled
def range_capacities(low, labels, moving, field, graph, pair_flow, chain_flow):
    """Capacities of the move to the labels from ``low`` on, for the variables ``moving`` (others stay as they are).

    A moving variable whose label lies outside the interval may keep it (Range Expansion).

    Most labels were in the graph of the move before. The flow that it ended with, as far as it fits, is taken off the
    capacities and put on the excess of the nodes, which changes all cuts by one constant and leaves little to send.
    """
    length, first, residual, excess = graph.length, graph.first, graph.residual, graph.excess
    between = 0.0
    for k in range(length):
        between += graph.slope[k] * (length - k if graph.dense else length)
    for a in range(len(labels)):
        for k in range(length):
            excess[a * length + k] = 0.0
        if not moving[a]:
            for arc in range(first[a * length], first[(a + 1) * length]):
                residual[arc] = 0.0
            continue
        keep, endless = chain_costs(a, low, labels, moving, field, graph, between)
        chain_capacities(a, low, endless, graph, chain_flow)
        pair_capacities(a, low, labels, moving, field, graph, pair_flow)
        inside = low <= labels[a] < low + length
        excess[a * length] += endless if inside else keep - graph.least[a]
        excess[(a + 1) * length - 1] -= graph.chain_cost[(a + 1) * length - 1]


@compiled_step
def chain_costs(a, low, labels, moving, field, graph, between):
    """Costs of the labels that variable a may take, less the least of them; gives that of keeping its own.

    Also gives a capacity that no cut can afford: more than all arcs out of the chain of a together, and no larger than
    needed. ``between`` is what two chains on an edge of weight 1 have between them.
    """
    length, table, cap = graph.length, field.table, field.cap
    cost = graph.chain_cost[a * length : (a + 1) * length]
    keep, endless = field.unary[a, labels[a]], 1.0
    for k in range(length):
        cost[k] = field.unary[a, low + k]
    for i in range(field.begin[a], field.begin[a + 1]):
        b, w = field.neighbour[i], field.weights[field.edge[i]]
        if not moving[b]:
            for k in range(length):
                cost[k] += w * table[low + k, labels[b]]
            continue
        endless += w * (between + cap)
        # Equation 9: a pair of which one keeps a label outside costs w M; both keeping theirs cost what they did.
        if low <= labels[b] < low + length:
            keep += w * cap
        else:
            keep += 0.5 * w * table[labels[a], labels[b]]
    least = cost.min()
    if not low <= labels[a] < low + length:
        least = min(least, keep)
    graph.least[a] = least
    for k in range(length):
        cost[k] -= least
        endless += cost[k]
    return keep, endless


@compiled_step
def chain_capacities(a, low, endless, graph, chain_flow):
    """Arcs down the chain of variable a cost what its labels do; arcs up it cannot be cut."""
    length, residual, excess = graph.length, graph.residual, graph.excess
    cost, least = graph.chain_cost[a * length : (a + 1) * length], graph.least[a]
    carried = 0.0
    for k in range(length):
        node = a * length + k
        excess[node] += carried
        arc = graph.first[node]
        if k > 0:
            residual[arc] = endless + carried
            arc += 1
        if k < length - 1:
            carried = chain_flow[a, low + k] - least
            carried = 0.0 if np.isnan(carried) else min(max(carried, -endless), cost[k])
            residual[arc] = cost[k] - carried
            excess[node] -= carried


@compiled_step
def pair_capacities(a, low, labels, moving, field, graph, pair_flow):
    """Arcs from the chain of variable a to those of its neighbours, by the bend of d; see the head of this file."""
    length, dense, slope, table = graph.length, graph.dense, graph.slope, field.table
    inside = low <= labels[a] < low + length
    for k in range(length):
        node = a * length + k
        arc = graph.first[node] + (k > 0) + (k < length - 1)
        for i in range(field.begin[a], field.begin[a + 1]):
            b, e = field.neighbour[i], field.edge[i]
            w = field.weights[e] if moving[b] else 0.0
            for j in range(0 if dense else k, length if dense else k + 1):
                if k == 0 and j == 0:
                    outside = not inside and not low <= labels[b] < low + length
                    ahead = w * (field.cap - 0.5 * table[labels[a], labels[b]]) if outside else 0.0
                    back = ahead
                else:
                    ahead = w * slope[k - j] if k >= j else 0.0
                    back = w * slope[j - k] if j >= k else 0.0
                if field.tails[e] == a:
                    flow = np.float64(pair_flow[e, low + k, low + j if dense else 0])
                else:
                    flow = -np.float64(pair_flow[e, low + j, low + k if dense else 0])
                flow = min(max(flow, -back), ahead)
                graph.residual[arc] = ahead - flow
                graph.excess[node] -= flow
                arc += 1


@compiled
def carry_flow(low, moving, field, graph, pair_flow, chain_flow):
    """Note the flow that a cut has left behind, by edge and label, for the next move."""
    length, dense, slope, residual = graph.length, graph.dense, graph.slope, graph.residual
    for a in range(len(moving)):
        if not moving[a]:
            continue
        for k in range(length):
            arc = graph.first[a * length + k] + (k > 0)
            if k < length - 1:
                # With what was taken off all labels of a, which is a flow through its whole chain.
                chain_flow[a, low + k] = graph.chain_cost[a * length + k] - residual[arc] + graph.least[a]
                arc += 1
            for i in range(field.begin[a], field.begin[a + 1]):
                e = field.edge[i]
                for j in range(0 if dense else k, length if dense else k + 1):
                    if field.tails[e] == a and moving[field.neighbour[i]]:
                        w = field.weights[e]
                        ahead = w * slope[k - j] if k >= j and k + j > 0 else residual[arc] * (k + j == 0)
                        pair_flow[e, low + k, low + j if dense else 0] = ahead - residual[arc]
                    arc += 1


@compiled
def range_labels(low, length, moving, on_source_side, labels):
    """The labelling that a cut stands for (Equations 3 and 8)."""
    found = labels.copy()
    for a in range(len(labels)):
        if moving[a] and on_source_side[a * length]:
            k = 0
            while k + 1 < length and on_source_side[a * length + k + 1]:
                k += 1
            found[a] = low + k
    return found


@compiled
def smooth_inside(low, length, labels, profile, cap, begin, neighbour):
    """Variables in the interval of which no neighbour in it is beyond the truncation: the set S of section 5.2."""
    moving = np.zeros(len(labels), np.bool_)
    for a in range(len(labels)):
        if low <= labels[a] < low + length:
            moving[a] = True
            for i in range(begin[a], begin[a + 1]):
                other = labels[neighbour[i]]
                if low <= other < low + length and profile[abs(labels[a] - other)] > cap:
                    moving[a] = False
                    break
    return moving
