"""Growing the intersection trees of one class, and the book of their patterns."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treatise.selection.intersection_trees._loops import fill_slots, intersection_trees, mark_items, mark_rows
from treatise.statistics.min_hash import hash_columns

SHARED_LITERALS = 4096
"""Literals up to which rows are packed over all of them; beyond it a tree packs over those of its root."""


class Rule(NamedTuple):
    """How a tree grows."""

    theta0: float
    branching: float
    max_depth: int
    max_size: int


class Universe(NamedTuple):
    """Some literals: the packed sets of the rows of the class, and the rows outside it, packed or hashed."""

    items: np.ndarray
    row_bits: np.ndarray
    planes: np.ndarray
    hashes: np.ndarray
    n_outside: int


class Work(NamedTuple):
    """Room for one tree, and the state of the random numbers."""

    queue: np.ndarray
    depth: np.ndarray
    final: np.ndarray
    scratch: np.ndarray
    state: np.ndarray


class Book(NamedTuple):
    """Patterns: where to find each, its members, the trees that end with it and the last of them.

    ``totals`` are the numbers of patterns, of intersections and of trees without room.
    """

    slots: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    last_tree: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    totals: np.ndarray

    @classmethod
    def empty(cls, n_patterns, n_members):
        """A book with room for so many."""
        n_patterns = 1 << int(n_patterns - 1).bit_length()
        return cls(
            np.full(2 * n_patterns, -1), np.empty(n_patterns, dtype=np.uint64), np.empty(n_patterns, dtype=np.int64),
            np.empty(n_patterns, dtype=np.int64), np.zeros(n_patterns + 1, dtype=np.int64),
            np.empty(n_members, dtype=np.int64), np.zeros(3, dtype=np.int64),
        )  # fmt: skip

    def enlarged(self, n_patterns, n_members):
        """A copy with room for so many more patterns, and as much again."""
        n = int(self.totals[0])
        wider = Book.empty(2 * n + n_patterns, 2 * int(self.starts[n]) + n_members)
        for name in ("keys", "counts", "last_tree"):
            getattr(wider, name)[:n] = getattr(self, name)[:n]
        wider.starts[: n + 1] = self.starts[: n + 1]
        wider.members[: self.starts[n]] = self.members[: self.starts[n]]
        wider.totals[:] = self.totals
        fill_slots(wider.slots, wider.keys, n)
        return wider


@dataclass(frozen=True)
class Sides:
    """Rows of each literal, and where they begin, inside the class and outside it.

    ``row_literals`` and ``row_starts`` are the literals of each row of the class; ``ranks`` are random orders of the
    rows outside, none where prevalence is counted.
    """

    n_inside: int
    inside: tuple[np.ndarray, np.ndarray]
    n_outside: int
    outside: tuple[np.ndarray, np.ndarray]
    row_literals: np.ndarray
    row_starts: np.ndarray
    ranks: np.ndarray

    def universe(self, items):
        """What trees need to know of some literals."""
        row_bits = np.zeros((self.n_inside, -(-len(items) // 64)), dtype=np.uint64)
        mark_rows(*self.inside, items, row_bits)
        by_hash = self.ranks.shape[1] > 0
        planes = np.zeros((0 if by_hash else len(items), -(-self.n_outside // 64)), dtype=np.uint64)
        hashes = np.full((len(items) if by_hash else 0, self.ranks.shape[1]), self.n_outside + 1, dtype=np.int32)
        if by_hash:
            hash_columns(*self.outside, items, self.ranks, hashes)
        else:
            mark_items(*self.outside, items, planes)
        return Universe(items, row_bits, planes, hashes, self.n_outside)


def grow(sides, rule, n_trees, max_nodes, random):
    """The book of all patterns of so many trees."""
    n_literals = len(sides.inside[1]) - 1
    depth, final = np.empty(max_nodes, dtype=np.int64), np.empty(max_nodes, dtype=np.bool_)
    state = np.array([random.randint(2**62, dtype=np.int64)], dtype=np.uint64)
    book = Book.empty(max_nodes, 0)

    def grow_in(universe, first, last, root, book):
        """Trees of one universe; the book is enlarged as often as it may lack room."""
        queue = np.empty((max_nodes, universe.row_bits.shape[1]), dtype=np.uint64)
        scratch = np.empty(len(universe.items), dtype=np.int64)
        work = Work(queue, depth, final, scratch, state)
        while (first := intersection_trees(first, last, root, universe, rule, work, book)) < last:
            book = book.enlarged(max_nodes, max_nodes * min(len(universe.items), rule.max_size))
        return book

    if n_literals <= SHARED_LITERALS:
        return grow_in(sides.universe(np.arange(n_literals)), 0, n_trees, -1, book)
    for tree in range(n_trees):
        root = int(random.randint(sides.n_inside))
        items = sides.row_literals[sides.row_starts[root] : sides.row_starts[root + 1]]
        book = grow_in(sides.universe(items), tree, tree + 1, root, book)
    return book
