"""Sentences of tags laid one after another, with room for what is expected of every pair of words."""

from dataclasses import dataclass

import numpy as np

from treatise._core.threads import over_ranges
from treatise.sequence.dependency._grammar import Counts
from treatise.sequence.dependency._loops import (
    best_expected_heads,
    best_trees,
    edge_types,
    expected_counts,
    sums_by_feature,
)

# Sums are taken in so many blocks of sentences whatever the number of threads, so that they are the same to the bit.
_BLOCKS = 8
_NANOSECONDS_PER_CELL = 12.0
_NOTHING = np.zeros(0)


@dataclass(frozen=True)
class Expectations:
    """What a grammar expects of a corpus: counts of its choices, and the share of every head of every word."""

    log_likelihood: float
    counts: Counts
    edges: np.ndarray
    """Flat: for each sentence of n words a table (n, n + 1), the root in the last column."""


@dataclass(frozen=True)
class Features:
    """Expectations that are held down together: features in the order of their group."""

    of_edge: np.ndarray
    """The feature of every edge, -1 for none."""
    starts: np.ndarray
    """Where the features of each group begin."""

    @property
    def count(self):
        """Number of features."""
        return int(self.starts[-1])

    def costs(self, multipliers):
        """What each edge costs, of the multipliers of the features."""
        return np.append(multipliers, 0.0)[self.of_edge]  # the last place stands for none

    def expectations(self, edges):
        """Expectation of each feature."""
        found = np.zeros(self.count)
        sums_by_feature(edges, self.of_edge, found)
        return found

    def largest(self, edges):
        """Largest expectation of each group."""
        return np.maximum.reduceat(self.expectations(edges), self.starts[:-1]) if self.count else np.zeros(0)


class Corpus:
    """Sentences as numbers of tags.

    Parameters
    ----------
    tags : ndarray of int64
        All words' tags.
    lengths : ndarray of int
        Words of each sentence.
    """

    def __init__(self, tags, lengths):
        self.tags = np.ascontiguousarray(tags, np.int64)
        self.lengths = np.asarray(lengths, np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.edge_starts = np.concatenate([[0], np.cumsum(self.lengths * (self.lengths + 1))])

    def __len__(self):
        return len(self.lengths)

    def expectations(self, grammar, costs=None):
        """What the grammar expects, every edge made less probable by its cost where costs are given."""
        tables = grammar.log_tables()
        edges = np.zeros(self.edge_starts[-1])
        costs = _NOTHING if costs is None else costs
        block = [len(self) * b // _BLOCKS for b in range(_BLOCKS + 1)]
        counts = [Counts.zeros(grammar) for _ in range(_BLOCKS)]
        values = np.zeros(_BLOCKS)

        def work(first, last):
            for b in range(first, last):
                values[b] = expected_counts(
                    self.tags, self.starts, costs, self.edge_starts, *tables, grammar.valence, block[b], block[b + 1],
                    *counts[b], edges,
                )  # fmt: skip

        over_ranges(work, _BLOCKS, cost=self._cost(grammar))
        total = Counts(*(np.sum(parts, axis=0) for parts in zip(*counts)))
        return Expectations(float(values.sum()), total, edges)

    def best_heads(self, grammar):
        """Heads of the most probable tree of each sentence, flat, and the trees' log-probabilities."""
        heads, weights = np.empty(len(self.tags), np.int64), np.empty(len(self))
        tables = grammar.log_tables()
        over_ranges(
            lambda first, last: best_trees(
                self.tags, self.starts, *tables, grammar.valence, first, last, heads, weights
            ),
            len(self),
            cost=self._cost(grammar),
        )
        return heads, weights

    def best_expected_heads(self, edges):
        """Heads of the trees with the most heads expected to be right, flat."""
        heads = np.empty(len(self.tags), np.int64)
        best_expected_heads(edges, self.starts, self.edge_starts, heads)
        return heads

    def features(self, n_tags, symmetric, roots=True):
        """Features for each type of dependency: every edge, or all of a word with heads of one tag together."""
        kinds, tokens = np.empty(self.edge_starts[-1], np.int64), np.zeros(self.edge_starts[-1], np.int64)
        edge_types(self.tags, self.starts, self.edge_starts, n_tags, not symmetric, kinds, tokens)
        if not roots:
            kinds[kinds % (n_tags + 1) == n_tags] = -1
        kept = np.flatnonzero(kinds >= 0)
        # A word and a type make a feature; sorted by type, features of a type lie together.
        keys = kinds[kept] * (int(tokens.max(initial=0)) + 1) + tokens[kept]
        distinct, place = np.unique(keys, return_inverse=True)
        types = distinct // (int(tokens.max(initial=0)) + 1)
        of_edge = np.full(len(kinds), -1)
        of_edge[kept] = place
        _, first = np.unique(types, return_index=True)
        return Features(of_edge, np.append(first, len(distinct)).astype(np.int64))

    def tables(self, edges):
        """The shares of heads as a table for each sentence."""
        parts = np.split(edges, self.edge_starts[1:-1])
        return [part.reshape(n, n + 1) for part, n in zip(parts, self.lengths)]

    def _cost(self, grammar):
        return _NANOSECONDS_PER_CELL * float((self.lengths.astype(float) ** 3).sum()) * grammar.valence
