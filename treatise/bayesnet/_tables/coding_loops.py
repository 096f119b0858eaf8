"""State of every cell of a table of numbers: the number itself where it is known, or the interval it lies in."""

from treatise._core.jit import compiled, compiled_step

MISSING = -1
"""Code of a missing cell."""


@compiled_step
def state_of(value, points, begin, end, exact):
    """Number of points below the value; if ``exact``, the number of points where none of them is the value itself."""
    if value != value:
        return MISSING
    state = 0
    if end - begin <= 16:
        for s in range(begin, end):
            state += points[s] < value
    else:
        low, high = begin, end
        while low < high:
            middle = (low + high) // 2
            if points[middle] < value:
                low = middle + 1
            else:
                high = middle
        state = low - begin
    if exact and (state == end - begin or points[begin + state] != value):
        return end - begin
    return state


@compiled
def code_cells(numbers, points, starts, exact, codes):
    """States of the cells of a dense table; the points of column i are ``points[starts[i] : starts[i + 1]]``."""
    for t in range(numbers.shape[0]):
        for i in range(numbers.shape[1]):
            value, begin, end = numbers[t, i], starts[i], starts[i + 1]
            if exact[i] and begin < end:
                # Most columns of whole numbers have no gaps: look where the value would then be.
                guess = value - points[begin]
                if 0.0 <= guess < end - begin and points[begin + int(guess)] == value:
                    codes[t, i] = int(guess)
                    continue
            codes[t, i] = state_of(value, points, begin, end, exact[i])


@compiled
def code_entries(data, columns, points, starts, exact, codes):
    """States of the stored entries of a sparse table, each with its column."""
    for e in range(data.shape[0]):
        i = columns[e]
        codes[e] = state_of(data[e], points, starts[i], starts[i + 1], exact[i])


@compiled
def mark_integers(numbers, low, starts, present):
    """Marks ``present[starts[i] + value - low[i]]`` for every cell of a dense table of whole numbers."""
    for t in range(numbers.shape[0]):
        for i in range(numbers.shape[1]):
            present[starts[i] + int(numbers[t, i]) - low[i]] = True
