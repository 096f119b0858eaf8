"""Conditional mutual information maximisation on bit planes (Fleuret, JMLR 5:1531, Section 4).

Column i has the values ``starts[i]:starts[i + 1]``, and a packed plane of rows for each but the first. Information is
in whole numbers, n times the bits in the unit of the table f(c) = c log2 c: the same counts give the same score,
whatever the order in which they were taken.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._counts_loops import common_ones, popcount


@compiled_step
def common_ones_of_three(first, second, third):
    """Number of positions where three packed bit vectors are one."""
    total = np.uint64(0)
    for w in range(first.shape[0]):
        total += popcount(first[w] & second[w] & third[w])
    return np.int64(total)


@compiled
def class_counts(planes, counts, starts, y_planes, y_counts, cells):
    """Rows of each class with each value of each column."""
    for i in range(starts.shape[0] - 1):
        first = starts[i]
        for c in range(y_counts.shape[0]):
            cells[first, c] = y_counts[c]
        for a in range(first + 1, starts[i + 1]):
            rest = counts[a]
            for c in range(1, y_counts.shape[0]):
                cells[a, c] = common_ones(planes[a - i - 1], y_planes[c - 1])
                rest -= cells[a, c]
            cells[a, 0] = rest
            for c in range(y_counts.shape[0]):
                cells[first, c] -= cells[a, c]


@compiled_step
def information_of_class(counts, first, last, f):
    """Sum of f over the cells of values first:last x classes, less that over the values: minus n H(class | value)."""
    total = np.int64(0)
    for a in range(first, last):
        of_value = np.int64(0)
        for c in range(counts.shape[1]):
            total += f[counts[a, c]]
            of_value += counts[a, c]
        total -= f[of_value]
    return total


@compiled_step
def conditional_information(planes, starts, cells, y_planes, f, i, m, rest, cell):
    """n I(class; column i | column m): the paper's cond_mut_inf(i, m).

    ``rest`` begins as the classes within each value of m and ends as those where column i has its first value; the
    counts with a first value of m, or the first class, follow from margins.
    """
    n_given, n_classes = starts[m + 1] - starts[m], cells.shape[1]
    for v in range(n_given):
        for c in range(n_classes):
            rest[v, c] = cells[starts[m] + v, c]
    total = -information_of_class(rest, 0, n_given, f)
    for a in range(starts[i] + 1, starts[i + 1]):
        own = planes[a - i - 1]
        for c in range(n_classes):
            cell[0, c] = cells[a, c]
        for v in range(1, n_given):
            given = planes[starts[m] + v - m - 1]
            cell[v, 0] = common_ones(own, given)
            for c in range(1, n_classes):
                cell[v, c] = common_ones_of_three(own, given, y_planes[c - 1])
                cell[v, 0] -= cell[v, c]
            for c in range(n_classes):
                cell[0, c] -= cell[v, c]
        total += information_of_class(cell, 0, n_given, f)
        for v in range(n_given):
            for c in range(n_classes):
                rest[v, c] -= cell[v, c]
    return total + information_of_class(rest, 0, n_given, f)


@compiled_step
def sift_down(heap, size, score, at):
    """Let a column sink in a heap whose top has the highest score, of equals the first in the table."""
    moved = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and is_ahead(heap[child + 1], heap[child], score):
            child += 1
        if not is_ahead(heap[child], moved, score):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moved


@compiled_step
def is_ahead(one, other, score):
    """Whether one column comes before another."""
    return score[one] > score[other] or (score[one] == score[other] and one < other)


@compiled
def lazy_picks(planes, starts, cells, y_planes, y_counts, f, least_alone, least_given, relevance, picks, pick_scores):
    """Algorithm 2: the picks, their scores and n I(class; column); returns the number of picks and of evaluations.

    An information of at most what ``least_alone`` or ``least_given`` say, by its degrees of freedom, counts as none.
    The paper goes through the columns in their order; here the one of the highest score is next, until that one is up
    to date.
    """
    p, n_classes = starts.shape[0] - 1, cells.shape[1]
    widest = np.int64(1)
    for i in range(p):
        widest = max(widest, starts[i + 1] - starts[i])
    rest, cell = np.empty((widest, n_classes), dtype=np.int64), np.empty((widest, n_classes), dtype=np.int64)
    score, up_to = np.empty(p, dtype=np.int64), np.zeros(p, dtype=np.int64)
    of_class = information_of_class(y_counts.reshape(1, -1), 0, 1, f)
    for i in range(p):
        relevance[i] = max(0, information_of_class(cells, starts[i], starts[i + 1], f) - of_class)
        told_by_chance = least_alone[(n_classes - 1) * (starts[i + 1] - starts[i] - 1)]
        score[i] = relevance[i] if relevance[i] > told_by_chance else 0
    heap, size = np.arange(p), p
    for at in range(p // 2 - 1, -1, -1):
        sift_down(heap, size, score, at)
    evaluations = 0
    for k in range(picks.shape[0]):
        n = heap[0]
        while up_to[n] < k and score[n] > 0:
            m = picks[up_to[n]]
            up_to[n] += 1
            told = conditional_information(planes, starts, cells, y_planes, f, n, m, rest, cell)
            freedom = (n_classes - 1) * (starts[n + 1] - starts[n] - 1) * (starts[m + 1] - starts[m])
            score[n] = min(score[n], told if told > least_given[freedom] else 0)
            evaluations += 1
            sift_down(heap, size, score, 0)
            n = heap[0]
        if score[n] == 0:
            return k, evaluations
        picks[k], pick_scores[k] = n, score[n]
        size -= 1
        heap[0] = heap[size]
        sift_down(heap, size, score, 0)
    return picks.shape[0], evaluations
