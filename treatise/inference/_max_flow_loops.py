"""Maximum flow by two growing search trees (the method of Boykov and Kolmogorov, 2004).

One tree grows from the source, one from the sink; where they meet, flow is sent, and the nodes cut off by saturated
arcs look for new parents. Arcs stand in the order of their tails; ``sister[a]`` is the arc back.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

NO_PARENT, TERMINAL, ORPHAN = -1, -2, -3
_ENDLESS = 2**31 - 1


@compiled
def arrange_arcs(n, tails, heads):
    """Arcs both ways sorted by tail: where each node's begin, their heads, sisters, and the place of each edge."""
    m = len(tails)
    first = np.zeros(n + 1, np.int64)
    for e in range(m):
        first[tails[e] + 1] += 1
        first[heads[e] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    free = first[:-1].copy()
    head = np.empty(2 * m, np.int32)
    sister = np.empty(2 * m, np.int32)
    place = np.empty(m, np.int32)
    for e in range(m):
        a = free[tails[e]]
        free[tails[e]] += 1
        b = free[heads[e]]
        free[heads[e]] += 1
        head[a], head[b] = heads[e], tails[e]
        sister[a], sister[b] = b, a
        place[e] = a
    return first, head, sister, place


@compiled
def send_flow(first, head, sister, residual, excess):
    """Send all flow that can be sent; ``residual`` and ``excess`` hold what is left, the return value what was sent.

    ``excess`` is the capacity from the source, or minus that to the sink, of each node. Also returns which nodes the
    source still reaches. The three stages of the method take turns: the trees grow until they meet, the path is
    augmented, orphans are adopted. Of every node is known the arc to its parent, whether it is in the sink's tree, its
    distance to the terminal, and the time at which that was last right. Active nodes wait in a ring.
    """
    n = len(excess)
    parent, in_sink = np.full(n, NO_PARENT, np.int32), np.zeros(n, np.bool_)
    stamp, distance = np.zeros(n, np.int32), np.zeros(n, np.int32)
    queue, queued = np.empty(n, np.int32), np.zeros(n, np.bool_)
    orphans = np.empty(2 * n + 2, np.int32)
    # Numbers of a type, not constants, for which the steps would be compiled a second time.
    read, write, waiting, time = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for i in range(n):
        if excess[i] != 0:
            in_sink[i] = excess[i] < 0
            parent[i] = TERMINAL
            distance[i] = 1
            write, waiting = activate(queue, queued, write, waiting, i)
    sent = excess[0] * 0
    current = -1
    while True:
        while current < 0 and waiting > 0:
            i = queue[read]
            read = read + 1 if read + 1 < n else 0
            waiting -= 1
            queued[i] = False
            if parent[i] != NO_PARENT:
                current = i
        if current < 0:
            break
        # Growth, over free neighbours, until an arc meets the other tree.
        i, bridge = current, -1
        for a in range(first[i], first[i + 1]):
            forward = sister[a] if in_sink[i] else a
            if residual[forward] > 0:
                j = head[a]
                if parent[j] == NO_PARENT:
                    in_sink[j] = in_sink[i]
                    parent[j], stamp[j], distance[j] = sister[a], stamp[i], distance[i] + 1
                    write, waiting = activate(queue, queued, write, waiting, j)
                elif in_sink[j] != in_sink[i]:
                    bridge = forward
                    break
                elif stamp[j] <= stamp[i] and distance[j] > distance[i]:
                    # A shorter way to the terminal keeps the trees flat.
                    parent[j], stamp[j], distance[j] = sister[a], stamp[i], distance[i] + 1
        time += 1
        if bridge < 0:
            current = -1
            continue
        amount, n_orphans = augment(head, sister, residual, excess, parent, bridge, orphans)
        sent += amount
        write, waiting = adopt(
            first, head, sister, residual, parent, in_sink, stamp, distance, queue, queued, write, waiting, orphans,
            n_orphans, time,
        )  # fmt: skip
        if parent[current] == NO_PARENT:
            current = -1
    reached = np.empty(n, np.bool_)
    for i in range(n):
        reached[i] = parent[i] != NO_PARENT and not in_sink[i]
    return sent, reached


@compiled_step
def activate(queue, queued, write, waiting, i):
    """Let a node wait, if it does not yet; gives where the ring is written next, and how many nodes wait in it."""
    if queued[i]:
        return write, waiting
    queued[i] = True
    queue[write] = i
    return (write + 1 if write + 1 < len(queue) else 0), waiting + 1


@compiled_step
def adopt(
    first, head, sister, residual, parent, in_sink, stamp, distance, queue, queued, write, waiting, orphans, n_orphans,
    time,
):  # fmt: skip
    """Each orphan takes the neighbour of its tree nearest to the terminal for its parent, or falls free.

    The neighbours of one that falls free become active, and its children orphans. Gives what :func:`activate` does.
    """
    low = 0
    while n_orphans > 0:
        i = orphans[low]
        low = low + 1 if low + 1 < len(orphans) else 0
        n_orphans -= 1
        best, nearest = nearest_parent(first, head, sister, residual, parent, in_sink, stamp, distance, i, time)
        if best >= 0:
            parent[i], stamp[i], distance[i] = best, time, nearest + 1
            continue
        parent[i] = NO_PARENT
        for a in range(first[i], first[i + 1]):
            j = head[a]
            if in_sink[j] == in_sink[i] and parent[j] != NO_PARENT:
                inward = a if in_sink[i] else sister[a]
                if residual[inward] > 0:
                    write, waiting = activate(queue, queued, write, waiting, j)
                if parent[j] >= 0 and head[parent[j]] == i:
                    parent[j] = ORPHAN
                    slot = low + n_orphans
                    orphans[slot if slot < len(orphans) else slot - len(orphans)] = j
                    n_orphans += 1
    return write, waiting


@compiled_step
def nearest_parent(first, head, sister, residual, parent, in_sink, stamp, distance, i, time):
    """The arc from a node to its possible parent with the fewest steps to the terminal, or -1; and these steps."""
    best, nearest = -1, _ENDLESS
    for a in range(first[i], first[i + 1]):
        inward = a if in_sink[i] else sister[a]
        if residual[inward] > 0:
            j = head[a]
            if in_sink[j] == in_sink[i] and parent[j] != NO_PARENT:
                d = distance_to_terminal(head, parent, stamp, distance, j, time)
                if d < nearest:
                    best, nearest = a, d
    return best, nearest


@compiled_step
def augment(head, sister, residual, excess, parent, bridge, orphans):
    """Send flow along the path that crosses ``bridge``; nodes whose arc to the parent fills up become orphans."""
    amount = residual[bridge]
    start, end = head[sister[bridge]], head[bridge]
    i = start
    while parent[i] != TERMINAL:
        amount = min(amount, residual[sister[parent[i]]])
        i = head[parent[i]]
    amount = min(amount, excess[i])
    i = end
    while parent[i] != TERMINAL:
        amount = min(amount, residual[parent[i]])
        i = head[parent[i]]
    amount = min(amount, -excess[i])
    count = 0
    residual[bridge] -= amount
    residual[sister[bridge]] += amount
    i = start
    while parent[i] != TERMINAL:
        a = parent[i]
        residual[a] += amount
        residual[sister[a]] -= amount
        if not residual[sister[a]] > 0:
            parent[i] = ORPHAN
            orphans[count] = i
            count += 1
        i = head[a]
    excess[i] -= amount
    if not excess[i] > 0:
        parent[i] = ORPHAN
        orphans[count] = i
        count += 1
    i = end
    while parent[i] != TERMINAL:
        a = parent[i]
        residual[sister[a]] += amount
        residual[a] -= amount
        if not residual[a] > 0:
            parent[i] = ORPHAN
            orphans[count] = i
            count += 1
        i = head[a]
    excess[i] += amount
    if not excess[i] < 0:
        parent[i] = ORPHAN
        orphans[count] = i
        count += 1
    return amount, count


@compiled_step
def distance_to_terminal(head, parent, stamp, distance, j, time):
    """Steps from a node to the root of its tree, or the largest number if it hangs on an orphan; marks the way."""
    d, k = 0, j
    while True:
        if stamp[k] == time:
            d += distance[k]
            break
        a = parent[k]
        d += 1
        if a == TERMINAL:
            stamp[k] = time
            distance[k] = 1
            break
        if a in (ORPHAN, NO_PARENT):
            return _ENDLESS
        k = head[a]
    steps, k = d, j
    while stamp[k] != time:
        stamp[k] = time
        distance[k] = steps
        steps -= 1
        k = head[parent[k]]
    return d
