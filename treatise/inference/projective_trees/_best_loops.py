"""The heaviest projective tree: the charts of ``_sum_loops`` with the largest term in the place of the sum."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def best_charts(arcs, stops, right, left, right_arc, left_arc, right_at, left_at, right_arc_at, left_arc_at):
    """Largest logarithms, and where they come from: the next dependent, or where two half spans meet."""
    V, n = right.shape[0], right.shape[1]
    for i in range(n):
        for v in range(V):
            right[v, i, i] = stops[i, 1, v]
            left[v, i, i] = stops[i, 0, v]
    for width in range(1, n):
        for i in range(n - width):
            k = i + width
            for v in range(V):
                more = min(v + 1, V - 1)
                to_right = to_left = -np.inf
                right_arc_at[v, i, k] = left_arc_at[v, k, i] = i
                for m in range(i, k):
                    if right[more, i, m] + left[0, k, m + 1] > to_right:
                        to_right = right[more, i, m] + left[0, k, m + 1]
                        right_arc_at[v, i, k] = m
                    if right[0, i, m] + left[more, k, m + 1] > to_left:
                        to_left = right[0, i, m] + left[more, k, m + 1]
                        left_arc_at[v, k, i] = m
                right_arc[v, i, k] = arcs[i, k, v] + to_right
                left_arc[v, k, i] = arcs[k, i, v] + to_left
            for v in range(V):
                right[v, i, k] = left[v, k, i] = -np.inf
                right_at[v, i, k], left_at[v, k, i] = k, i
                for x in range(i, k):
                    if right_arc[v, i, x + 1] + right[0, x + 1, k] > right[v, i, k]:
                        right[v, i, k] = right_arc[v, i, x + 1] + right[0, x + 1, k]
                        right_at[v, i, k] = x + 1
                    if left_arc[v, k, x] + left[0, x, i] > left[v, k, i]:
                        left[v, k, i] = left_arc[v, k, x] + left[0, x, i]
                        left_at[v, k, i] = x


@compiled
def best_heads(log_roots, log_arcs, log_stops, heads):
    """Fill in the heads of the heaviest tree (-1 for the root) and return its weight; minus infinity: there is none."""
    n, V = log_stops.shape[0], log_stops.shape[2]
    charts, at = np.empty((4, V, n, n)), np.empty((4, V, n, n), np.int64)
    right, left = charts[0], charts[1]
    best_charts(log_arcs, log_stops, right, left, charts[2], charts[3], at[0], at[1], at[2], at[3])
    best, root = -np.inf, 0
    for r in range(n):
        weight = log_roots[r] + left[0, r, 0] + right[0, r, n - 1]
        if weight > best:
            best, root = weight, r
    if best == -np.inf:
        return best
    heads[root] = -1
    # Spans still to be read: head, far end, dependents beyond it, and the side (a word's own two spans look alike).
    waiting = np.empty((2 * n + 2, 4), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = root, 0, 0, 0
    waiting[1, 0], waiting[1, 1], waiting[1, 2], waiting[1, 3] = root, n - 1, 0, 1
    count = 2
    while count > 0:
        count -= 1
        h, end, v, side = waiting[count, 0], waiting[count, 1], waiting[count, 2], waiting[count, 3]
        if h == end:
            continue
        c = at[1 - side, v, h, end]
        m = at[3 - side, v, h, c]
        heads[c] = h
        more = min(v + 1, V - 1)
        # What is beyond the dependent is its own; between the two, the head's part ends where the dependent's begins.
        near, far = (m, m + 1) if side == 1 else (m + 1, m)
        for span in range(3):
            head, stretch, taken, way = c, end, 0, side
            if span == 1:
                head, stretch, taken, way = h, near, more, side
            elif span == 2:
                head, stretch, taken, way = c, far, 0, 1 - side
            waiting[count, 0], waiting[count, 1], waiting[count, 2], waiting[count, 3] = head, stretch, taken, way
            count += 1
    return best
