"""Scales of the covariances at which a mixture's overlap is what was asked for (Algorithms 2.2.1 and 2.2.2)."""

import contextlib
import math

import numpy as np
from scipy.optimize import brentq, minimize

NEGLIGIBLE = 1e-9
"""Pairs whose bound is below this part of the target average are taken for zero."""
FIRST_LOOK = 16
CLOSE = 0.005
"""How close to the largest overlap, relatively, a component grows that is evened out."""
TINY = 1e-300
STEPS = 80
"""Of a factor of four each: no bracket is further away."""
MOST_SEARCHED = 20
"""Components up to which all scales are searched at once for the largest average."""
FURTHEST = 5.0
"""How far the logarithm of a scale is searched."""
WORTH_A_SEARCH = 0.5
"""Part of the average that a draw has to have before."""
GROWTH = 5
"""Steps by which a single component may grow: further on it spreads so thin that it overlaps the others less."""


class Unreachable(Exception):
    """This draw of the components cannot have the overlap; another may.

    ``reached`` is how much of the target it has.
    """

    def __init__(self, why, reached=0.0):
        super().__init__(why)
        self.reached = reached


def average_overlap(pairs, scales, negligible=0.0):
    """Mean overlap of the pairs; those whose bound is below ``negligible`` are left out."""
    chosen = np.flatnonzero(pairs.bounds(scales) > negligible)
    return pairs.overlaps(scales, chosen).sum() / len(pairs)


def largest_overlap(pairs, scales):
    """The largest overlap, and the number of its pair; only pairs are evaluated whose bounds can reach it."""
    bounds = pairs.bounds(scales)
    order = np.argsort(-bounds)
    first = order[:FIRST_LOOK]
    found = pairs.overlaps(scales, first).sum(axis=1)
    rest = order[FIRST_LOOK:]
    rest = rest[bounds[rest] >= found.max()]
    if rest.size:
        found = np.append(found, pairs.overlaps(scales, rest).sum(axis=1))
    best = int(np.argmax(found))
    return float(found[best]), int(np.append(first, rest)[best])


def scale_for(measure, target, *, tolerance, high=None, most=STEPS):
    """Factor at which a measure equals its target, by Brent's method on logarithms.

    Parameters
    ----------
    measure : callable
        Of the factor; it need not be monotone, and goes to zero with the factor.
    target : float
        What is sought.
    tolerance : float
        Absolute, of the measure.
    high : float or None, default=None
        A factor where the measure is known to reach the target; None looks for one upwards from 1.
    most : int, default=STEPS
        Steps upwards before giving up.
    """

    def excess(log_factor):
        value = measure(math.exp(log_factor))
        # An exact zero ends the search.
        return 0.0 if abs(value - target) <= tolerance else math.log(max(value, TINY) / target)

    step, upper = math.log(4.0), 0.0 if high is None else math.log(high)
    at_upper = excess(upper)
    lower, at_lower = upper, at_upper
    for _ in range(most):
        if at_upper >= 0 or high is not None:
            break
        lower, at_lower = upper, at_upper
        upper += step
        at_upper = excess(upper)
    for _ in range(STEPS):
        if at_lower <= 0:
            break
        upper, at_upper = lower, at_lower
        lower -= step
        at_lower = excess(lower)
    if at_lower == 0.0:
        return math.exp(lower)
    if at_upper == 0.0:
        return math.exp(upper)
    if at_lower > 0 or at_upper < 0:
        raise Unreachable("no scale of the covariances brackets the target")
    return math.exp(brentq(excess, lower, upper, xtol=1e-15, rtol=8.9e-16, maxiter=200))


def scales_for_one(pairs, *, average=None, maximum=None, tolerance):
    """One factor for all covariances so that the average or the largest overlap is the target (Algorithm 2.2.1)."""
    ones = np.ones(pairs.n_components)
    limit = pairs.overlaps(apart=False).sum(axis=1)
    reach = limit.max() if average is None else limit.mean()
    target = maximum if average is None else average
    if reach <= target + tolerance:
        raise Unreachable(f"even without any distance between the means the overlap is {reach:.4g}", reach / target)
    if average is None:
        return ones * scale_for(lambda c: largest_overlap(pairs, c * ones)[0], target, tolerance=tolerance)
    negligible = NEGLIGIBLE * average
    return ones * scale_for(lambda c: average_overlap(pairs, c * ones, negligible), target, tolerance=tolerance)


