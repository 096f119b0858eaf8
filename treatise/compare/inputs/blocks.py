"""A table whose rows lie on disk: what is learned from a sample of them, and what from all, block by block.

The folds are those of the ordinary comparison, a fifth of the rows held out in turn, with two differences. A row's
fold is a hash of its number, so that nobody needs a list of all rows. And what stands before the learner
(medians, categories, scales) and the choice of parameters come from a random sample of the training rows; the
learner itself sees every training row once. It is judged after that one pass, on held-out rows that it never saw:
progressive validation would spare that second reading, but it judges the beginner together with the master.
"""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate, streaming_candidates
from treatise.compare.inputs.answers import Score
from treatise.compare.inputs.base import Columns, HeldOut, Input, Request
from treatise.compare.inputs.block_reading import digest_of_parts, oversize, read_streamed
from treatise.compare.inputs.block_store import FOLD, JUDGED, Block, BlockStore, joined, scatter
from treatise.compare.inputs.rows import Judging, RowsInput
from treatise.compare.inputs.served import Part
from treatise.compare.inputs.table import TableInput, table_usage
from treatise.compare.own_metric import OwnMetric
from treatise.io import ModelFile, Table
from treatise.report.record import ModelUse

MIXED_BLOCKS = 8
MOST_JUDGED = 200_000
JUDGED_BYTES = 1 << 27


@dataclass(frozen=True)
class HashedFold:
    """The fold that must not be learned from: its number, and the folds' number and seed."""

    fold: int
    k: int
    seed: int

    def holds(self, rows: np.ndarray) -> np.ndarray:
        """Whether rows are in the fold."""
        return scatter(rows, self.seed, FOLD) % np.uint64(self.k) == self.fold


