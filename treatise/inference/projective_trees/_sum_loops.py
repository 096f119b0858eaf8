"""Sums over all projective trees of a sentence, and the share of each part in them (inside and outside).

A head takes its dependents on either side from the outermost inwards, so that each side is a chain of choices: with
``v`` dependents taken already, take ``k`` as the next, or stop. Every word has one head, and every word stops once on
either side: dividing all weights of one such choice by a number divides every tree by it.

``right[v, i, j]`` sums over what word i may have on its right up to j, having v dependents beyond j;
``right_arc[v, i, k]`` over the same with k as the next dependent, as far as k's own left side. ``left`` and
``left_arc`` are their mirror images.
"""

from math import exp, log

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.inference.projective_trees._log_loops import log_inside, log_outside

# Divided so that the heaviest way to be attached has weight one, a part that is lost below the least number of double
# precision (1e-308) could be part of fewer than 7^n trees: it matters to no digit of a sum of this size for n up to 80.
_SMALLEST_SUM = 1e-220
_MOST_WORDS = 80


@compiled_step
def inside(roots, arcs, stops, right, left, right_arc, left_arc):
    """Fill the four charts and return the sum over all trees."""
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
                to_right = to_left = 0.0
                for m in range(i, k):
                    to_right += right[more, i, m] * left[0, k, m + 1]
                    to_left += right[0, i, m] * left[more, k, m + 1]
                right_arc[v, i, k] = arcs[i, k, v] * to_right
                left_arc[v, k, i] = arcs[k, i, v] * to_left
            for v in range(V):
                to_right = to_left = 0.0
                for x in range(i, k):
                    to_right += right_arc[v, i, x + 1] * right[0, x + 1, k]
                    to_left += left_arc[v, k, x] * left[0, x, i]
                right[v, i, k] = to_right
                left[v, k, i] = to_left
    total = 0.0
    for r in range(n):
        total += roots[r] * left[0, r, 0] * right[0, r, n - 1]
    return total


@compiled_step
def outside(total, roots, arcs, right, left, right_arc, left_arc, of_right, of_left, of_right_arc, of_left_arc,
            root_share, arc_share, stop_share):  # fmt: skip
    """Shares of the parts: the share of a sum goes to its terms in proportion, from the widest spans to the words."""
    V, n = right.shape[0], right.shape[1]
    of_right[:] = 0.0
    of_left[:] = 0.0
    of_right_arc[:] = 0.0
    of_left_arc[:] = 0.0
    arc_share[:] = 0.0
    for r in range(n):
        share = roots[r] * left[0, r, 0] * right[0, r, n - 1] / total
        root_share[r] = share
        of_left[0, r, 0] += share
        of_right[0, r, n - 1] += share
    for width in range(n - 1, 0, -1):
        for i in range(n - width):
            k = i + width
            for v in range(V):
                if of_right[v, i, k] > 0.0:
                    ratio = of_right[v, i, k] / right[v, i, k]
                    for x in range(i + 1, k + 1):
                        share = ratio * right_arc[v, i, x] * right[0, x, k]
                        of_right_arc[v, i, x] += share
                        of_right[0, x, k] += share
                if of_left[v, k, i] > 0.0:
                    ratio = of_left[v, k, i] / left[v, k, i]
                    for x in range(i, k):
                        share = ratio * left_arc[v, k, x] * left[0, x, i]
                        of_left_arc[v, k, x] += share
                        of_left[0, x, i] += share
            for v in range(V):
                more = min(v + 1, V - 1)
                share = of_right_arc[v, i, k]
                arc_share[i, k, v] = share
                if share > 0.0:
                    ratio = share / right_arc[v, i, k] * arcs[i, k, v]
                    for m in range(i, k):
                        part = ratio * right[more, i, m] * left[0, k, m + 1]
                        of_right[more, i, m] += part
                        of_left[0, k, m + 1] += part
                share = of_left_arc[v, k, i]
                arc_share[k, i, v] = share
                if share > 0.0:
                    ratio = share / left_arc[v, k, i] * arcs[k, i, v]
                    for m in range(i, k):
                        part = ratio * right[0, i, m] * left[more, k, m + 1]
                        of_right[0, i, m] += part
                        of_left[more, k, m + 1] += part
    for i in range(n):
        for v in range(V):
            stop_share[i, 0, v] = of_left[v, i, i]
            stop_share[i, 1, v] = of_right[v, i, i]


@compiled_step
def divided_weights(log_roots, log_arcs, log_stops, roots, arcs, stops):
    """Weights divided so that the largest of each choice is one; the logarithm of what they were divided by."""
    n, V = log_stops.shape[0], log_stops.shape[2]
    scale = 0.0
    for c in range(n):
        largest = log_roots[c]
        for h in range(n):
            if h != c:
                for v in range(V):
                    largest = max(largest, log_arcs[h, c, v])
        if largest == -np.inf:
            return -np.inf
        scale += largest
        roots[c] = exp(log_roots[c] - largest)
        for h in range(n):
            for v in range(V):
                arcs[h, c, v] = exp(log_arcs[h, c, v] - largest) if h != c else 0.0
        for side in range(2):
            largest = -np.inf
            for v in range(V):
                largest = max(largest, log_stops[c, side, v])
            if largest == -np.inf:
                return -np.inf
            scale += largest
            for v in range(V):
                stops[c, side, v] = exp(log_stops[c, side, v] - largest)
    return scale


@compiled
def tree_shares(log_roots, log_arcs, log_stops, root_share, arc_share, stop_share):
    """Logarithm of the sum over all trees of a sentence; the shares are filled in. Minus infinity: there is no tree.

    ``log_arcs[h, c, v]`` is the weight of taking c as a dependent of h after v others on that side,
    ``log_stops[h, side, v]`` that of stopping on a side (0 left, 1 right); v counts up to V - 1, which stands for all
    above.
    """
    n, V = log_stops.shape[0], log_stops.shape[2]
    roots, arcs, stops = np.empty(n), np.empty((n, n, V)), np.empty((n, 2, V))
    scale = divided_weights(log_roots, log_arcs, log_stops, roots, arcs, stops)
    charts, shares = np.empty((4, V, n, n)), np.empty((4, V, n, n))
    if scale > -np.inf and n <= _MOST_WORDS:
        total = inside(roots, arcs, stops, charts[0], charts[1], charts[2], charts[3])
        if total > _SMALLEST_SUM:
            outside(
                total, roots, arcs, charts[0], charts[1], charts[2], charts[3],
                shares[0], shares[1], shares[2], shares[3], root_share, arc_share, stop_share,
            )  # fmt: skip
            return scale + log(total)
    total = log_inside(log_roots, log_arcs, log_stops, charts[0], charts[1], charts[2], charts[3])
    if total > -np.inf:
        log_outside(
            total, log_roots, log_arcs, charts[0], charts[1], charts[2], charts[3],
            shares[0], shares[1], shares[2], shares[3], root_share, arc_share, stop_share,
        )  # fmt: skip
    return total
