"""An entity's events over time: series of counts by windows, and what rises and falls in them."""

import numpy as np

from treatise._core.jit import compiled, compiled_step

STATISTICS = 6
"""Of a series: how many are not zero, mean, greatest, sum, sum of squares, standard deviation."""
PER_SERIES = 3 * STATISTICS
"""Those of the series, of its rises and of its falls."""


@compiled_step
def take(x, into):
    """One value more: zeros are dropped (Section 7.1). While it runs, the last place holds squares about the mean."""
    if x == 0.0:
        return
    into[0] += 1.0
    off = x - into[1]
    into[1] += off / into[0]
    into[2] = max(into[2], x)
    into[3] += x
    into[4] += x * x
    into[5] += off * (x - into[1])


@compiled_step
def take_change(before, after, into):
    """A rise or a fall from one value to the next."""
    if after > before:
        take(after - before, into[STATISTICS : 2 * STATISTICS])
    elif after < before:
        take(before - after, into[2 * STATISTICS :])


@compiled_step
def finish(into):
    """Squares about the mean become the standard deviation."""
    for s in range(5, len(into), STATISTICS):
        into[s] = np.sqrt(into[s] / into[s - 5]) if into[s - 5] > 0 else 0.0


@compiled
def whole_series(values, into):
    """The eighteen statistics of a series that is given in full."""
    for t in range(len(values)):
        take(values[t], into[:STATISTICS])
        if t > 0:
            take_change(values[t - 1], values[t], into)
    finish(into)


@compiled_step
def end_window(at, window, last_window, first_window, counts, value, into):
    """A window is over: its values after those of the window before, zero in all windows between.

    Series are events, values of each field, and events by values; ``value`` holds those of the window before.
    """
    fields = len(counts) - 1
    for s in range(2 * fields + 1):
        if s <= fields:
            new = float(counts[s])
        else:
            held = counts[s - fields]
            new = counts[0] / held if held > 0 else 0.0
        series = into[PER_SERIES * s : PER_SERIES * (s + 1)]
        take(new, series[:STATISTICS])
        if last_window < 0:
            if window > first_window:
                take_change(0.0, new, series)
        elif last_window == window - 1:
            take_change(value[s], new, series)
        else:
            take_change(value[s], 0.0, series)
            take_change(0.0, new, series)
        value[s] = new


@compiled
def window_series(first, last, starts, windows, last_of_log, codes, n_values, out):
    """Statistics of the series of entities from first to last; windows are numbered from 0, as the log begins."""
    fields = len(codes)
    offset = np.zeros(fields + 1, dtype=np.int64)
    for f in range(fields):
        offset[f + 1] = offset[f] + n_values[f]
    seen = np.full(offset[fields], -1, dtype=np.int64)  # the first event of the window that a value was last seen in
    counts = np.zeros(fields + 1, dtype=np.int64)
    value = np.zeros(2 * fields + 1)
    for e in range(first, last):
        into = out[e]
        last_window, begin = -1, starts[e]
        value[:] = 0.0
        counts[:] = 0
        for i in range(starts[e], starts[e + 1]):
            counts[0] += 1
            for f in range(fields):
                code = codes[f][i]
                if code >= 0 and seen[offset[f] + code] != begin:
                    seen[offset[f] + code] = begin
                    counts[f + 1] += 1
            if i + 1 == starts[e + 1] or windows[i + 1] != windows[i]:
                end_window(i, windows[i], last_window, 0, counts, value, into)
                last_window, begin = windows[i], i + 1
                counts[:] = 0
        if last_window < last_of_log:
            for s in range(2 * fields + 1):
                take_change(value[s], 0.0, into[PER_SERIES * s : PER_SERIES * (s + 1)])
        finish(into[: PER_SERIES * (2 * fields + 1)])


@compiled
def gap_series(first, last, starts, times, out):
    """Statistics of the seconds between an entity's events, which are a series by themselves."""
    for e in range(first, last):
        into = out[e]
        before = 0.0
        for i in range(starts[e] + 1, starts[e + 1]):
            gap = (times[i] - times[i - 1]) / 1e6
            take(gap, into[:STATISTICS])
            if i > starts[e] + 1:
                take_change(before, gap, into)
            before = gap
        finish(into[:PER_SERIES])


@compiled
def volume_statistics(first, last, starts, windows, out):
    """Greatest, mean, variance and skewness of the events in the windows that have any."""
    for e in range(first, last):
        # Twice over the events: the moments are taken about the mean.
        cells, greatest, mean = 0, 0, 0.0
        for i in range(starts[e], starts[e + 1]):
            cells += i == starts[e] or windows[i] != windows[i - 1]
        mean = (starts[e + 1] - starts[e]) / cells
        second, third, count = 0.0, 0.0, 0
        for i in range(starts[e], starts[e + 1]):
            count += 1
            if i + 1 == starts[e + 1] or windows[i + 1] != windows[i]:
                greatest = max(greatest, count)
                off = count - mean
                second += off * off
                third += off * off * off
                count = 0
        variance = second / cells
        out[e, 0], out[e, 1], out[e, 2] = greatest, mean, variance
        out[e, 3] = third / cells / variance**1.5 if variance > 0.0 else 0.0
