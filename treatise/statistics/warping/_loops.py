"""Dynamic time warping in compiled loops, along diagonals: the cells of one depend only on the two before it."""

import numpy as np

from treatise._core.jit import compiled, compiled_step

NO_WINDOW = -1


@compiled_step
def warped(a, backwards, window, squared, bound, cells):
    """Cost of warping ``a`` onto a series given ``backwards``; infinite as soon as it must exceed ``bound``.

    A path may leave the diagonal by ``window`` steps, besides what the lengths differ by; a negative window lets it
    go anywhere. ``cells`` are 3 (len(a) + 2) numbers to work in: the last three diagonals, whose places are those of
    ``a``, from 1; beside the ends of a diagonal stands infinity.
    """
    n, m = len(a), len(backwards)
    low, high = -(m - 1), n - 1
    if window >= 0:
        low, high = max(low, min(0, n - m) - window), min(high, max(0, n - m) + window)
    width = n + 2
    cells[: 3 * width] = np.inf
    current, one, two = 0, 2 * width, width
    cells[two] = 0.0  # the path begins before both series
    bounded, previous = bound < np.inf, np.inf
    for k in range(n + m - 1):
        # i - j = 2 i - k stays between low and high, and j = k - i inside of the other series.
        first = max(max(0, k - m + 1), (k + low + 1) // 2)
        end = min(min(n - 1, k), (k + high) // 2) + 1
        cells[current + first] = np.inf
        cells[current + end + 1] = np.inf
        # Unsigned places spare the look whether they count from the end.
        own, left, across, other = (
            np.uint64(current + first + 1), np.uint64(one + first), np.uint64(two + first),
            np.uint64(first + m - 1 - k),
        )  # fmt: skip
        begin = np.uint64(first)
        if squared:
            for t in range(np.uint64(max(end - first, 0))):
                step = a[begin + t] - backwards[other + t]
                before = min(cells[left + t], cells[left + t + np.uint64(1)])
                cells[own + t] = step * step + min(before, cells[across + t])
        else:
            for t in range(np.uint64(max(end - first, 0))):
                before = min(cells[left + t], cells[left + t + np.uint64(1)])
                cells[own + t] = abs(a[begin + t] - backwards[other + t]) + min(before, cells[across + t])
        if k == 0:
            cells[two] = np.inf
        if bounded:
            least = np.inf
            for t in range(np.uint64(max(end - first, 0))):
                least = min(least, cells[own + t])
            # Every path has a cell on one of two neighbouring diagonals.
            if min(least, previous) > bound:
                return np.inf
            previous = least
        current, one, two = two, current, one
    return cells[one + n]


@compiled
def pair_costs(values, starts, others, other_starts, window, squared, normalised, same, first, last, out):
    """Costs of rows ``first`` to ``last`` of one list of series against another; of a list with itself above the
    diagonal alone."""
    longest = 0
    for i in range(first, last):
        longest = max(longest, starts[i + 1] - starts[i])
    cells = np.empty(3 * (longest + 2))
    for j in range(len(other_starts) - 1):
        backwards = others[other_starts[j] : other_starts[j + 1]][::-1].copy()
        for i in range(first, min(last, j) if same else last):
            a = values[starts[i] : starts[i + 1]]
            cost = warped(a, backwards, window, squared, np.inf, cells)
            out[i, j] = cost / (len(a) + len(backwards)) if normalised else cost
