"""A table that is too large for the memory: how that is told, and the one pass over it that lays its rows on disk."""

import hashlib
import os
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.block_store import SAMPLE, Block, BlockStore, joined, scatter
from treatise.compare.inputs.columns import informative, useless, width_of
from treatise.compare.inputs.table import named_target, understood
from treatise.compare.inputs.target import MOST_CLASSES, rows_left_out
from treatise.datasets import BUNDLED
from treatise.io import Table, TableBlocks
from treatise.io.source import is_packed

SAMPLE_ROWS = 20_000
SAMPLE_BYTES = 1 << 26
ROWS_OF_A_CLASS = 100
# One byte of text becomes at most an indicator for each of 50 categories, 8 bytes each, with its delimiter.
LARGEST_GROWTH = 256
DIGEST_PLACES, DIGEST_BYTES = 64, 1 << 20


@dataclass(frozen=True)
class Oversize:
    """A table in a file that would not fit in the memory it may take."""

    blocks: TableBlocks
    needed: float
    limit: float

    @property
    def sentence(self) -> str:
        """What is the matter and what is done, for the person who asked."""
        return (
            f"{self.blocks.head.name} has about {self.blocks.n_rows} rows and would take {_amount(self.needed)} as a "
            f"matrix, more than the {_amount(self.limit)} that it may (--memory): it is read in blocks, and the "
            "methods that learn from a stream are compared"
        )


def oversize(data: Any, header: bool | None, limit: float) -> Oversize | None:
    """The table in blocks, if it is a file that would take more than ``limit`` bytes as a matrix of numbers."""
    if not isinstance(data, str | os.PathLike) or data in BUNDLED or not Path(data).is_file():
        return None
    path = Path(data)
    size = path.stat().st_size
    if not is_packed(path) and size * LARGEST_GROWTH < limit:
        return None
    try:
        blocks = TableBlocks(path, header=header)
    except TreatiseError:
        if size > limit:
            raise
        # What is wrong with it, or only strange, is for the reader of whole files to say.
        return None
    needed = blocks.n_rows * _bytes_of_a_row(blocks.head)
    return Oversize(blocks, needed, limit) if needed > limit else None


def _bytes_of_a_row(table: Table) -> float:
    if table.matrix is not None:
        # A value with its column, and where the row begins.
        return 12.0 * table.matrix.nnz / table.n_rows + 8
    return 8.0 * max(1, width_of(informative(table.frame)[0]))


