"""A problem whose rows lie on disk: what is learned from a sample of them, and what from all, block by block.

The folds are those of the ordinary comparison, a fifth of the rows held out in turn, with two differences. A row's
fold is a hash of its number, so that nobody needs a list of all rows. And what stands before the learner
(medians, categories, scales) and the choice of parameters come from a random sample of the training rows; the
learner itself sees every training row once. It is judged after that one pass, on held-out rows that it never saw:
progressive validation would spare that second reading, but it judges the beginner together with the master.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from treatise.compare._problem import Problem
from treatise.compare._store import Block, BlockStore, joined

MIXED_BLOCKS = 8
MOST_JUDGED = 200_000
JUDGED_BYTES = 1 << 27
# What the hashes of a row's number are for; each has numbers of its own.
FOLD, SAMPLE, JUDGED, ORDER = range(4)


def scatter(rows: np.ndarray, seed: int, purpose: int) -> np.ndarray:
    """A 64-bit hash of each row's number (the finaliser of SplitMix64)."""
    start = (4 * seed + purpose + 1) * 0x9E3779B97F4A7C15
    z = rows.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03) + np.uint64(start % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@dataclass(frozen=True)
class HeldOut:
    """The fold that must not be learned from: its number, and the folds' number and seed."""

    fold: int
    k: int
    seed: int

    def holds(self, rows: np.ndarray) -> np.ndarray:
        """Whether rows are in the fold."""
        return scatter(rows, self.seed, FOLD) % np.uint64(self.k) == self.fold


@dataclass(frozen=True)
class StreamedProblem(Problem):
    """A prediction problem of which ``X`` and ``y`` are a random sample; all rows are in ``store``.

    Without a store the sample is all there is, and is learned from in the same manner: once, in random order.
    ``sampled`` are the numbers of the sample's rows, ``labels`` and ``label_counts`` those of the whole table.
    """

    store: BlockStore | None = None
    sampled: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    labels: np.ndarray = field(default_factory=lambda: np.array([]))
    label_counts: tuple[int, ...] = ()
    seed: int = 0
    held_out: HeldOut | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows with a target, on disk or, without a store, in the sample."""
        return len(self.y) if self.store is None else sum(self.store.sizes)

    @property
    def rows_in_memory(self) -> int:
        """Rows that are in memory at once."""
        group = 0 if self.store is None else MIXED_BLOCKS * max(self.store.sizes)
        return max(len(self.y), group)

    @property
    def classes(self) -> np.ndarray:
        """The labels of the whole table, sorted; empty for regression."""
        return self.labels

    @property
    def class_counts(self) -> list[int]:
        """Rows of each class in the whole table."""
        return list(self.label_counts)

    @property
    def at_hand(self) -> "StreamedProblem":
        """The sample alone, to choose parameters on."""
        return replace(self, store=None)

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit what prepares the columns to the sample, and let the method learn from every block once."""
        *preparations, method = (step for _, step in pipeline.steps)
        X = self.X
        for step in preparations:
            X = step.fit_transform(X, self.y)
        if not hasattr(type(method), "partial_fit"):
            method.fit(X, self.y)
            return pipeline
        told = {} if self.task == "regression" else {"classes": self.classes}
        for X, y in self._blocks():
            for step in preparations:
                X = step.transform(X)
            method.partial_fit(X, y, **told)
        return pipeline

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple["StreamedProblem", np.ndarray, Any, Any]:
        """The problem without one fold, and rows of that fold: their numbers, features and targets."""
        held_out = HeldOut(fold, k, seed + 1000 * repeat)
        keep = ~held_out.holds(self.sampled)
        training = replace(
            self, X=self.X[keep] if self.sparse else self.X.filter(keep), y=self.y[keep], sampled=self.sampled[keep],
            held_out=held_out, seed=held_out.seed + fold,
        )  # fmt: skip
        most = min(MOST_JUDGED, max(1000, JUDGED_BYTES // (8 * max(1, self.width))))
        share = min(1.0, most * k / self.n_rows)
        judged = []
        assert self.store is not None
        for number in range(len(self.store)):
            block = self.store.read(number)
            chosen = held_out.holds(block.rows)
            if share < 1:
                chosen &= scatter(block.rows, held_out.seed, JUDGED) < np.uint64(int(share * (2**64 - 1)))
            judged.append(block.take(np.flatnonzero(chosen)))
        whole = joined(judged, self.store.width)
        return training, whole.rows, *self._features_and_targets(whole)

    def _blocks(self) -> Iterator[tuple[Any, np.ndarray]]:
        """All rows to learn from, once, in a random order.

        Blocks that lie far apart in the file are mixed, so that a table that is sorted by its target does not show
        one class after the other.
        """
        rng = np.random.default_rng(self.seed)
        if self.store is None:
            order = rng.permutation(len(self.y))
            yield self.X[order], self.y[order]
            return
        numbers = rng.permutation(len(self.store))
        for first in range(0, len(numbers), MIXED_BLOCKS):
            group = joined([self.store.read(number) for number in numbers[first : first + MIXED_BLOCKS]])
            keep = np.arange(len(group.rows))
            if self.held_out is not None:
                keep = np.flatnonzero(~self.held_out.holds(group.rows))
            if len(keep):
                yield self._features_and_targets(group.take(rng.permutation(keep)))

    def _features_and_targets(self, block: Block) -> tuple[Any, np.ndarray]:
        y = targets(block.frame[self.target], self.task, self.labels)
        return (block.frame.select(self.X.columns) if block.matrix is None else block.matrix), y


def targets(column: pl.Series, task: str, labels: np.ndarray) -> np.ndarray:
    """The target's values as the sample's have been understood: amounts, whole numbers or names."""
    if task == "regression":
        return column.cast(pl.Float64).to_numpy()
    if labels.dtype.kind == "i":
        return column.cast(pl.Int64).to_numpy()
    return column.cast(pl.String).to_numpy().astype(labels.dtype)
