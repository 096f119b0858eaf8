"""Kernel smoothing along sorted values, and backfitting of additive functions with it."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def epanechnikov_sums(knots, bandwidth, mass, out):
    """``sum_g (1 - u^2) mass_g`` over ``|u| < 1``, ``u = (knots_g - x) / bandwidth``, at every knot x, in one pass.

    Three sums of the window, over 1, u and u^2, move along with x. They are added up afresh whenever the window has
    left all of its former points, so that rounding does not pile up.
    """
    low, high, fresh = 0, 0, 0
    s0, s1, s2 = 0.0, 0.0, 0.0
    for i in range(len(knots)):
        x = knots[i]
        if i > 0:
            d = (x - knots[i - 1]) / bandwidth
            s2 += d * (d * s0 - 2.0 * s1)
            s1 -= d * s0
        while high < len(knots) and knots[high] - x < bandwidth:
            u = (knots[high] - x) / bandwidth
            s0 += mass[high]
            s1 += mass[high] * u
            s2 += mass[high] * u * u
            high += 1
        while x - knots[low] >= bandwidth:
            u = (knots[low] - x) / bandwidth
            s0 -= mass[low]
            s1 -= mass[low] * u
            s2 -= mass[low] * u * u
            low += 1
        if low >= fresh:
            s0, s1, s2 = 0.0, 0.0, 0.0
            for g in range(low, high):
                u = (knots[g] - x) / bandwidth
                s0 += mass[g]
                s1 += mass[g] * u
                s2 += mass[g] * u * u
            fresh = high
        out[i] = s0 - s2


@compiled
def smoothed(values, codes, first, knots, bandwidths, j, out):
    """Kernel sums of ``values``, one for each position, along feature j, at its knots."""
    mass = np.zeros(first[j + 1] - first[j])
    for t in range(len(values)):
        mass[codes[j, t]] += values[t]
    epanechnikov_sums(knots[first[j] : first[j + 1]], bandwidths[j], mass, out)


@compiled
def backfit(codes, first, counts, knots, bandwidths, gradient, weight, curves, offset, max_cycles, tol):
    """Weighted backfitting of the working response (Figure 11.3, the inner loop), in place in ``curves``.

    The working response is never formed: its distance from the fit, times the weight, starts as the gradient and loses
    ``weight * change`` with every change of a curve. Curves are centred over the positions. Returns the new offset.
    """
    p, T = codes.shape
    left = gradient.copy()
    total = weight.sum()
    largest = 0
    for j in range(p):
        largest = max(largest, first[j + 1] - first[j])
    above, below = np.empty(largest), np.empty((p, largest))
    for j in range(p):
        smoothed(weight, codes, first, knots, bandwidths, j, below[j, : first[j + 1] - first[j]])
    partial = np.empty(T)
    for _ in range(max_cycles):
        change = left.sum() / total
        offset += change
        for t in range(T):
            left[t] -= weight[t] * change
        moved = 0.0
        for j in range(p):
            G, curve = first[j + 1] - first[j], curves[first[j] : first[j + 1]]
            for t in range(T):
                partial[t] = left[t] + weight[t] * curve[codes[j, t]]
            smoothed(partial, codes, first, knots, bandwidths, j, above[:G])
            mean = 0.0
            for g in range(G):
                above[g] /= below[j, g]
                mean += counts[first[j] + g] * above[g]
            mean /= T
            for g in range(G):
                step = above[g] - mean - curve[g]
                moved += counts[first[j] + g] * step * step
                curve[g] += step
                above[g] = step + mean
            # Centring moves the mean into the offset, which leaves the fit as it is.
            offset += mean
            for t in range(T):
                left[t] -= weight[t] * above[codes[j, t]]
        if moved <= tol * tol * T:
            break
    return offset
