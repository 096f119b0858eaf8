"""The network simplex of the transportation problem, on a spanning tree of sources and sinks.

Nodes 0..n-1 are sources and n..n+m-1 sinks; every arc goes from a source to a sink. A basis is a tree: ``parent[x]``,
with the flow of the arc between x and its parent at ``flow[x]``. The potentials of both ends of a tree arc add up to
its cost. Trees are strongly feasible (Cunningham): an arc without flow leads from a source towards the root, which
keeps the search from turning in circles; the choice of the arc that leaves maintains that.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

NONE = -1
EPSILON = 1e-14
"""Share of the largest cost that a reduced cost must fall short of zero by to count."""


@compiled_step
def greedy_tree(supply, demand, cost, parent, flow, left, wanted):
    """A first tree: each source in turn sends to the sink that is cheapest for it, until one of both is done.

    A line that is done hangs below the one that remains. Where both are done at once the sink is closed, so that a
    later arc without flow leads from a source up.
    """
    n, m = supply.shape[0], demand.shape[0]
    for i in range(n):
        left[i] = supply[i]
    for j in range(m):
        wanted[j] = demand[j]
    open_sinks = m
    for i in range(n):
        while True:
            best, cheapest = NONE, np.inf
            for j in range(m):
                if parent[n + j] == NONE and cost[i, j] < cheapest:
                    best, cheapest = j, cost[i, j]
            # The last sink stays open for all sources that are left, and the last source closes all sinks.
            if (left[i] < wanted[best] or open_sinks == 1) and i < n - 1:
                parent[i], flow[i] = n + best, left[i]
                wanted[best] = max(0.0, wanted[best] - left[i])
                break
            if i == n - 1 and open_sinks == 1:
                parent[n + best], flow[n + best] = i, left[i]
                break
            parent[n + best], flow[n + best] = i, wanted[best]
            left[i] = max(0.0, left[i] - wanted[best])
            open_sinks -= 1
    return n - 1


@compiled_step
def hang(x, above, parent, first, following, before):
    """Put node x below another."""
    parent[x] = above
    before[x] = NONE
    following[x] = first[above]
    if first[above] != NONE:
        before[first[above]] = x
    first[above] = x


@compiled_step
def unhang(x, parent, first, following, before):
    """Take node x from below its parent."""
    if before[x] == NONE:
        first[parent[x]] = following[x]
    else:
        following[before[x]] = following[x]
    if following[x] != NONE:
        before[following[x]] = before[x]


@compiled_step
def price_tree(root, cost, parent, first, following, before, depth, potential):
    """Children, depths and potentials of a tree given by its parents."""
    n = cost.shape[0]
    size = parent.shape[0]
    for x in range(size):
        first[x] = NONE
    for x in range(size):
        if x != root:
            hang(x, parent[x], parent, first, following, before)
    following[root] = NONE
    depth[root], potential[root] = 0, 0.0
    x = root
    while True:
        if first[x] != NONE:
            x = first[x]
        else:
            while x != root and following[x] == NONE:
                x = parent[x]
            if x == root:
                return
            x = following[x]
        above = parent[x]
        depth[x] = depth[above] + 1
        price = cost[x, above - n] if x < n else cost[above, x - n]
        potential[x] = price - potential[above]


@compiled_step
def entering_arc(cost, potential, start, block, threshold):
    """Of a block of sources, from ``start`` on, the arc of least reduced cost; further blocks if it has none below."""
    n, m = cost.shape
    source, sink, least = NONE, NONE, threshold
    i = start
    for seen in range(n):
        own = potential[i]
        for j in range(m):
            reduced = cost[i, j] - own - potential[n + j]
            if reduced < least:
                source, sink, least = i, j, reduced
        i += 1
        if i == n:
            i = 0
        if seen + 1 >= block and source != NONE:
            break
    return source, sink, least, i


@compiled_step
def leaving_arc(source, sink, n, parent, depth, flow):
    """Lower end of the arc that leaves, the flow that it bounds, whether it is on the source's side, and the apex.

    Along the cycle, from the apex with the entering arc, the last of the arcs that run dry leaves.
    """
    x, y = source, sink
    bound, out, below_source = np.inf, NONE, True
    while x != y:
        if depth[x] >= depth[y]:
            if x < n and flow[x] < bound:
                bound, out, below_source = flow[x], x, True
            x = parent[x]
        else:
            y = parent[y]
    apex = x
    y = sink
    while y != apex:
        if y >= n and flow[y] <= bound:
            bound, out, below_source = flow[y], y, False
        y = parent[y]
    return out, bound, below_source, apex


@compiled_step
def push(source, sink, apex, amount, n, parent, flow):
    """Send more along the entering arc, and the changes around the cycle."""
    x = source
    while x != apex:
        flow[x] += -amount if x < n else amount
        x = parent[x]
    x = sink
    while x != apex:
        flow[x] += -amount if x >= n else amount
        x = parent[x]


@compiled_step
def replant(top, end, above, amount, n, change, parent, flow, first, following, before, depth, potential):
    """Turn the part below ``top`` so that ``end`` is on top, hang it below another node, and price it anew."""
    x, new_above, new_flow = end, above, amount
    while True:
        old_above, old_flow = parent[x], flow[x]
        unhang(x, parent, first, following, before)
        hang(x, new_above, parent, first, following, before)
        flow[x] = new_flow
        if x == top:
            break
        new_above, new_flow = x, old_flow
        x = old_above
    is_source = end < n
    x = end
    while True:
        depth[x] = depth[parent[x]] + 1
        potential[x] += change if (x < n) == is_source else -change
        if first[x] != NONE:
            x = first[x]
            continue
        while x != end and following[x] == NONE:
            x = parent[x]
        if x == end:
            return
        x = following[x]


@compiled_step
def improve(root, cost, parent, flow, first, following, before, depth, potential, largest, max_pivots):
    """Pivots from a strongly feasible tree to the optimum; returns their number, or -1 where they do not suffice."""
    n = cost.shape[0]
    block, threshold = max(1, int(np.sqrt(n) / 2)), -EPSILON * largest * np.sqrt(parent.shape[0])
    price_tree(root, cost, parent, first, following, before, depth, potential)
    start, fresh = 0, True
    for pivot in range(max_pivots):
        source, sink, reduced, start = entering_arc(cost, potential, start, block, threshold)
        if source == NONE:
            if fresh:
                return pivot
            # Potentials gather rounding errors on the way.
            price_tree(root, cost, parent, first, following, before, depth, potential)
            fresh = True
            continue
        fresh = False
        sink += n
        out, amount, below_source, apex = leaving_arc(source, sink, n, parent, depth, flow)
        if amount > 0.0:
            push(source, sink, apex, amount, n, parent, flow)
        if below_source:
            replant(
                out, source, sink, amount, n, reduced, parent, flow, first, following, before, depth, potential
            )  # fmt: skip
        else:
            replant(
                out, sink, source, amount, n, reduced, parent, flow, first, following, before, depth, potential
            )  # fmt: skip
    return -1


@compiled_step
def total_cost(root, cost, parent, flow):
    """Cost of the flow on a tree."""
    n = cost.shape[0]
    total = 0.0
    for x in range(parent.shape[0]):
        if x != root:
            total += flow[x] * (cost[x, parent[x] - n] if x < n else cost[parent[x], x - n])
    return total


@compiled
def transport_from(supply, demand, cost, root, parent, flow, potential, max_pivots):
    """Solve from the tree given, or from a first one where ``root`` is negative: root, pivots and cost."""
    size = parent.shape[0]
    if root < 0:
        parent[:] = NONE
        left, wanted = np.empty(supply.shape[0]), np.empty(demand.shape[0])
        root = greedy_tree(supply, demand, cost, parent, flow, left, wanted)
        parent[root] = NONE
    first, following = np.empty(size, np.int32), np.empty(size, np.int32)
    before, depth = np.empty(size, np.int32), np.empty(size, np.int32)
    largest = np.abs(cost).max()
    pivots = improve(root, cost, parent, flow, first, following, before, depth, potential, largest, max_pivots)
    return root, pivots, total_cost(root, cost, parent, flow)


@compiled
def transport_pairs(
    pairs, starts, split, bins, amounts, cost, roots, parents, flows, values, pivots, max_pivots, begin, end
):  # fmt: skip
    """Solve several problems over one table of costs, each from its own tree, those in ``pairs[begin:end]``.

    Problem k has the nodes ``starts[k]:starts[k + 1]``, of which the first ``split[k]`` are sources; ``bins`` are their
    rows or columns in ``cost`` and ``amounts`` what they send or take.
    """
    widest = 0
    for at in range(begin, end):
        widest = max(widest, starts[pairs[at] + 1] - starts[pairs[at]])
    first, following = np.empty(widest, np.int32), np.empty(widest, np.int32)
    before, depth = np.empty(widest, np.int32), np.empty(widest, np.int32)
    potential, left, wanted = np.empty(widest), np.empty(widest), np.empty(widest)
    room = np.empty(widest * widest // 4 + 1)
    for at in range(begin, end):
        k = pairs[at]
        low, high = starts[k], starts[k + 1]
        n, m = split[k], high - low - split[k]
        values[k], pivots[k] = 0.0, 0
        if n == 0 or m == 0:
            continue
        own = room[: n * m].reshape(n, m)
        largest = 0.0
        for i in range(n):
            for j in range(m):
                own[i, j] = cost[bins[low + i], bins[low + n + j]]
                largest = max(largest, abs(own[i, j]))
        parent, flow = parents[low:high], flows[low:high]
        if roots[k] < 0:
            parent[:] = NONE
            roots[k] = greedy_tree(
                amounts[low : low + n], amounts[low + n : high], own, parent, flow, left, wanted
            )  # fmt: skip
            parent[roots[k]] = NONE
        pivots[k] = improve(
            roots[k], own, parent, flow, first, following, before, depth, potential, largest, max_pivots
        )  # fmt: skip
        values[k] = total_cost(roots[k], own, parent, flow)


@compiled
def add_plans(pairs, weights, starts, split, bins, roots, parents, flows, total):
    """Add the weighted plans of some problems to a table over all bins."""
    for at in range(pairs.shape[0]):
        k, weight = pairs[at], weights[at]
        low, n = starts[k], split[k]
        if n == 0 or starts[k + 1] - low == n:
            continue
        for x in range(starts[k + 1] - low):
            if x != roots[k]:
                source, sink = (x, parents[low + x]) if x < n else (parents[low + x], x)
                total[bins[low + source], bins[low + sink]] += weight * flows[low + x]