@dataclass(frozen=True, kw_only=True)
class BlockInput(RowsInput):
    """A table of which ``X`` and ``y`` are a random sample; all rows are in ``store``.

    ``sampled`` are the numbers of the sample's rows, ``labels`` and ``label_counts`` those of the whole table.
    """

    kind: ClassVar[str] = "blocks"
    wishes: ClassVar[frozenset[str]] = TableInput.wishes

    store: BlockStore
    sampled: np.ndarray
    labels: np.ndarray
    label_counts: tuple[int, ...]
    seed: int
    held_out: HashedFold | None = None

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """A file of a table that would take more memory than it may."""
        if math.isinf(request.limit):
            return False
        return oversize(request.source, request.header, request.limit) is not None

    @classmethod
    def read(cls, request: Request) -> Self:
        """Lay the rows on disk beside the run's folder, as many as an earlier sitting read if there was one."""
        large = oversize(request.source, request.header, request.limit)
        assert large is not None
        asked = {
            "--group": request.group, "--by-time": request.time, "--weight": request.weight,
            "--ordered": request.ordered or None,
        }  # fmt: skip
        roles = [option for option, name in asked.items() if name is not None]
        if roles:
            raise TreatiseError(
                f"{large.sentence}; {roles[0]} needs the table in memory: raise --memory, or give a part of the rows"
            )
        request.tell(large.sentence)
        path = request.folder(large.blocks.head.name)
        folder, rows = path.with_name(f"{path.name}-blocks"), request.earlier(path).get("rows read")
        found = read_streamed(
            large, request.target, request.task, request.seed, folder, seconds=request.seconds, rows=rows
        )
        given = cls(**found, source=os.fspath(request.source))
        if request.own is not None:
            request.own.tried(given.y, given.classes)
        return replace(given, judging=Judging(given.positive, request.threshold, request.own))

    def close(self) -> None:
        """Remove the rows from the disk."""
        self.store.remove()

    @property
    def n_rows(self) -> int:
        """Number of rows with a target on disk."""
        return sum(self.store.sizes)

    @property
    def rows_in_memory(self) -> int:
        """The sample, or the blocks that are mixed."""
        return max(len(self.y), MIXED_BLOCKS * max(self.store.sizes))

    @cached_property
    def classes(self) -> np.ndarray:
        """The labels of the whole table, sorted; empty for regression."""
        return self.labels

    @property
    def class_counts(self) -> list[int]:
        """Rows of each class in the whole table."""
        return list(self.label_counts)

    @cached_property
    def sha256(self) -> str:
        """Of parts of the file: all of it would take as long as reading it."""
        return digest_of_parts(Path(self.source))

    def identity(self) -> dict[str, Any]:
        """The content, the target, the task, and how far the file was read."""
        return {**super().identity(), "rows read": self.n_rows}

    @property
    def at_hand(self) -> "SampleInput":
        """The sample alone, to choose parameters on."""
        shared = {field.name: getattr(self, field.name) for field in fields(RowsInput)}
        return SampleInput(**shared, labels=self.labels, seed=self.seed)

    def sample(self, rows: int, seed: int) -> Input:
        """Rows of the sample."""
        return self.at_hand.sample(rows, seed)

    def columns(self) -> Columns | None:
        """The rows of the sample, by their numbers in the table."""
        return Columns(self.X, self.y, self.sampled) if self.features else None

    def candidates(self) -> list[Candidate]:
        """The methods that learn from a stream."""
        return streaming_candidates(self.task)

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit what prepares the columns to the sample, and let the method learn from every block once."""
        return fit_in_blocks(pipeline, self.X, self.y, self._blocks(), self.classes)

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Folds by hashes of the rows' numbers, thinned where one holds more than need be judged."""
        hidden = HashedFold(fold, k, seed + 1000 * repeat)
        keep = ~hidden.holds(self.sampled)
        training = replace(
            self, X=self.X[keep] if self.sparse else self.X.filter(keep), y=self.y[keep], sampled=self.sampled[keep],
            held_out=hidden, seed=hidden.seed + fold,
        )  # fmt: skip
        most = min(MOST_JUDGED, max(1000, JUDGED_BYTES // (8 * max(1, self.width))))
        share = min(1.0, most * k / self.n_rows)
        judged = []
        for number in range(len(self.store)):
            block = self.store.read(number)
            chosen = hidden.holds(block.rows)
            if share < 1:
                chosen &= scatter(block.rows, hidden.seed, JUDGED) < np.uint64(int(share * (2**64 - 1)))
            judged.append(block.take(np.flatnonzero(chosen)))
        whole = joined(judged, self.store.width)
        return training, HeldOut(whole.rows, *self._features_and_targets(whole))

    def usage(self, model: str) -> ModelUse:
        """Rows from a CSV file."""
        return table_usage(model)

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """As for a table in memory, which is what its models predict."""
        return {**super().metadata(candidate), "kind": TableInput.kind}

    @classmethod
    def predict(cls, model: ModelFile, source: str, *, header: bool | None = None, **wishes: Any) -> Iterator[Part]:
        """As a table in memory."""
        return TableInput.predict(model, source, header=header, **wishes)

    @classmethod
    def score(
        cls, model: ModelFile, source: str, *, header: bool | None = None, threshold: float | None = None
    ) -> Score:
        """As a table in memory."""
        return TableInput.score(model, source, header=header, threshold=threshold)

    @classmethod
    def score_rows(
        cls, model: ModelFile, table: Table, *, threshold: float | None = None, own: OwnMetric | None = None
    ) -> Score:
        """As a table in memory."""
        return TableInput.score_rows(model, table, threshold=threshold, own=own)

    def _blocks(self) -> Iterator[tuple[Any, np.ndarray]]:
        """All rows to learn from, once, in a random order.

        Blocks that lie far apart in the file are mixed, so that a table that is sorted by its target does not show
        one class after the other.
        """
        rng = np.random.default_rng(self.seed)
        numbers = rng.permutation(len(self.store))
        for first in range(0, len(numbers), MIXED_BLOCKS):
            group = joined([self.store.read(number) for number in numbers[first : first + MIXED_BLOCKS]])
            keep = np.arange(len(group.rows))
            if self.held_out is not None:
                keep = np.flatnonzero(~self.held_out.holds(group.rows))
            if len(keep):
                yield self._features_and_targets(group.take(rng.permutation(keep)))

    def _features_and_targets(self, block: Block) -> tuple[Any, np.ndarray]:
        y = _targets(block.frame[self.target], self.task, self.labels)
        return (block.frame.select(self.X.columns) if block.matrix is None else block.matrix), y


@dataclass(frozen=True, kw_only=True)
class SampleInput(TableInput):
    """The sample of a table on disk, learned from in the same manner: once, in random order."""

    labels: np.ndarray
    seed: int

    @cached_property
    def classes(self) -> np.ndarray:
        """The labels of the whole table, sorted; empty for regression."""
        return self.labels

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit what prepares the columns, and let the method see every row once."""
        order = np.random.default_rng(self.seed).permutation(len(self.y))
        return fit_in_blocks(pipeline, self.X, self.y, iter([(self.X[order], self.y[order])]), self.classes)


def fit_in_blocks(
    pipeline: Pipeline, X: Any, y: np.ndarray, blocks: Iterator[tuple[Any, np.ndarray]], classes: np.ndarray
) -> Pipeline:
    """Fit the preparations of a pipeline to a sample, and its method to blocks, if it learns from those."""
    *preparations, method = (step for _, step in pipeline.steps)
    sample = X
    for step in preparations:
        sample = step.fit_transform(sample, y)
    if not hasattr(type(method), "partial_fit"):
        method.fit(sample, y)
        return pipeline
    told = {"classes": classes} if len(classes) else {}
    for rows, targets in blocks:
        for step in preparations:
            rows = step.transform(rows)
        method.partial_fit(rows, targets, **told)
    return pipeline


def _targets(column: pl.Series, task: str, labels: np.ndarray) -> np.ndarray:
    """The target's values as the sample's have been understood: amounts, whole numbers or names."""
    if task == "regression":
        return column.cast(pl.Float64).to_numpy()
    if labels.dtype.kind == "i":
        return column.cast(pl.Int64).to_numpy()
    return column.cast(pl.String).to_numpy().astype(labels.dtype)
