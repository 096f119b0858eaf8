"""Delimited text and Parquet as chunks of hashed rows.

A column of numbers or truth values is a feature of the column's name; any other holds the feature ``word`` in the
namespace of the column's name, so that ``publisher`` = ``yahoo`` is hashed as Vowpal Wabbit would hash
``|publisher yahoo``. What a column holds is settled by the first rows, as for :class:`treatise.io.TableBlocks`.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source import Records, column_name, naming, stem
from treatise.io.streams import cross_loops, row_loops, word_loops
from treatise.io.streams.rows import Chunk, Hashing, Rows
from treatise.io.streams.text import LABELS, UNFIT, Skip
from treatise.io.tables.delimited_blocks import DelimitedBlocks, read_head
from treatise.io.tables.parquet import parquet_batches, parquet_schema

_BATCH = 4096  # rows
_NUMBER_BELONGS = "where a finite number belongs"


class Batch(NamedTuple):
    """Some rows of a table."""

    frame: pl.DataFrame
    unit: str
    """What a row is in its file: a line, or a row."""
    before: int
    """How many of these come before the first."""
    cell: Callable[[int, str], Any]
    """What a row holds in a column, as it is written in the file."""


class Roles(NamedTuple):
    """What the columns of a table are for."""

    target: str | None
    weight: str | None
    numbers: list[str]
    words: list[str]
    features: list[str]
    """Both of these, in the order of the table."""


class Fault(NamedTuple):
    """Rows that are wrong, in which column, and why."""

    rows: np.ndarray
    column: str | None
    why: str


def table_chunks(
    path: Path,
    style: str,
    hashing: Hashing,
    buffers: Iterator[Rows],
    *,
    target: str | None,
    weight: str | None,
    need_label: bool,
    admitted: str,
    skip: Skip | None,
) -> Iterator[Chunk]:
    """The examples of a table, its ``target`` column the label and its ``weight`` column the importance."""
    asked = tuple(name for name in (target, weight) if name is not None)
    kinds, batches = _parquet(path) if style == "parquet" else _delimited(path, style, asked)
    with naming(path):
        roles = _roles(path, kinds, target, weight, need_label)
    first_letters = np.array([name.encode()[0] if name else 32 for name in roles.features], np.uint8)
    crosses = hashing.crosses()
    for batch in batches:
        labels, weights, faults = _labels_and_weights(batch.frame, roles, need_label, admitted)
        indices, values, wrong = _features(batch.frame, roles, hashing)
        keep = _sound_rows(path, batch, [*faults, *wrong], skip)
        rows = int(np.count_nonzero(keep))
        if not rows:
            continue
        if rows < len(keep):
            indices, values, labels, weights = indices[keep], values[keep], labels[keep], weights[keep]
        buffer = next(buffers)
        while not cross_loops.pack(
            indices, values, first_letters, *crosses,
            buffer.indptr, buffer.indices, buffer.values, buffer.starts, buffer.ends,
        ):  # fmt: skip
            buffer.room(2 * len(buffer.indices))
        buffer.labels[:rows], buffer.weights[:rows] = labels, weights
        yield buffer.chunk(rows)


def _delimited(path: Path, style: str, asked: tuple[str, ...]) -> tuple[dict[str, str], Iterator[Batch]]:
    """What each column holds, and the rows."""
    with naming(path):
        table = DelimitedBlocks(path, read_head(path), format="tsv" if style == "tsv" else None, asked=asked)
    plain = {name: kind for name, kind in table.kinds.items() if kind != "date"}
    kinds = {name: plain.get(name, "text") for name in table.frame.columns}
    truths = [name for name, kind in kinds.items() if kind == "truth"]

    def batches() -> Iterator[Batch]:
        for before, records in table:
            with naming(path):
                frame = table.columns(records, pl.Float32).with_columns(pl.col(truths).map_batches(_truth_as_number))
            for first in range(0, frame.height, _BATCH):
                cell = partial(_written, table, records, first)
                yield Batch(frame[first : first + _BATCH], "line", before + first, cell)

    return kinds, batches()


def _truth_as_number(column: pl.Series) -> pl.Series:
    return column.str.replace("(?i)^true$", "1").str.replace("(?i)^false$", "0")


def _written(table: DelimitedBlocks, records: Records, first: int, row: int, name: str) -> Any:
    cells = records.cells([pl.String] * records.n_fields)
    return cells[first + row, table.frame.columns.index(name)]


def _parquet(path: Path) -> tuple[dict[str, str], Iterator[Batch]]:
    """What each column holds, and the rows."""
    schema = parquet_schema(path)
    numeric = {name for name, kind in schema.items() if kind.is_numeric() or kind == pl.Boolean}
    kinds = {name: "number" if name in numeric else "text" for name in schema}

    def batches() -> Iterator[Batch]:
        before = 0
        for frame in parquet_batches(path):
            for first in range(0, frame.height, _BATCH):
                part = frame[first : first + _BATCH]
                yield Batch(part, "row", before + first, partial(_cell, part))
            before += frame.height

    return kinds, batches()


def _cell(frame: pl.DataFrame, row: int, name: str) -> Any:
    return frame[row, name]


def _roles(path: Path, kinds: dict[str, str], target: str | None, weight: str | None, need: bool) -> Roles:
    names = list(kinds)
    if need and target is None:
        raise TreatiseError(f"say which column is the target; there are {', '.join(names[:20])}")
    target, weight = (_column(key, names, path, need) for key in (target, weight))
    features = [name for name in names if name not in (target, weight)]
    if len(features) > cross_loops.MOST_NAMESPACES:
        raise TreatiseError(f"there are {len(features)} columns; at most {cross_loops.MOST_NAMESPACES} are read")
    numbers = [name for name in features if kinds[name] != "text"]
    words = [name for name in features if kinds[name] == "text"]
    return Roles(target, weight, numbers, words, features)


def _column(key: str | None, names: list[str], path: Path, need: bool) -> str | None:
    """The column that is meant; one that is not needed may be absent, unless it is meant by its number."""
    if key is None:
        return None
    try:
        return column_name(key, names, stem(path))
    except TreatiseError:
        if need:
            raise
        return None


def _labels_and_weights(
    frame: pl.DataFrame, roles: Roles, need_label: bool, admitted: str
) -> tuple[np.ndarray, np.ndarray, list[Fault]]:
    labels, bad = _numbers(frame, roles.target, need_label)
    weights, light = _numbers(frame, roles.weight, True)
    if roles.weight is None:
        weights = np.ones(frame.height, np.float32)
    faults = [
        Fault(bad, roles.target, _NUMBER_BELONGS),
        Fault(light | (weights < 0), roles.weight, _NUMBER_BELONGS),
    ]
    if admitted != "any":
        misfits = row_loops.misfits(LABELS[admitted], labels)
        faults.append(Fault(misfits, roles.target, f"as the label; {UNFIT[admitted]}"))
    return labels, weights, faults


def _features(frame: pl.DataFrame, roles: Roles, hashing: Hashing) -> tuple[np.ndarray, np.ndarray, list[Fault]]:
    """Index and value of each row's feature in each column, a value of 0 for none."""
    indices = np.empty((frame.height, len(roles.features)), np.int32)
    values = np.zeros((frame.height, len(roles.features)), np.float32)
    faults, numbers = [], set(roles.numbers)
    for i, name in enumerate(roles.features):
        if name in numbers:
            found, wrong = _numbers(frame, name, False)
            faults.append(Fault(wrong, name, _NUMBER_BELONGS))
            indices[:, i], values[:, i] = _hash([name], 0, hashing)[0], np.nan_to_num(found)
        else:
            indices[:, i], values[:, i] = _words(frame[name], name, hashing)
    return indices, values, faults


