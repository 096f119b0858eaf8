"""Times between events that follow one another: of a visitor, on a page, and with the same value."""

import numpy as np

from treatise._core.jit import compiled, compiled_step

LONG, SHORT = 10, 5
"""Events that a visitor has at least in a long and in a short profile (Sections 6.1.2 and 6.1.3)."""
FLAG_GAPS, FLAG_SECONDS = 5, 20
"""Gaps of less than so many seconds that raise a flag (Section 6.1.5)."""


@compiled_step
def interval_of(gap, edges):
    """The interval of a gap: the first whose right edge, which belongs to it, is not below; the last has none."""
    low, high = 0, len(edges)
    while low < high:
        middle = (low + high) // 2
        if edges[middle] >= gap:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def gap_profiles(first, last, starts, rows, visitor, page, times, days, edges, out):
    """Histograms of gaps within a day, of visitors with many events, with some, and with some on the same page.

    ``rows`` are by entity, visitor and time. Events at the same time stand in the order of their pages, so that no
    other order of the log's rows could give other answers.
    """
    bins = len(edges) + 1
    for e in range(first, last):
        begin = starts[e]
        while begin < starts[e + 1]:
            who = visitor[rows[begin]]
            end = begin + 1
            while end < starts[e + 1] and visitor[rows[end]] == who:
                end += 1
            if who >= 0 and end - begin >= SHORT:
                visitor_profile(begin, end, rows, page, times, days, edges, bins, end - begin >= LONG, out[e])
            begin = end


@compiled_step
def visitor_profile(begin, end, rows, page, times, days, edges, bins, is_long, into):
    """Gaps of one visitor of one entity."""
    last_page = np.int64(-1)
    k = begin
    while k < end:
        group_end = k + 1
        while group_end < end and times[rows[group_end]] == times[rows[k]]:
            group_end += 1
        pages = np.empty(group_end - k, dtype=np.int64)
        for g in range(group_end - k):
            pages[g] = page[rows[k + g]]
        if len(pages) > 1:
            pages.sort()
        for g in range(len(pages)):
            if k + g > begin and days[rows[k + g]] == days[rows[k + g - 1]]:
                gap = times[rows[k + g]] - times[rows[k + g - 1]]
                at = interval_of(gap, edges)
                if is_long:
                    into[at] += 1.0
                into[bins + at] += 1.0
                if pages[g] >= 0 and pages[g] == last_page:
                    into[2 * bins + at] += 1.0
            last_page = pages[g]
        k = group_end


@compiled
def flagged_groups(first, last, starts, rows, group, known, times, days, out):
    """How many groups (visitor and page) have several quick gaps, and how many quick gaps there are."""
    for e in range(first, last):
        quick, flags, all_quick = 0, 0, 0
        for k in range(starts[e], starts[e + 1]):
            i = rows[k]
            if k > starts[e] and group[rows[k - 1]] == group[i]:
                h = rows[k - 1]
                if known[i] and days[h] == days[i] and times[i] - times[h] < FLAG_SECONDS * 1_000_000:
                    quick += 1
                    all_quick += 1
                    flags += quick == FLAG_GAPS
            else:
                quick = 0
        out[e, 0], out[e, 1] = flags, all_quick


@compiled
def run_shares(first, last, starts, times, codes, out):
    """Share of events whose next one, by time and then by value, has the same value (Section 5.1.3).

    And the same by value alone, which leaves one event for each value: events less values, by events. A missing value
    is a value here.
    """
    for e in range(first, last):
        same, before = 0, np.int64(-2)
        i, end = starts[e], starts[e + 1]
        while i < end:
            j = i + 1
            while j < end and times[j] == times[i]:
                j += 1
            if j == i + 1:
                same += codes[i] == before
                before = np.int64(codes[i])
            else:
                group = np.sort(codes[i:j])
                for c in group:
                    same += c == before
                    before = np.int64(c)
            i = j
        out[e, 0] = same / (end - starts[e])


@compiled
def shares_of(first, last, starts, column, n_columns, out):
    """Share of the entity's events in each column; -1 is none."""
    for e in range(first, last):
        n = starts[e + 1] - starts[e]
        for i in range(starts[e], starts[e + 1]):
            if column[i] >= 0:
                out[e, column[i]] += 1.0
        for c in range(n_columns):
            out[e, c] /= n
