"""The sums over projective trees in logarithms throughout: for long sentences and weights far apart.

The same charts and the same order as in ``_sum_loops``, whose words say what they are.
"""

from math import exp, log

import numpy as np

from treatise._core.jit import compiled_step


@compiled_step
def log_sum(terms, count):
    """Logarithm of the sum of the exponentials of the first ``count`` terms."""
    largest = -np.inf
    for t in range(count):
        largest = max(largest, terms[t])
    if largest == -np.inf:
        return largest
    total = 0.0
    for t in range(count):
        total += exp(terms[t] - largest)
    return largest + log(total)


@compiled_step
def log_inside(roots, arcs, stops, right, left, right_arc, left_arc):
    """Fill the four charts with logarithms and return that of the sum over all trees."""
    V, n = right.shape[0], right.shape[1]
    terms = np.empty(n)
    for i in range(n):
        for v in range(V):
            right[v, i, i] = stops[i, 1, v]
            left[v, i, i] = stops[i, 0, v]
    for width in range(1, n):
        for i in range(n - width):
            k = i + width
            for v in range(V):
                more = min(v + 1, V - 1)
                for m in range(i, k):
                    terms[m - i] = right[more, i, m] + left[0, k, m + 1]
                right_arc[v, i, k] = arcs[i, k, v] + log_sum(terms, width)
                for m in range(i, k):
                    terms[m - i] = right[0, i, m] + left[more, k, m + 1]
                left_arc[v, k, i] = arcs[k, i, v] + log_sum(terms, width)
            for v in range(V):
                for x in range(i, k):
                    terms[x - i] = right_arc[v, i, x + 1] + right[0, x + 1, k]
                right[v, i, k] = log_sum(terms, width)
                for x in range(i, k):
                    terms[x - i] = left_arc[v, k, x] + left[0, x, i]
                left[v, k, i] = log_sum(terms, width)
    for r in range(n):
        terms[r] = roots[r] + left[0, r, 0] + right[0, r, n - 1]
    return log_sum(terms, n)


@compiled_step
def log_outside(total, roots, arcs, right, left, right_arc, left_arc, of_right, of_left, of_right_arc, of_left_arc,
                root_share, arc_share, stop_share):  # fmt: skip
    """Shares of the parts, as plain numbers, from charts of logarithms."""
    V, n = right.shape[0], right.shape[1]
    of_right[:] = 0.0
    of_left[:] = 0.0
    of_right_arc[:] = 0.0
    of_left_arc[:] = 0.0
    arc_share[:] = 0.0
    for r in range(n):
        share = exp(roots[r] + left[0, r, 0] + right[0, r, n - 1] - total)
        root_share[r] = share
        of_left[0, r, 0] += share
        of_right[0, r, n - 1] += share
    for width in range(n - 1, 0, -1):
        for i in range(n - width):
            k = i + width
            for v in range(V):
                if of_right[v, i, k] > 0.0:
                    for x in range(i + 1, k + 1):
                        share = of_right[v, i, k] * exp(right_arc[v, i, x] + right[0, x, k] - right[v, i, k])
                        of_right_arc[v, i, x] += share
                        of_right[0, x, k] += share
                if of_left[v, k, i] > 0.0:
                    for x in range(i, k):
                        share = of_left[v, k, i] * exp(left_arc[v, k, x] + left[0, x, i] - left[v, k, i])
                        of_left_arc[v, k, x] += share
                        of_left[0, x, i] += share
            for v in range(V):
                more = min(v + 1, V - 1)
                arc_share[i, k, v] = of_right_arc[v, i, k]
                if of_right_arc[v, i, k] > 0.0:
                    rest = arcs[i, k, v] - right_arc[v, i, k]
                    for m in range(i, k):
                        part = of_right_arc[v, i, k] * exp(right[more, i, m] + left[0, k, m + 1] + rest)
                        of_right[more, i, m] += part
                        of_left[0, k, m + 1] += part
                arc_share[k, i, v] = of_left_arc[v, k, i]
                if of_left_arc[v, k, i] > 0.0:
                    rest = arcs[k, i, v] - left_arc[v, k, i]
                    for m in range(i, k):
                        part = of_left_arc[v, k, i] * exp(right[0, i, m] + left[more, k, m + 1] + rest)
                        of_right[0, i, m] += part
                        of_left[more, k, m + 1] += part
    for i in range(n):
        for v in range(V):
            stop_share[i, 0, v] = of_left[v, i, i]
            stop_share[i, 1, v] = of_right[v, i, i]