def read_streamed(
    large: Oversize, target: str | int | None, task: str | None, seed: int, folder: Path, *, seconds: float,
    rows: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Lay the rows of a table on disk and understand a random sample of them: the fields of a ``BlockInput``.

    Parameters
    ----------
    large : Oversize
        The table.
    target, task, seed :
        As for :func:`compare_methods`.
    folder : Path
        Where the rows are laid; the input's store, to be removed in the end.
    seconds : float
        After so long the reading ends, and the rest of the file takes no part.
    rows : int or None
        Read so many instead, as an earlier sitting did.
    """
    blocks = large.blocks
    name = blocks.head.column(named_target(blocks.head, target))
    if blocks.kinds.get(name, "date") == "date":
        raise TreatiseError(f"the target {name!r} holds dates; a method here predicts numbers or classes")
    free = shutil.disk_usage(_existing(folder)).free
    if blocks.n_bytes > free:
        raise TreatiseError(
            f"{blocks.path} is laid out on disk while it is compared, which takes about {_amount(blocks.n_bytes)}; "
            f"{_amount(free)} are free beside {folder}: choose another --output"
        )
    store = BlockStore(folder, new=True)
    try:
        reading = _Reading(name, seed, _sample_rows(blocks.head))
        whole = _laid_out(blocks, reading, store, seconds, rows)
        if not len(store):
            raise TreatiseError(f"the target {name!r} holds no value at all")
        return _understood(reading, blocks, store, task, whole=whole)
    except BaseException:
        store.remove()
        raise


def _laid_out(
    blocks: TableBlocks, reading: "_Reading", store: BlockStore, seconds: float, rows: int | None
) -> bool:  # fmt: skip
    """Lay the rows of a table on disk; returns whether they are all there."""
    deadline, whole = time.monotonic() + seconds, True
    for table in blocks:
        block = reading.keep(table, rows)
        if len(block.rows):
            store.add(block)
        if (reading.n_rows >= rows) if rows is not None else (time.monotonic() > deadline):
            whole = False
            break
    store.finish()
    return whole


class _Reading:
    """What is gathered on the way: a uniform sample, some rows of each class, and the target's values."""

    def __init__(self, target: str, seed: int, most: int) -> None:
        self.target, self.seed, self.most = target, seed, most
        self.n_rows = self.without_target = 0
        self.counts: pl.DataFrame | None = pl.DataFrame()
        self._chosen: list[Block] = []
        self._waiting = 0
        self._threshold = np.uint64(2**64 - 1)

    def keep(self, table: Table, most: int | None) -> Block:
        """The rows of a table that have a target, numbered; a part of them goes into the sample."""
        present = table.frame[self.target].is_not_null().to_numpy()
        self.without_target += int(np.count_nonzero(~present))
        index = np.flatnonzero(present)[: None if most is None else most - self.n_rows]
        matrix = None if table.matrix is None else table.matrix[index]
        block = Block(self.n_rows + np.arange(len(index)), table.frame[index], matrix)
        self.n_rows += len(index)
        if len(index):
            self._count(block.frame[self.target])
            self._consider(block)
        return block

    def sample(self) -> Block:
        """The sample, in the order of the file."""
        self._settle()
        return self._chosen[0].take(np.argsort(self._chosen[0].rows))

    def _count(self, column: pl.Series) -> None:
        """Count the target's values as long as they may be classes."""
        if self.counts is None:
            return
        found = column.alias("value").value_counts()
        both = pl.concat([self.counts, found]) if self.counts.width else found
        self.counts = both.group_by("value").agg(pl.col("count").sum()) if self.counts.width else found
        if self.counts.height > MOST_CLASSES:
            self.counts = None

    def _consider(self, block: Block) -> None:
        chosen = scatter(block.rows, self.seed, SAMPLE) <= self._threshold
        self._chosen.append(block.take(np.flatnonzero(chosen | self._rare(block))))
        self._waiting += len(self._chosen[-1].rows)
        if self._waiting > self.most:
            self._settle()

    def _settle(self) -> None:
        """Keep the rows with the smallest hashes, of all and of each class."""
        together = joined(self._chosen)
        hashes = scatter(together.rows, self.seed, SAMPLE)
        if len(hashes) > self.most:
            self._threshold = np.partition(hashes, self.most - 1)[self.most - 1]
        keep = np.flatnonzero((hashes <= self._threshold) | self._rare(together))
        self._chosen, self._waiting = [together.take(keep)], 0

    def _rare(self, block: Block) -> np.ndarray:
        """The rows with the smallest hashes of each rare class, so that the sample misses none.

        A class that has four times as many rows in the uniform sample as are wanted is not rare. Should it become so
        later in the file, these rows are there to be kept.
        """
        if self.counts is None:
            return np.zeros(len(block.rows), bool)
        few = 4 * ROWS_OF_A_CLASS * max(self.n_rows / self.most, 1.0)
        rare = self.counts.filter(pl.col("count") < few)["value"]
        labels = block.frame[self.target].alias("label")
        found = np.flatnonzero(labels.is_in(rare.implode()).to_numpy())
        hashes = pl.Series("hash", scatter(block.rows[found], self.seed, SAMPLE))
        rank = pl.col("hash").rank("ordinal").over("label")
        smallest = pl.DataFrame([labels[found], hashes]).select(rank <= ROWS_OF_A_CLASS).to_series().to_numpy()
        kept = np.zeros(len(block.rows), bool)
        kept[found[smallest]] = True
        return kept


def _understood(
    reading: _Reading, blocks: TableBlocks, store: BlockStore, task: str | None, *, whole: bool
) -> dict[str, Any]:
    sample = reading.sample()
    if sample.matrix is not None:
        sample = joined([sample], store.width)
    head = blocks.head
    table = replace(head, frame=sample.frame, matrix=sample.matrix)
    found = understood(table, reading.target, task, copies=False)
    labels, counts = np.array([]), list[int]()
    if found["task"] != "regression":
        labels, counts = _labels(reading, found["y"])
        found["task"] = "binary" if len(labels) == 2 else "multiclass"
    others = [column for column in head.frame.iter_columns() if column.name not in blocks.kinds]
    found["dropped"] += [(column.name, useless(column, plain=True) or "is not used") for column in others]
    found["notes"] += _notes(reading, blocks, sample, whole)
    return found | {
        "table_columns": tuple(head.frame.columns), "store": store, "sampled": sample.rows, "labels": labels,
        "label_counts": tuple(counts), "seed": reading.seed,
    }  # fmt: skip


def _labels(reading: _Reading, y: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """All classes of the table, sorted, with their rows."""
    if reading.counts is None:
        raise TreatiseError(
            f"the target {reading.target!r} has more than {MOST_CLASSES} different values; that is no set of classes"
        )
    values, counts = reading.counts["value"], reading.counts["count"].to_numpy()
    # The sample holds rows of every class, so that these are whole numbers where its own are.
    whole = y.dtype.kind == "i"
    labels = values.cast(pl.Int64).to_numpy() if whole else values.cast(pl.String).to_numpy().astype(str)
    order = np.argsort(labels)
    return labels[order], counts[order].tolist()


def _notes(reading: _Reading, blocks: TableBlocks, sample: Block, whole: bool) -> list[str]:
    notes = [
        f"the table is too large for the memory and was read in blocks: medians, categories, scales and parameters "
        f"come from a random sample of {len(sample.rows)} rows, the learners see every row once, and copies of a row "
        "are not looked for"
    ]
    if not whole:
        notes.append(
            f"the first {reading.n_rows} of about {max(blocks.n_rows, reading.n_rows)} rows were read in the time "
            "there was; a larger --budget reads more"
        )
    if reading.without_target:
        notes.append(rows_left_out(reading.without_target, repr(reading.target)))
    for column, count in blocks.unfit.items():
        notes.append(f"{count} values of {column!r} that are no {blocks.kinds[column]} are taken as missing")
    return notes


def digest_of_parts(path: Path) -> str:
    """SHA-256 of a large file's size and of a mebibyte at each of 64 places of it."""
    size = path.stat().st_size
    state = hashlib.sha256(str(size).encode())
    with path.open("rb") as stream:
        for place in range(DIGEST_PLACES):
            stream.seek(max(0, size - DIGEST_BYTES) * place // (DIGEST_PLACES - 1))
            state.update(stream.read(DIGEST_BYTES))
    return state.hexdigest()


def _sample_rows(head: Table) -> int:
    return int(min(SAMPLE_ROWS, max(2000, SAMPLE_BYTES // _bytes_of_a_row(head))))


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent.resolve())


def _amount(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.3g} {unit}" if size < 100 else f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