def scales_for_both(pairs, average, maximum, *, tolerance):
    """Factors so that both the average and the largest overlap are the targets (Algorithm 2.2.2).

    All covariances grow until one pair has the largest overlap that was asked for; then that pair stays and the other
    components shrink until the average is right. Where the average is too low, the algorithm of the paper throws the
    draw away; here its components are evened out first, without which some of the paper's own targets would take
    thousands of draws, and then their scales are searched for the largest average.
    """
    scales = scales_for_one(pairs, maximum=maximum, tolerance=tolerance)
    negligible = NEGLIGIBLE * average
    reached = average_overlap(pairs, scales, negligible)
    if reached < average - tolerance:
        scales = evened_out(pairs, scales, maximum)
        reached = average_overlap(pairs, scales, negligible)
    if WORTH_A_SEARCH * average < reached < average - tolerance and pairs.n_components <= MOST_SEARCHED:
        scales = most_average(pairs, scales, maximum)
        scales = scales * scale_for(
            lambda c: largest_overlap(pairs, c * scales)[0], maximum, tolerance=tolerance, most=1
        )
        reached = average_overlap(pairs, scales, negligible)
    _, leading = largest_overlap(pairs, scales)
    if reached < average - tolerance:
        raise Unreachable(f"the average is {reached:.4g} where the largest is right", reached / average)
    others = np.ones(pairs.n_components, dtype=bool)
    others[[pairs.first[leading], pairs.second[leading]]] = False

    def shrunk(factor):
        return np.where(others, factor * scales, scales)

    if reached > average + tolerance:
        factor = scale_for(
            lambda c: average_overlap(pairs, shrunk(c), negligible), average, tolerance=tolerance, high=1
        )
        scales = shrunk(factor)
    # A component that shrinks within a wide one may come to overlap it more.
    if abs(largest_overlap(pairs, scales)[0] - maximum) > 2 * tolerance:
        raise Unreachable("another pair overtakes the largest while the others shrink")
    return scales


def evened_out(pairs, scales, maximum):
    """Scales at which every component overlaps some other as much as the largest overlap, as far as it can.

    One component after the other, the loneliest first, grows until it does; its pairs alone change meanwhile.
    """
    scales = scales.copy()
    nearest = np.zeros(pairs.n_components)
    for number, overlap in enumerate(pairs.overlaps(scales).sum(axis=1)):
        both = [pairs.first[number], pairs.second[number]]
        nearest[both] = np.maximum(nearest[both], overlap)
    for k in np.argsort(nearest, kind="stable"):
        own = np.flatnonzero((pairs.first == k) | (pairs.second == k))

        def nearest_overlap(factor, k=k, own=own):
            grown = scales.copy()
            grown[k] *= factor
            near = own[pairs.bounds(grown)[own] > CLOSE * maximum]
            return pairs.overlaps(grown, near).sum(axis=1).max(initial=0.0)

        if nearest_overlap(1.0) < (1 - 2 * CLOSE) * maximum:
            with contextlib.suppress(Unreachable):
                # From below, so that the largest overlap is never exceeded.
                factor = scale_for(nearest_overlap, maximum * (1 - CLOSE), tolerance=CLOSE * maximum, most=GROWTH)
                scales[k] *= max(1.0, factor)
    return scales


def most_average(pairs, scales, maximum):
    """Scales with about the largest average overlap of which none is above the maximum, nearest to those given."""

    def overlaps(logs):
        return pairs.overlaps(np.exp(logs)).sum(axis=1) / maximum

    start = np.log(scales)
    found = minimize(
        lambda logs: -overlaps(logs).mean(),
        start,
        method="SLSQP",
        bounds=np.stack([start - FURTHEST, start + FURTHEST], axis=1),
        constraints={"type": "ineq", "fun": lambda logs: 1.0 - overlaps(logs)},
        options={"maxiter": 60},
    )
    return np.exp(found.x) if np.isfinite(found.x).all() else scales
