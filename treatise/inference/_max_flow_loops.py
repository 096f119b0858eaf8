"""Maximum flow by two growing search trees (the method of Boykov and Kolmogorov, 2004).

One tree grows from the source, one from the sink; where they meet, flow is sent, and the nodes cut off by saturated
arcs look for new parents. Arcs stand in the order of their tails; ``sister[a]`` is the arc back.
"""

import numpy as np

from treatise._core.jit import compiled

NO_PARENT, TERMINAL, ORPHAN = -1, -2, -3


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
    source still reaches.
    """
    n = len(excess)
    parent = np.full(n, NO_PARENT, np.int32)
    in_sink = np.zeros(n, np.bool_)
    stamp = np.zeros(n, np.int32)
    distance = np.zeros(n, np.int32)
    queue = np.empty(n, np.int32)
    queued = np.zeros(n, np.bool_)
    read, waiting = 0, 0
    orphans = np.empty(2 * n + 2, np.int32)
    for i in range(n):
        if excess[i] != 0:
            in_sink[i] = excess[i] < 0
            parent[i] = TERMINAL
            distance[i] = 1
            queue[waiting] = i
            queued[i] = True
            waiting += 1
    write = waiting % n if n else 0
    time = 0
    sent = excess[0] * 0
    current = -1
    while True:
        if current < 0:
            while waiting > 0 and current < 0:
                i = queue[read]
                read = read + 1 if read + 1 < n else 0
                waiting -= 1
                queued[i] = False
                if parent[i] != NO_PARENT:
                    current = i
            if current < 0:
                break
        i = current
        bridge = -1
        for a in range(first[i], first[i + 1]):
            forward = sister[a] if in_sink[i] else a
            if residual[forward] > 0:
                j = head[a]
                if parent[j] == NO_PARENT:
                    in_sink[j] = in_sink[i]
                    parent[j] = sister[a]
                    stamp[j] = stamp[i]
                    distance[j] = distance[i] + 1
                    if not queued[j]:
                        queued[j] = True
                        queue[write] = j
                        write = write + 1 if write + 1 < n else 0
                        waiting += 1
                elif in_sink[j] != in_sink[i]:
                    bridge = forward
                    break
                elif stamp[j] <= stamp[i] and distance[j] > distance[i]:
                    # A shorter way to the terminal keeps the trees flat.
                    parent[j] = sister[a]
                    stamp[j] = stamp[i]
                    distance[j] = distance[i] + 1
        time += 1
        if bridge < 0:
            current = -1
            continue
        amount, n_orphans = _augment(head, sister, residual, excess, parent, bridge, orphans)
        sent += amount
        low = 0
        while n_orphans > 0:
            i = orphans[low]
            low = low + 1 if low + 1 < len(orphans) else 0
            n_orphans -= 1
            best, nearest = -1, np.iinfo(np.int32).max
            for a in range(first[i], first[i + 1]):
                inward = a if in_sink[i] else sister[a]
                if residual[inward] > 0:
                    j = head[a]
                    if in_sink[j] == in_sink[i] and parent[j] != NO_PARENT:
                        d = _distance_to_terminal(head, parent, stamp, distance, j, time)
                        if d < nearest:
                            best, nearest = a, d
            if best >= 0:
                parent[i] = best
                stamp[i] = time
                distance[i] = nearest + 1
                continue
            parent[i] = NO_PARENT
            for a in range(first[i], first[i + 1]):
                j = head[a]
                if in_sink[j] == in_sink[i] and parent[j] != NO_PARENT:
                    inward = a if in_sink[i] else sister[a]
                    if residual[inward] > 0 and not queued[j]:
                        queued[j] = True
                        queue[write] = j
                        write = write + 1 if write + 1 < n else 0
                        waiting += 1
                    if parent[j] >= 0 and head[parent[j]] == i:
                        parent[j] = ORPHAN
                        slot = low + n_orphans
                        orphans[slot if slot < len(orphans) else slot - len(orphans)] = j
                        n_orphans += 1
        if parent[current] == NO_PARENT:
            current = -1
    reached = np.empty(n, np.bool_)
    for i in range(n):
        reached[i] = parent[i] != NO_PARENT and not in_sink[i]
    return sent, reached


@compiled
def _augment(head, sister, residual, excess, parent, bridge, orphans):
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


@compiled
def _distance_to_terminal(head, parent, stamp, distance, j, time):
    """Steps from a node to the root of its tree, or the largest number if it hangs on an orphan; marks the way."""
    endless = np.iinfo(np.int32).max
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
            return endless
        k = head[a]
    steps, k = d, j
    while stamp[k] != time:
        stamp[k] = time
        distance[k] = steps
        steps -= 1
        k = head[parent[k]]
    return d
