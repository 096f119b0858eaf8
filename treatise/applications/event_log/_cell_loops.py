"""Events of an entity that have one value: how many there are, over how many times, and in which parts of the day.

Rows come by entity, value and time, so that one pass counts the cells (entity, value, bucket of time) of all widths of
buckets. Counts and their squares are whole numbers: their sums are exact in any order.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._chao_shen_loops import chao_shen

REPEATED = 2
"""A cell with more events than this is a burst (Table 14 of the paper)."""


@compiled_step
def mean_and_std(cells, total, squares):
    """Of whole numbers that are summed, with their squares."""
    if cells == 0:
        return 0.0, 0.0
    mean = total / cells
    spread = float(cells) * float(squares) - float(total) * float(total)
    return mean, np.sqrt(max(spread, 0.0)) / cells


@compiled
def cell_statistics(first, last, starts, rows, codes, buckets, out):
    """Of entities from first to last: mean, std and events in bursts of the cells, for each width of buckets.

    ``buckets`` has the number of each event's bucket, a row a width, events by entity and time; ``out`` three columns
    a width.
    """
    widths = len(buckets)
    for e in range(first, last):
        for b in range(widths):
            in_bucket = buckets[b]
            cells, squares, bursts, count = 0, 0, 0, 0
            for k in range(starts[e], starts[e + 1]):
                i = rows[k]
                count += 1
                ends = k + 1 == starts[e + 1]
                if not ends:
                    j = rows[k + 1]
                    ends = codes[j] != codes[i] or in_bucket[j] != in_bucket[i]
                if ends:
                    cells += 1
                    squares += count * count
                    if count > REPEATED:
                        bursts += count
                    count = 0
            mean, std = mean_and_std(cells, starts[e + 1] - starts[e], squares)
            out[e, 3 * b], out[e, 3 * b + 1], out[e, 3 * b + 2] = mean, std, bursts


@compiled
def part_statistics(first, last, starts, rows, codes, minutes, part_of, n_parts, out):
    """Mean and std of the cells (value, minute) of each part of the day, and the share of the values seen in it."""
    cells = np.zeros(n_parts, dtype=np.int64)
    totals = np.zeros(n_parts, dtype=np.int64)
    squares = np.zeros(n_parts, dtype=np.int64)
    seen = np.zeros(n_parts, dtype=np.int64)
    stamp = np.full(n_parts, -1, dtype=np.int64)
    for e in range(first, last):
        cells[:], totals[:], squares[:], seen[:] = 0, 0, 0, 0
        values, count, value_start = 0, 0, starts[e]
        for k in range(starts[e], starts[e + 1]):
            i, part = rows[k], part_of[rows[k]]
            count += 1
            if k == starts[e] or codes[i] != codes[rows[k - 1]]:
                value_start = k
                values += codes[i] >= 0
            if codes[i] >= 0 and stamp[part] != value_start:
                stamp[part] = value_start
                seen[part] += 1
            ends = k + 1 == starts[e + 1]
            if not ends:
                j = rows[k + 1]
                ends = codes[j] != codes[i] or minutes[j] != minutes[i]
            if ends:
                cells[part] += 1
                totals[part] += count
                squares[part] += count * count
                count = 0
        for p in range(n_parts):
            mean, std = mean_and_std(cells[p], totals[p], squares[p])
            out[e, 3 * p], out[e, 3 * p + 1] = mean, std
            out[e, 3 * p + 2] = seen[p] / values if values > 0 else 0.0


@compiled
def value_statistics(first, last, starts, rows, codes, out):
    """Of the events that each value has: how many values, greatest, variance, skewness, entropy, that of Chao and Shen.

    Events without a value count for nothing here. Entropies are in nats.
    """
    longest = 0
    for e in range(first, last):
        longest = max(longest, starts[e + 1] - starts[e])
    counts = np.empty(longest, dtype=np.int64)
    for e in range(first, last):
        values, n = 0, 0
        for k in range(starts[e], starts[e + 1]):
            if codes[rows[k]] < 0:
                continue
            if n == 0 or codes[rows[k]] != codes[rows[k - 1]]:
                counts[values] = 0
                values += 1
            counts[values - 1] += 1
            n += 1
        out[e, :] = 0.0
        if values == 0:
            continue
        mean, greatest, second, third, entropy = n / values, 0, 0.0, 0.0, 0.0
        for v in range(values):
            greatest = max(greatest, counts[v])
            off = counts[v] - mean
            second += off * off
            third += off * off * off
            entropy -= counts[v] / n * np.log(counts[v] / n)
        variance = second / values
        out[e, 0], out[e, 1], out[e, 2] = values, greatest, variance
        out[e, 3] = third / values / variance**1.5 if variance > 0.0 else 0.0
        out[e, 4] = entropy if values > 1 else 0.0
        out[e, 5] = chao_shen(counts[:values], n) if values > 1 else 0.0
