"""Counts of a variable's states within each configuration of its parents."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from treatise.statistics._counts import MOST_PLANES, pack_planes
from treatise.statistics._family_loops import ROOM, count_by_planes, count_by_radix, refine

_CELLS_AT_ONCE = 1 << 21
"""Cells written by one call of a loop: 16 MB."""

_WORDS_A_ROW = 8
"""Words of AND and popcount that cost as much as counting one row by its codes (about 0.2 and 2 ns)."""

_MOST_PREFIX_CELLS = 256
"""Configurations kept as bit vectors, beyond which row by row is quicker whatever the table."""


class FamilyCounts:
    """Contingency tables of a table of coded categories.

    Identical rows are merged, with their number as a weight, before anything is counted. Columns of few
    states are counted by AND and popcount over bit planes (n / 64 words a cell), others row by row. A table
    of k columns costs O(n / 64) words for each cell, or O(n) when its neighbour in a batch shares all but
    its last column and O(n k) alone; memory is n integers a column.

    Parameters
    ----------
    codes : array-like of int of shape (n_samples, n_columns)
        States of the variables, from zero.
    n_states : array-like of int of shape (n_columns,)
        Number of states of each column; states that do not occur may be declared.

    Attributes
    ----------
    n_samples : int
        Rows, copies included.
    n_states : ndarray of int64 of shape (n_columns,)
        Declared states.
    n_distinct_rows : int
        Rows left after merging identical ones.

    Examples
    --------
    >>> from treatise.statistics.family_counts import FamilyCounts
    >>> counts = FamilyCounts([[0, 0], [0, 1], [1, 1], [1, 1]], [2, 3])
    >>> counts.table(1, (0,))
    array([[1, 1, 0],
           [0, 2, 0]])
    >>> counts.table(0, ())
    array([[2, 2]])
    """

    def __init__(self, codes: Any, n_states: Any) -> None:
        codes, self.n_states = _checked(codes, n_states)
        self.n_samples = len(codes)
        columns = np.ascontiguousarray(codes.T, dtype=np.int32)
        self._codes, self._weights = _merge_identical_rows(columns, self.n_states)

    @property
    def n_columns(self) -> int:
        return len(self.n_states)

    @property
    def n_distinct_rows(self) -> int:
        return len(self._weights)

    def table(self, child: int, parents: Sequence[int]) -> np.ndarray:
        """Counts of the child's states, one row for each configuration of the parents that occurs.

        Rows follow the lexicographic order of the configurations, as :meth:`configurations` gives them.
        """
        numbers, n_seen = self._numbered(parents)
        n_states = int(self.n_states[child])
        cells = numbers.astype(np.int64) * n_states + self._codes[child]
        # Weights are exact in float64 below 2^53 rows.
        counts = np.bincount(cells, weights=self._weights, minlength=n_seen * n_states)
        return counts.astype(np.int64).reshape(n_seen, n_states)

    def configurations(self, columns: Sequence[int]) -> np.ndarray:
        """Configurations of the columns that occur, in lexicographic order, of shape (n_seen, n_columns)."""
        numbers, n_seen = self._numbered(columns)
        example = np.empty(n_seen, dtype=np.intp)
        example[numbers] = np.arange(len(numbers))
        return self._codes[np.asarray(columns, dtype=np.intp)][:, example].T

    def joint_counts(self, sets: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Non-zero cells of the joint table of each set of columns, a block of sets at a time.

        Parameters
        ----------
        sets : ndarray of int64 of shape (n_sets, size)
            Distinct columns of each set; lexicographic order of the rows is the fastest.

        Yields
        ------
        which : ndarray
            Numbers of the sets in this block.
        counts, starts : ndarray
            ``counts[starts[s] : starts[s + 1]]`` are the non-zero cells of set ``which[s]``.
        """
        sets = np.ascontiguousarray(sets, dtype=np.int64)
        if sets.shape[1] == 0:
            yield np.arange(len(sets)), np.full(len(sets), self.n_samples), np.arange(len(sets) + 1)
            return
        # Floats: the product of many numbers of states does not fit an integer.
        states, most = self.n_states[sets].astype(np.float64), float(self.n_distinct_rows)
        prefix_cells = np.minimum(np.multiply.reduce(states[:, :-1], axis=1), most)
        cells = np.minimum(prefix_cells * states[:, -1], most).astype(np.int64)
        by_planes = self._suits_planes(states, prefix_cells)
        for chosen, count in ((by_planes, self._count_by_planes), (~by_planes, self._count_by_radix)):
            for which in _blocks(cells, chosen.nonzero()[0]):
                counts = np.empty(cells[which].sum(), dtype=np.int64)
                starts = np.empty(len(which) + 1, dtype=np.int64)
                count(sets[which], int(prefix_cells[which].max()), counts, starts)
                yield which, counts, starts

    def _numbered(self, columns: Sequence[int]) -> tuple[np.ndarray, int]:
        """Number of each merged row's configuration of the columns, and how many there are."""
        chosen = np.asarray(columns, dtype=np.intp)
        return _number_rows(self._codes[chosen], self.n_states[chosen])

    def _suits_planes(self, states: np.ndarray, prefix_cells: np.ndarray) -> np.ndarray:
        """Which sets are counted sooner by bit planes than row by row."""
        words = prefix_cells * np.maximum(states[:, -1] - 1.0, 1.0) * self._weight_words.sum()
        few_states = states.max(axis=1) <= MOST_PLANES + 1
        return few_states & (prefix_cells <= _MOST_PREFIX_CELLS) & (words <= _WORDS_A_ROW * self.n_distinct_rows)

    @cached_property
    def _planes(self) -> tuple[np.ndarray, np.ndarray]:
        """One bit vector for each value of each column of few states, and where each column's begin."""
        few = self.n_states <= MOST_PLANES + 1
        planes = pack_planes(self._codes[few] + 1, self.n_states[few] + 1)
        return planes, np.concatenate(([0], np.cumsum(np.where(few, self.n_states, 0))))

    @cached_property
    def _weight_words(self) -> np.ndarray:
        """Words that hold the rows whose weight reaches each power of two: rows lie heaviest first."""
        powers = 1 << np.arange(int(self._weights[0]).bit_length())
        return -(-np.count_nonzero(self._weights >= powers[:, np.newaxis], axis=1) // 64)

    @cached_property
    def _weight_planes(self) -> np.ndarray:
        """The binary digits of the weights as bit vectors."""
        digits = (self._weights >> np.arange(len(self._weight_words))[:, np.newaxis]) & 1
        return pack_planes(digits, np.full(len(digits), 2))

    def _count_by_planes(self, sets, prefix_cells, counts, starts):
        planes, plane_starts = self._planes
        count_by_planes(
            planes, plane_starts, self._weight_planes, self._weight_words, prefix_cells, sets, counts, starts
        )  # fmt: skip

    def _count_by_radix(self, sets, _, counts, starts):
        count_by_radix(self._codes, self._weights, self.n_states, sets, counts, starts)


def _blocks(cells: np.ndarray, chosen: np.ndarray) -> Iterator[np.ndarray]:
    """The chosen sets, cut where their cells would take too much memory at once."""
    ends = np.cumsum(cells[chosen])
    if len(chosen) and ends[-1] > _CELLS_AT_ONCE:
        cuts = np.searchsorted(ends, np.arange(_CELLS_AT_ONCE, ends[-1], _CELLS_AT_ONCE), side="right")
        yield from (block for block in np.split(chosen, np.unique(cuts)) if len(block))
    elif len(chosen):
        yield chosen


def _checked(codes: Any, n_states: Any) -> tuple[np.ndarray, np.ndarray]:
    codes, n_states = np.asarray(codes), np.asarray(n_states)
    if codes.ndim != 2 or codes.dtype.kind not in "biu":
        raise ValueError(
            f"codes must be a two-dimensional array of integers, not of shape {codes.shape} and type {codes.dtype}; "
            f"code the categories of each column as 0, 1, ..."
        )
    if len(codes) == 0:
        raise ValueError("codes has no rows; at least one is needed")
    if n_states.shape != (codes.shape[1],) or n_states.dtype.kind not in "iu" or (n_states < 1).any():
        raise ValueError(
            f"n_states={n_states!r} must hold one positive integer for each of the {codes.shape[1]} columns of codes"
        )
    low, high = codes.min(axis=0), codes.max(axis=0)
    wrong = np.flatnonzero((low < 0) | (high >= n_states))
    if len(wrong):
        column = wrong[0]
        raise ValueError(
            f"column {column} of codes runs from {low[column]} to {high[column]}, "
            f"outside the states 0, ..., {n_states[column] - 1} declared by n_states"
        )
    return codes, n_states.astype(np.int64)


def _number_rows(columns: np.ndarray, n_states: np.ndarray) -> tuple[np.ndarray, int]:
    """Number of each row's configuration among those that occur, in lexicographic order, and how many there are."""
    numbers, n_seen = np.zeros(columns.shape[1], dtype=np.int32), 1
    room = np.empty(ROOM * columns.shape[1], dtype=np.int32)
    for column, states in zip(columns, n_states):
        n_seen = refine(numbers, n_seen, column, states, room, numbers)
    return numbers, n_seen


def _merge_identical_rows(columns: np.ndarray, n_states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows of the table (given column by column) and how often each occurs, the commonest first."""
    numbers, n_seen = _number_rows(columns, n_states)
    weights = np.bincount(numbers, minlength=n_seen)
    example = np.empty(n_seen, dtype=np.intp)
    example[numbers] = np.arange(len(numbers))
    heaviest_first = np.argsort(-weights, kind="stable")
    return np.ascontiguousarray(columns[:, example[heaviest_first]]), weights[heaviest_first].astype(np.int64)
