"""Compiled loops of forest densities: kernel densities at rows, and draws of one column given another."""

import math

import numpy as np

from treatise._core.jit import compiled


@compiled
def column_log_densities(X, centres, widths, first, last, out):
    """``out[b, k]``: log kernel density at row b of column k, with centres ``centres[k]`` (Equation 7)."""
    d, n = centres.shape
    half = np.empty(n)
    for b in range(first, last):
        for k in range(d):
            nearest = np.inf
            for s in range(n):
                z = (X[b, k] - centres[k, s]) / widths[k]
                half[s] = 0.5 * z * z
                nearest = min(nearest, half[s])
            total = 0.0
            for s in range(n):
                total += math.exp(nearest - half[s])
            out[b, k] = math.log(total) - nearest - math.log(n * widths[k] * math.sqrt(2 * math.pi))


@compiled
def pair_log_densities(X, centres, widths, edges, first, last, out):
    """``out[b, e]``: log kernel density of the two columns of edge e at row b (Equation 6).

    The kernels of a column, divided by the largest of them, serve all its edges.
    """
    d, n = centres.shape
    joined = np.zeros(d, dtype=np.bool_)
    for e in range(len(edges)):
        joined[edges[e, 0]] = True
        joined[edges[e, 1]] = True
    half = np.empty((d, n))
    relative = np.empty((d, n))
    nearest = np.empty(d)
    for b in range(first, last):
        for k in range(d):
            if not joined[k]:
                continue
            nearest[k] = np.inf
            for s in range(n):
                z = (X[b, k] - centres[k, s]) / widths[k]
                half[k, s] = 0.5 * z * z
                nearest[k] = min(nearest[k], half[k, s])
            for s in range(n):
                relative[k, s] = math.exp(nearest[k] - half[k, s])
        for e in range(len(edges)):
            i, j = edges[e]
            total = 0.0
            for s in range(n):
                total += relative[i, s] * relative[j, s]
            log_total = -nearest[i] - nearest[j]
            if total > 1e-250:
                log_total += math.log(total)
            else:
                # Far from all centres at once, where the products underflow: shift by the nearest in the plane.
                together = np.inf
                for s in range(n):
                    together = min(together, half[i, s] + half[j, s])
                total = 0.0
                for s in range(n):
                    total += math.exp(together - half[i, s] - half[j, s])
                log_total = math.log(total) - together
            out[b, e] = log_total - math.log(n * widths[i] * widths[j] * 2 * math.pi)


@compiled
def draw_centres(values, centres, width, uniform):
    """For each value, the number of a centre drawn in proportion to its kernel at the value."""
    n = len(centres)
    drawn = np.empty(len(values), dtype=np.int64)
    cumulative = np.empty(n)
    for b in range(len(values)):
        nearest = np.inf
        for s in range(n):
            z = (values[b] - centres[s]) / width
            cumulative[s] = 0.5 * z * z
            nearest = min(nearest, cumulative[s])
        total = 0.0
        for s in range(n):
            total += math.exp(nearest - cumulative[s])
            cumulative[s] = total
        drawn[b] = min(n - 1, np.searchsorted(cumulative, uniform[b] * total, side="right"))
    return drawn
