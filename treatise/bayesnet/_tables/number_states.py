"""States of columns of numbers: their distinct values, or intervals that the classes ask for."""

from itertools import pairwise

import numpy as np
from sklearn.utils import gen_batches

from treatise.bayesnet._tables.coding_loops import mark_integers
from treatise.statistics._discretize_loops import mdl_cuts_of_one
from treatise.statistics._encoding_loops import has_more_than_two_values

CELLS_AT_ONCE = 1 << 17
"""Cells coded in one go: a megabyte of numbers, which stays in the cache."""

_MOST_UNITS = 1 << 22
"""Sum of whole weights above which they are scaled down for the search of cuts."""


def distinct_numbers(values):
    """Sorted distinct numbers of a column, NaN left out."""
    found = np.unique(values.astype(np.float64))
    return found[~np.isnan(found)]


def distinct_integers(numbers):
    """Sorted distinct numbers of every column; by a table of those present where they lie near one another."""
    low, high = numbers.min(axis=0).astype(object), numbers.max(axis=0).astype(object)
    largest = max(*-low, *high)
    if largest > 2**53:
        raise ValueError(f"X holds a number as large as {largest}, which is no code; give such columns as strings")
    widths = (high - low + 1).astype(np.int64)
    if widths.max() > max(4 * len(numbers), 1 << 16):
        return [distinct_numbers(numbers[:, i]) for i in range(numbers.shape[1])]
    low, starts = low.astype(np.int64), np.concatenate([[0], np.cumsum(widths)])
    present = np.zeros(starts[-1], dtype=bool)
    for rows in gen_batches(len(numbers), max(1, CELLS_AT_ONCE // numbers.shape[1])):
        mark_integers(np.ascontiguousarray(numbers[rows], dtype=np.float64), low, starts, present)
    return [
        np.flatnonzero(present[begin:end]).astype(np.float64) + least
        for begin, end, least in zip(starts, starts[1:], low)
    ]


def stored_and_zero(by_column, i):
    """Values of a column of a CSC matrix, with one zero for all that are not stored."""
    stored = by_column.data[by_column.indptr[i] : by_column.indptr[i + 1]]
    return stored if len(stored) == by_column.shape[0] else np.append(stored, 0)


def whole_units(weights, n_samples):
    """Weights as whole numbers of at least one for the search of cuts, which counts rows."""
    if weights is None:
        return np.ones(n_samples, dtype=np.int64)
    scale = min(1.0, max(n_samples, _MOST_UNITS) / weights.sum())
    return np.maximum(np.rint(scale * weights), 1).astype(np.int64)


def dense_entries(numbers, i, labels, units):
    """Values of a column that are not missing, with the class and the weight of each."""
    values = numbers[:, i].astype(np.float64)
    known = ~np.isnan(values)
    return (values, labels, units) if known.all() else (values[known], labels[known], units[known])


def stored_entries(by_column, i, labels, units, totals):
    """As :func:`dense_entries` of a CSC matrix: the stored values, and the zeros of each class as one entry."""
    begin, end = by_column.indptr[i], by_column.indptr[i + 1]
    values, rows = by_column.data[begin:end].astype(np.float64), by_column.indices[begin:end]
    zeros = totals - np.bincount(labels[rows], units[rows], len(totals)).astype(np.int64)
    zero_classes = np.flatnonzero(zeros).astype(np.int32)
    known = ~np.isnan(values)
    return (
        np.concatenate([values[known], np.zeros(len(zero_classes))]),
        np.concatenate([labels[rows][known], zero_classes]),
        np.concatenate([units[rows][known], zeros[zero_classes]]),
    )


def class_cuts(values, labels, units, n_classes, table):
    """Cuts of a column: one between its two values, or those that pay for their description (Fayyad and Irani)."""
    many = np.zeros(1, dtype=bool)
    if not len(values):
        return np.empty(0)
    has_more_than_two_values(values[np.newaxis], many)
    if not many[0]:
        low, high = values.min(), values.max()
        middle = low + (high - low) / 2
        return np.array([middle if middle < high else low])[: int(low < high)]
    order = np.argsort(values, kind="stable")
    cuts = np.empty(len(values))
    found = mdl_cuts_of_one(
        values[order], labels[order], units[order], n_classes, table.values, table.unit, True, -1, cuts
    )  # fmt: skip
    return cuts[:found]


def values_in_words(points):
    """Values as they were given: whole numbers as integers."""
    return tuple(int(value) if value == int(value) else value for value in points)


def intervals_in_words(cuts):
    """Intervals between cuts; a value equal to a cut lies left of it."""
    if not cuts:
        return ("any",)
    words = [f"{cut:.6g}" for cut in cuts]
    if len(set(words)) < len(words):
        words = list(map(repr, cuts))
    between = [f"({low}, {high}]" for low, high in pairwise(words)]
    return (f"<= {words[0]}", *between, f"> {words[-1]}")
