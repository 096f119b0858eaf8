"""Nearest points in convex hulls of kernel images, for approximate extreme points (JMLR 15:59, Section 4.3)."""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_SMALLEST_CURVATURE = 1e-14
_CLOSE = 1e-2
"""Share of epsilon to which a squared distance is computed where no verdict comes before."""
_ROUNDING = 1e-13
"""Share of k(x, x) below which a squared distance is rounding."""
_SETTLED = 0.1
"""Share of the gain left over all corners down to which the corners in use settle among themselves."""


@compiled_step
def _settle(gram, active, size, mu, slope, close):
    """Move pairs of weights of the active corners, as in an SVM, until their slopes agree to ``close``.

    Slopes of the active corners are kept up; those of others are not. Returns the number of corners still in use.
    """
    for _ in range(1000 + 100 * size):
        i = active[0]
        for a in range(1, size):
            if slope[active[a]] < slope[i]:
                i = active[a]
        lowest = slope[i]
        j = -1
        largest = 0.0
        best_square, best_curvature = 0.0, 1.0
        for a in range(size):
            t = active[a]
            if mu[t] > 0.0 and slope[t] > lowest:
                difference = slope[t] - lowest
                largest = max(largest, difference)
                curvature = max(gram[i, i] + gram[t, t] - 2.0 * gram[i, t], _SMALLEST_CURVATURE)
                square = difference * difference
                if square * best_curvature > best_square * curvature:
                    best_square, best_curvature = square, curvature
                    j = t
        if j < 0 or largest <= close:
            break
        step = (slope[j] - lowest) / best_curvature
        if step >= mu[j]:
            step = mu[j]
            mu[j] = 0.0
        else:
            mu[j] -= step
        mu[i] += step
        for a in range(size):
            t = active[a]
            slope[t] += step * (gram[i, t] - gram[j, t])
    used = 0
    for a in range(size):
        if mu[active[a]] > 0.0:
            active[used] = active[a]
            used += 1
    return used


@compiled_step
def _approach_hull(gram, products, own, count, epsilon, decide, mu, slope, active):
    """The point of a convex hull nearest to x (CheckPoint): ``min || phi(x) - sum_t mu_t phi(x_t) ||^2``, mu a simplex.

    Corners come into use one at a time, the one of lowest slope ``K mu - products`` each time, since few of them carry
    a point. Twice the mean slope less the lowest bounds what is left to gain, so that the distance lies in a known
    interval. With ``decide`` the work ends once that interval lies on one side of ``epsilon``. The paper prints
    k(x_t, x_t) for the first term of the distance: it is k(x, x).

    Returns the squared distance of the point that ``mu`` stands for, and the number of ``active`` corners it uses.
    """
    nearest = 0
    least = np.inf
    for t in range(count):
        squared = gram[t, t] - 2.0 * products[t]
        if squared < least:
            least = squared
            nearest = t
    mu[:count] = 0.0
    mu[nearest] = 1.0
    active[0] = nearest
    size = 1
    distance = own + least
    if decide and distance <= epsilon:
        return max(distance, 0.0), size
    close = max(_CLOSE * epsilon, _ROUNDING * own)
    for _ in range(20 * count):
        for t in range(count):
            slope[t] = -products[t]
        for a in range(size):
            weight = mu[active[a]]
            corner = gram[active[a]]
            for t in range(count):
                slope[t] += weight * corner[t]
        mean_slope = 0.0
        distance = own
        for a in range(size):
            t = active[a]
            mean_slope += mu[t] * slope[t]
            distance += mu[t] * (slope[t] - products[t])
        lowest = 0
        for t in range(1, count):
            if slope[t] < slope[lowest]:
                lowest = t
        gain_left = 2.0 * (mean_slope - slope[lowest])
        if gain_left <= close or (decide and (distance <= epsilon or distance - gain_left > epsilon)):
            break
        if mu[lowest] == 0.0:
            active[size] = lowest
            size += 1
        size = _settle(gram, active, size, mu, slope, 0.5 * _SETTLED * gain_left)
    return max(distance, 0.0), size


@compiled
def next_extreme_point(gram, cross, diagonal, order, place, count, epsilon, mu, slope, active):
    """Place in ``order`` of the next point farther than ``epsilon`` from the hull of the ``count`` points kept.

    ``gram`` holds kernel values among the points kept and ``cross[i]`` those of point i with them. Returns the length
    of ``order`` where all others are near.
    """
    for at in range(place, len(order)):
        i = order[at]
        distance, _ = _approach_hull(gram, cross[i], diagonal[i], count, epsilon, True, mu, slope, active)
        if distance > epsilon:
            return at
    return len(order)


@compiled
def share_among(gram, cross, diagonal, others, weights, count, epsilon, mu, slope, active, beta):
    """Add the weight of each of the ``others`` to the points kept, by its nearest point in their hull (equation 9).

    Returns the largest squared distance.
    """
    largest = 0.0
    for i in others:
        distance, size = _approach_hull(gram, cross[i], diagonal[i], count, epsilon, False, mu, slope, active)
        largest = max(largest, distance)
        for a in range(size):
            beta[active[a]] += weights[i] * mu[active[a]]
    return largest
