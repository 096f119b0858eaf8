"""Farthest-first symbols of a recording, in a compiled loop that aligns only what can matter."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics.warping._loops import warped


@compiled_step
def fill_envelope(centre, reach, upper, lower):
    """Largest and smallest value of the centre within ``reach`` of each place; a negative reach takes all of it."""
    m = len(centre)
    for i in range(len(upper)):
        first, last = (0, m) if reach < 0 else (max(0, i - reach), min(m, i + reach + 1))
        upper[i], lower[i] = np.max(centre[first:last]), np.min(centre[first:last])


@compiled_step
def least_cost(a, centre, upper, lower, squared, limit):
    """What aligning two series costs at least: their ends are matched, and every value with one of the envelope's."""
    ends = abs(a[0] - centre[0])
    last = abs(a[-1] - centre[-1])
    total = ends * ends if squared else ends
    if len(a) + len(centre) > 2:
        total += last * last if squared else last
    if total >= limit:
        return total
    inside = 0.0
    for i in range(len(a)):
        beyond = max(max(a[i] - upper[i], lower[i] - a[i]), 0.0)
        inside += beyond * beyond if squared else beyond
        if inside >= limit:
            break
    return max(total, inside)


@compiled
def farthest_first(
    values, starts, first, most, theta, window, squared, normalised, distances, labels, chosen, radii, counts
):
    """Max-Min clustering (section 3.1): the segment farthest from all symbols becomes the next one.

    Ends with fewer than ``theta`` between every segment and its symbol, with ``most`` symbols, or with every segment
    equal to one. Fills the distances and labels of segments, the chosen segments and the radius after each; ``counts``
    get the alignments asked for, spared by the least cost, and abandoned. Returns the number of symbols.
    """
    n = len(starts) - 1
    longest, shortest = 0, starts[n]
    for x in range(n):
        longest, shortest = max(longest, starts[x + 1] - starts[x]), min(shortest, starts[x + 1] - starts[x])
    # A path strays by the window and by what the lengths differ; a wider envelope bounds all pairs.
    reach = -1 if window < 0 else window + longest - shortest
    upper, lower, cells = np.empty(longest), np.empty(longest), np.empty(3 * (longest + 2))
    distances[:] = np.inf
    place, found = first, 0
    while True:
        centre = values[starts[place] : starts[place + 1]]
        backwards = centre[::-1].copy()
        fill_envelope(centre, reach, upper, lower)
        chosen[found] = place
        for x in range(n):
            a = values[starts[x] : starts[x + 1]]
            scale = float(len(a) + len(centre)) if normalised else 1.0
            if x == place:
                distances[x], labels[x] = 0.0, found
                continue
            if distances[x] == 0.0:
                continue
            limit = distances[x] * scale
            counts[0] += 1
            if least_cost(a, centre, upper, lower, squared, limit) >= limit:
                counts[1] += 1
                continue
            cost = warped(a, backwards, window, squared, limit, cells)
            if cost == math.inf:
                counts[2] += 1
            elif cost < limit:
                distances[x], labels[x] = cost / scale, found
        place = int(np.argmax(distances))
        radii[found] = distances[place]
        found += 1
        if found == most or distances[place] < theta or distances[place] == 0.0:
            return found