def _sound_rows(path: Path, batch: Batch, faults: list[Fault], skip: Skip | None) -> np.ndarray:
    """Which rows have no fault; the others are told to ``skip``, once each, or raise."""
    keep = np.ones(batch.frame.height, bool)
    for wrong, column, why in faults:
        for row in np.flatnonzero(wrong & keep).tolist():
            shown = batch.cell(row, str(column))
            reason = f"{path}, {batch.unit} {batch.before + row + 1}: column {column!r} holds {shown!r} {why}"
            if skip is None:
                raise TreatiseError(reason)
            skip(reason)
        keep &= ~wrong
    return keep


def _numbers(frame: pl.DataFrame, name: str | None, needed: bool) -> tuple[np.ndarray, np.ndarray]:
    """A column as numbers, NaN where there is none, and where it holds something else."""
    if name is None:
        return np.full(frame.height, np.nan, np.float32), np.zeros(frame.height, bool)
    column = frame[name]
    if column.dtype == pl.Float32 and column.null_count() == 0:
        values = column.to_numpy()
        return values, ~np.isfinite(values)
    found = column.cast(pl.Float32, strict=False)
    wrong = (found.is_null() & column.is_not_null()) | found.is_nan().fill_null(False) | found.is_infinite()
    values = found.fill_null(float("nan")).to_numpy()
    absent = np.isnan(values) if needed else np.zeros(frame.height, bool)
    return values, wrong.fill_null(False).to_numpy() | absent


def _words(column: pl.Series, name: str, hashing: Hashing) -> tuple[np.ndarray, np.ndarray]:
    column = column.cast(pl.String)
    words = column.drop_nulls().unique().sort()
    if len(words) == 0:
        return np.zeros(len(column), np.int32), np.zeros(len(column), np.float32)
    rank = column.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    seed = int(_hash([name], 0, Hashing(30), cut=False)[0])
    hashes = _hash(words.to_list(), seed, hashing)
    return hashes[np.maximum(rank - 1, 0)], (rank > 0).astype(np.float32)


def _hash(names: list[str], seed: int, hashing: Hashing, *, cut: bool = True) -> np.ndarray:
    encoded = [name.encode() for name in names]
    data = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
    if not cut:
        return np.array([word_loops.hash_name(data, 0, len(encoded[0]), np.uint64(seed))], np.uint64)
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return word_loops.hash_names(data, ends, np.uint64(seed), hashing.mask)
