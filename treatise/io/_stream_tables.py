"""CSV and Parquet as chunks of hashed rows.

A column of numbers is a feature of the column's name; a column of words holds the feature ``word`` in the namespace
of the column's name, so that ``publisher`` = ``yahoo`` is hashed as Vowpal Wabbit would hash ``|publisher yahoo``.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io import _stream_word_loops as word_kernels
from treatise.io import _vw_loops as loops
from treatise.io._stream_lines import line_blocks
from treatise.io._stream_rows import Chunk, Hashing, Rows
from treatise.io._stream_text import LABELS, UNFIT, Skip

_BATCH = 4096  # rows
_MISSING = ["", "NA", "na", "NaN", "nan", "null", "?"]


def csv_frames(path: Path) -> Iterator[tuple[int, pl.DataFrame]]:
    """Batches of rows as text, each with the number of the line before its first."""
    names: list[str] | None = None
    line = 0
    for block in line_blocks(path, quoted=True):
        text = block.tobytes()
        try:
            frame = pl.read_csv(
                text, has_header=names is None, new_columns=names, infer_schema=False, null_values=_MISSING
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).splitlines()[0]
            raise TreatiseError(f"{path}, after line {line}: the rows cannot be parsed ({reason})") from None
        if names is not None and frame.width != len(names):
            raise TreatiseError(f"{path}, after line {line}: {frame.width} fields where the header has {len(names)}")
        start = line + (names is None)
        names = frame.columns
        line += text.count(b"\n")
        for first in range(0, frame.height, _BATCH):
            yield start + first, frame[first : first + _BATCH]


def parquet_frames(path: Path) -> Iterator[tuple[int, pl.DataFrame]]:
    """Batches of rows, each with the number of rows before it."""
    before = 0
    try:
        for frame in pl.scan_parquet(path).collect_batches(chunk_size=_BATCH, maintain_order=True, lazy=True):
            for first in range(0, frame.height, _BATCH):
                part = frame[first : first + _BATCH]
                yield before, part
                before += part.height
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise TreatiseError(f"{path}: the Parquet file is damaged ({str(error).splitlines()[0]})") from None


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
    frames = csv_frames(path) if style == "csv" else parquet_frames(path)
    word = "line" if style == "csv" else "row"
    numeric: list[bool] | None = None
    columns: list[str] = []
    pairs, triples = hashing.pairs(), hashing.triples()
    for before, frame in frames:
        if numeric is None:
            columns = _features(path, frame, target, weight, need_label)
            numeric = [_is_numeric(frame[name]) for name in columns]
        labels, bad = _numbers(frame, target, need_label)
        weighted = weight is not None and weight in frame.columns
        weights, bad_weight = _numbers(frame, weight, True)
        if weighted:
            bad_weight |= weights < 0
        number = "where a finite number belongs"
        reasons: list[tuple[np.ndarray, str | None, str]] = [(bad, target, number), (bad_weight, weight, number)]
        if admitted != "any":
            reasons.append((loops.misfits(LABELS[admitted], labels), target, f"as the label; {UNFIT[admitted]}"))
        indices = np.empty((frame.height, len(columns)), np.int32)
        values = np.zeros((frame.height, len(columns)), np.float32)
        for i, (name, is_number) in enumerate(zip(columns, numeric)):
            if is_number:
                found, wrong = _numbers(frame, name, False)
                reasons.append((wrong, name, number))
                indices[:, i], values[:, i] = _hash([name], 0, hashing)[0], np.nan_to_num(found)
            else:
                indices[:, i], values[:, i] = _words(frame[name], name, hashing)
        keep = np.ones(frame.height, bool)
        for wrong, at_fault, why in reasons:
            for row in np.flatnonzero(wrong & keep):
                reason = (
                    f"{path}, {word} {before + int(row) + 1}: column {at_fault!r} holds "
                    f"{frame[int(row), str(at_fault)]!r} {why}"
                )
                if skip is None:
                    raise TreatiseError(reason)
                skip(reason)
            keep &= ~wrong
        if not keep.any():
            continue
        buffer = next(buffers)
        first_letters = np.array([name.encode()[0] if name else 32 for name in columns], np.uint8)
        rows = int(keep.sum())
        while not loops.pack(
            indices[keep], values[keep], first_letters, hashing.mask, pairs, triples,
            buffer.indptr, buffer.indices, buffer.values, buffer.starts, buffer.ends,
        ):  # fmt: skip
            buffer.room(2 * len(buffer.indices))
        buffer.labels[:rows], buffer.weights[:rows] = labels[keep], weights[keep] if weighted else 1.0
        yield buffer.chunk(rows)


def _features(path: Path, frame: pl.DataFrame, target: str | None, weight: str | None, need: bool) -> list[str]:
    if need and target is None:
        raise TreatiseError(f"{path}: say which column is the target; there are {', '.join(frame.columns[:20])}")
    for name in (target, weight) if need else ():
        if name is not None and name not in frame.columns:
            raise TreatiseError(f"{path}: there is no column {name!r}; there are {', '.join(frame.columns[:20])}")
    columns = [name for name in frame.columns if name not in (target, weight)]
    if len(columns) > loops.MOST_NAMESPACES:
        raise TreatiseError(f"{path}: there are {len(columns)} columns; at most {loops.MOST_NAMESPACES} are read")
    return columns


def _is_numeric(column: pl.Series) -> bool:
    """Whether a column of the first batch holds numbers: the same is then expected of all."""
    if column.dtype != pl.String:
        return column.dtype.is_numeric() or column.dtype == pl.Boolean
    known = column.drop_nulls()
    return len(known) > 0 and known.cast(pl.Float64, strict=False).null_count() == 0


def _numbers(frame: pl.DataFrame, name: str | None, needed: bool) -> tuple[np.ndarray, np.ndarray]:
    """A column as numbers, NaN where there is none, and where it holds something else."""
    if name is None or name not in frame.columns:
        return np.full(frame.height, np.nan, np.float32), np.zeros(frame.height, bool)
    column = frame[name]
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
        return np.array([word_kernels.hash_name(data, 0, len(encoded[0]), np.uint64(seed))], np.uint64)
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return word_kernels.hash_names(data, ends, np.uint64(seed), hashing.mask)
