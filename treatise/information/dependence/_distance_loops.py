"""Sums of products of distances in one dimension by merging sorted runs."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def product_of_distances(x, y):
    """Sum over ordered pairs of |x_i - x_j| |y_i - y_j|, where x is sorted, in O(n log n).

    With x rising, the sum over i < j of (x_j - x_i)(y_j - y_i) is taken twice where y rises too, once off everywhere.
    Pairs in which y rises are met while runs of doubling length are merged by y.
    """
    n = len(x)
    u, v, s, t = x.copy(), y.copy(), np.empty(n), np.empty(n)
    rising, width = 0.0, 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            count, sum_x, sum_y, sum_xy = 0.0, 0.0, 0.0, 0.0
            for place in range(start, end):
                if j == end or (i < middle and v[i] <= v[j]):
                    count += 1.0
                    sum_x += u[i]
                    sum_y += v[i]
                    sum_xy += u[i] * v[i]
                    s[place], t[place] = u[i], v[i]
                    i += 1
                else:
                    rising += count * u[j] * v[j] - u[j] * sum_y - v[j] * sum_x + sum_xy
                    s[place], t[place] = u[j], v[j]
                    j += 1
        u, v, s, t = s, t, u, v
        width *= 2
    total_x, total_y, total_xy = 0.0, 0.0, 0.0
    for i in range(n):
        total_x += x[i]
        total_y += y[i]
        total_xy += x[i] * y[i]
    return 4.0 * rising - 2.0 * (n * total_xy - total_x * total_y)


@compiled
def distance_totals(values):
    """Sum of the distances of each of the sorted values to all others."""
    n, out = len(values), np.empty(len(values))
    below, whole = 0.0, 0.0
    for i in range(n):
        whole += values[i]
    for i in range(n):
        out[i] = (2 * i - n) * values[i] + whole - 2.0 * below
        below += values[i]
    return out
