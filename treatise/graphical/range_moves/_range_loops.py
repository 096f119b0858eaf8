"""The graph of a range move: one chain of nodes for each variable, one node for each label of the interval.

The variable a takes the last label of its chain that stays with the source, or keeps its old one if none does. Costs of
pairs are built as by Ishikawa (2003), which the paper allows in place of its Equations 4 and 5: the arc from label k of
a to label k' <= k of b has the capacity w (d(x+1) - 2 d(x) + d(x-1)) for x = k - k' > 0 and w d(1) for x = 0, except
between the first labels. Every cut then costs what the paper's Properties 1 to 9 say, less the constant kappa. The
directed edge of Figure 5(a) starts at a node that is tied to the source, hence it is a capacity from the source; the
extra node of Figure 5(c) is replaced by capacities from the source and an edge, as footnote 2 of the paper foresees.
"""

import numpy as np

from treatise._core.jit import compiled


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


@compiled
def range_capacities(
    low, length, dense, labels, moving, unary, table, slope, cap, tails, weights, begin, neighbour, edge, first,
    pair_flow, chain_flow, residual, excess, chain_cost, least,
):  # fmt: skip
    """Capacities of the move to the labels from ``low`` on, for the variables ``moving`` (others stay as they are).

    ``slope[x]`` is the capacity between labels that are x apart on an edge of weight 1, ``cap`` the truncation M. A
    moving variable whose label lies outside the interval may keep it (Range Expansion).

    Most labels were in the graph of the move before. The flow that it ended with, as far as it fits, is taken off the
    capacities and put on the excess of the nodes, which changes all cuts by one constant and leaves little to send.
    ``chain_cost`` and ``least`` are filled for :func:`carry_flow`.
    """
    n = len(labels)
    between = 0.0
    for k in range(length):
        between += slope[k] * (length - k if dense else length)
    for a in range(n):
        for k in range(length):
            excess[a * length + k] = 0.0
        if not moving[a]:
            for arc in range(first[a * length], first[(a + 1) * length]):
                residual[arc] = 0.0
            continue
        inside = low <= labels[a] < low + length
        keep = unary[a, labels[a]]
        # More than all arcs out of the chain of a together: as good as infinite, and no larger than needed.
        endless = 1.0
        cost = chain_cost[a * length : (a + 1) * length]
        for k in range(length):
            cost[k] = unary[a, low + k]
        for i in range(begin[a], begin[a + 1]):
            b, w = neighbour[i], weights[edge[i]]
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
        least[a] = cost.min()
        if not inside:
            least[a] = min(least[a], keep)
        for k in range(length):
            cost[k] -= least[a]
            endless += cost[k]
        carried = 0.0
        for k in range(length):
            node = a * length + k
            excess[node] += carried
            arc = first[node]
            if k > 0:
                residual[arc] = endless + carried
                arc += 1
            if k < length - 1:
                carried = chain_flow[a, low + k] - least[a]
                carried = 0.0 if np.isnan(carried) else min(max(carried, -endless), cost[k])
                residual[arc] = cost[k] - carried
                excess[node] -= carried
                arc += 1
            for i in range(begin[a], begin[a + 1]):
                b, e = neighbour[i], edge[i]
                w = weights[e] if moving[b] else 0.0
                for j in range(0 if dense else k, length if dense else k + 1):
                    if k == 0 and j == 0:
                        outside = not inside and not low <= labels[b] < low + length
                        ahead = w * (cap - 0.5 * table[labels[a], labels[b]]) if outside else 0.0
                        back = ahead
                    else:
                        ahead = w * slope[k - j] if k >= j else 0.0
                        back = w * slope[j - k] if j >= k else 0.0
                    if tails[e] == a:
                        flow = np.float64(pair_flow[e, low + k, low + j if dense else 0])
                    else:
                        flow = -np.float64(pair_flow[e, low + j, low + k if dense else 0])
                    flow = min(max(flow, -back), ahead)
                    residual[arc] = ahead - flow
                    excess[node] -= flow
                    arc += 1
        excess[a * length] += endless if inside else keep - least[a]
        excess[(a + 1) * length - 1] -= cost[length - 1]


@compiled
def carry_flow(
    low, length, dense, moving, slope, tails, weights, begin, neighbour, edge, first, residual, chain_cost, least,
    pair_flow, chain_flow,
):  # fmt: skip
    """Note the flow that a cut has left behind, by edge and label, for the next move."""
    for a in range(len(moving)):
        if not moving[a]:
            continue
        for k in range(length):
            arc = first[a * length + k] + (k > 0)
            if k < length - 1:
                # With what was taken off all labels of a, which is a flow through its whole chain.
                chain_flow[a, low + k] = chain_cost[a * length + k] - residual[arc] + least[a]
                arc += 1
            for i in range(begin[a], begin[a + 1]):
                e = edge[i]
                for j in range(0 if dense else k, length if dense else k + 1):
                    if tails[e] == a and moving[neighbour[i]]:
                        ahead = weights[e] * slope[k - j] if k >= j and k + j > 0 else residual[arc] * (k + j == 0)
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
