"""Counts of families, in every way of counting, against tables counted row by row."""

import itertools
import math

import numpy as np
import pytest

from treatise.statistics.family_counts import FamilyCounts

# Columns of 1, 2, 3, 9 (bit planes), 12 and 300 states (row by row; the last two together by sorting);
# 200 distinct-ish rows, some of them repeated up to 70 times: weights of seven binary digits.
N_STATES = np.array([1, 2, 3, 9, 12, 300, 2])


@pytest.fixture(scope="module")
def codes():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, N_STATES, size=(200, len(N_STATES)))
    repeats = np.ones(200, dtype=int)
    repeats[:10] = rng.integers(2, 70, 10)
    return rng.permutation(np.repeat(rows, repeats, axis=0))


def counted(codes, columns):
    """Occurring configurations of the columns in lexicographic order, and how often each occurs."""
    if not columns:
        return np.empty((1, 0), dtype=int), np.array([len(codes)])
    return np.unique(codes[:, columns], axis=0, return_counts=True)


SETS = [columns for size in range(4) for columns in itertools.permutations(range(7), size)]


def test_tables_equal_counting_row_by_row(codes):
    counts = FamilyCounts(codes, N_STATES)
    for *parents, child in SETS[1:]:
        seen, _ = counted(codes, parents)
        number = {tuple(configuration): at for at, configuration in enumerate(seen.tolist())}
        expected = np.zeros((len(seen), N_STATES[child]), dtype=int)
        for row in codes.tolist():
            expected[number[tuple(row[parent] for parent in parents)], row[child]] += 1
        np.testing.assert_array_equal(counts.table(child, parents), expected)
        np.testing.assert_array_equal(counts.configurations(parents), seen)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_joint_counts_equal_counted_cells_whatever_the_way_and_order(codes, size):
    counts = FamilyCounts(codes, N_STATES)
    sets = np.array(list(itertools.permutations(range(7), size)), dtype=int).reshape(math.perm(7, size), size)
    sets = np.random.default_rng(1).permutation(sets)[:300]
    done = set()
    for which, cells, starts in counts.joint_counts(sets):
        for at, begin, end in zip(which, starts, starts[1:]):
            np.testing.assert_array_equal(cells[begin:end], counted(codes, list(sets[at]))[1])
            done.add(int(at))
    assert done == set(range(len(sets)))


def test_planes_and_rows_count_alike(codes):
    counts = FamilyCounts(codes, N_STATES)
    few = [0, 1, 2, 3, 6]
    sets = np.array(list(itertools.permutations(few, 4)))
    found = []
    for count in (counts._count_by_planes, counts._count_by_radix):
        cells, starts = np.empty(len(sets) * counts.n_distinct_rows, dtype=np.int64), np.empty(len(sets) + 1, np.int64)
        count(sets, 54, cells, starts)
        found.append((starts, cells[: starts[-1]]))
    for of_planes, of_rows in zip(*found):
        np.testing.assert_array_equal(of_planes, of_rows)
    assert found[0][0][-1] > len(sets)


def test_small_blocks_change_nothing(codes, monkeypatch):
    sets = np.array(list(itertools.combinations(range(7), 3)))
    whole = dict(cells_of(FamilyCounts(codes, N_STATES), sets))
    monkeypatch.setattr("treatise.statistics.family_counts._CELLS_AT_ONCE", 50)
    cut = dict(cells_of(FamilyCounts(codes, N_STATES), sets))
    assert cut == whole


def cells_of(counts, sets):
    for which, cells, starts in counts.joint_counts(sets):
        for at, begin, end in zip(which, starts, starts[1:]):
            yield int(at), tuple(cells[begin:end])


def test_identical_rows_are_merged(codes):
    counts = FamilyCounts(codes, N_STATES)
    assert counts.n_samples == len(codes)
    assert counts.n_distinct_rows == len(np.unique(codes, axis=0))


def test_declared_states_that_do_not_occur_have_empty_columns():
    assert FamilyCounts([[0], [0]], [3]).table(0, ()).tolist() == [[2, 0, 0]]


@pytest.mark.parametrize(
    ("codes", "n_states", "message"),
    [
        ([[0.5]], [2], "two-dimensional array of integers"),
        ([0, 1], [2], "two-dimensional array of integers"),
        (np.empty((0, 2), dtype=int), [2, 2], "no rows"),
        ([[0, 1]], [2], "one positive integer for each of the 2 columns"),
        ([[0, 1]], [2, 0], "one positive integer"),
        ([[0, 2]], [2, 2], "column 1 of codes runs from 2 to 2"),
        ([[-1, 0]], [2, 2], "column 0 of codes runs from -1 to -1"),
    ],
)
def test_bad_codes_are_refused(codes, n_states, message):
    with pytest.raises(ValueError, match=message):
        FamilyCounts(codes, n_states)
