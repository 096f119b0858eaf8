"""Sequences in a table: a row for each position and a column that tells the sequences apart, or a row for each one."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.columns import useless
from treatise.compare.inputs.target import MOST_CLASSES
from treatise.io import ModelFile, Table, read_table
from treatise.io.source import is_tabular

SENTENCE = "sentence"
"""Column that says which words belong together."""

GROUPS = (SENTENCE, "sequence", "sentence_id", "sequence_id")
"""Names by which the column that tells sequences apart is known without being named."""
FEWEST = 4
MOST_TELLING = 50


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a table by its name; others hold sentences in CoNLL columns."""
    return is_tabular(Path(path))


def read_sequence_table(
    path: str | os.PathLike[str], target: str | int | None, group: str | None, header: bool | None
) -> dict[str, Any]:
    """What a table with a row for each position asks, or one with a sequence in each cell, items between blanks.

    ``group`` is the column that tells the sequences apart; None looks for one of the usual names, and takes cells of
    several items for whole sequences where there is none.
    """
    if target is None:
        raise TreatiseError("which column holds the labels? name it with --target")
    table = read_table(path, header=header)
    if table.matrix is not None:
        raise TreatiseError(f"{path} is LIBSVM text, which does not say where sequences end; give a table with columns")
    if header is None and not table.header and target in table.frame.row(0):
        # Text over text looks like no header, but one of its cells is the name that was given.
        table = read_table(path, header=True)
    name, notes = table.column(target), list(table.notes)
    by, frame = _group(table, group, name), table.frame
    if by is not None:
        _check_rows(frame, by, name)
        numbers = _runs(frame[by])
        features, dropped = _kept(frame.drop(by, name))
        labels = _labels(frame[name])
    else:
        frame, numbers, dropped = _spread(frame, name, list(frame.columns))
        features, more = _kept(frame.drop(name))
        dropped, labels = dropped + more, _labels(frame[name])
    if features.width == 0:
        raise TreatiseError(f"no column is left to tell {name!r} from")
    if SENTENCE in features.columns:
        raise TreatiseError(f"column {SENTENCE!r} is not what tells the sequences apart here; give it another name")
    check_labels(labels, name)
    check_number(path, int(numbers[-1]) + 1, "sequence")
    groups, words = distinct_sequences(features, numbers)
    notes += [
        f"{numbers[-1] + 1} sequences of {len(numbers)} positions; those of a sequence are always in one fold",
        *words,
    ]
    notes += [
        f"column {column.name!r} tells {name!r}: each of its values goes with one label only; drop it if it is not "
        "known beforehand"
        for column in features
        if _tells(column, labels)
    ]
    X = features.insert_column(0, pl.Series(SENTENCE, numbers))
    # Group, features, target: from these names labelling a new table knows how to read it.
    used = (*([] if by is None else [by]), *features.columns[1:], name)
    return {
        "name": table.name, "target": name, "X": X, "y": labels.to_numpy().astype(str), "groups": groups,
        "dropped": dropped, "notes": notes, "table_columns": used,
    }  # fmt: skip


def label_table(model: ModelFile, table: Table) -> pl.DataFrame:
    """A table of sequences with the column that a model labels filled in, or added at the end.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of a comparison of sequences in a table.
    table : Table
        As read from a file, in the form of the table that the model was fitted to.

    Returns
    -------
    polars.DataFrame
    """
    about, frame = model.metadata, table.frame
    if about.get("task") != "sequence":
        raise TreatiseError("this model labels no sequences; `treatise compare --task sequence` makes one that does")
    columns = [name for name in about["columns"] if name != SENTENCE]
    groups = [name for name in about["table"] if name not in (*columns, about["target"])]
    absent = [name for name in (*columns, *groups) if name not in frame.columns]
    if absent:
        raise TreatiseError(f"{table.name} lacks the column {absent[0]!r} that the model was fitted with")
    if frame.height == 0:
        raise TreatiseError(f"{table.name} has no row to label")
    if groups:
        _check_rows(frame, groups[0], None)
        positions, numbers = frame.select(columns), _runs(frame[groups[0]])
    else:
        positions, numbers, uneven = _spread(frame.select(columns), columns[0], columns)
        if uneven:
            raise TreatiseError(f"column {uneven[0][0]!r} {uneven[0][1]}")
    if about["target"] in frame.columns:
        present = frame[about["target"]].drop_nulls()
        held = set(_labels(present) if groups else _items(present).explode())
        warn_of_foreign_labels(held, about["target"], about["classes"])
    labels = np.asarray(model.model.predict(positions.insert_column(0, pl.Series(SENTENCE, numbers)))).astype(str)
    if not groups:
        ends = np.flatnonzero(np.diff(numbers)) + 1
        labels = np.array([" ".join(part) for part in np.split(labels, ends)])
    return frame.with_columns(pl.Series(about["target"], labels))


def distinct_sequences(features: pl.DataFrame, numbers: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The number of the different sequence that each position belongs to, and a word on those that repeat another.

    A copy of a training sequence in a test fold would tell nothing of new ones. Where most sequences repeat another,
    as short ones of few symbols do by nature, each stands for itself.
    """
    hashes = features.hash_rows(seed=0).to_numpy()
    parts = np.split(hashes, np.flatnonzero(np.diff(numbers)) + 1)
    seen: dict[bytes, int] = {}
    kinds = np.array([seen.setdefault(part.tobytes(), len(seen)) for part in parts])
    copies = len(parts) - len(seen)
    if copies == 0 or copies > len(parts) / 2:
        return numbers, []
    return kinds[numbers], [f"{copies} of them repeat another; copies of a sequence stay in the same fold"]


def check_labels(labels: pl.Series, name: str) -> None:
    """Refuse labels that are no set of classes."""
    distinct = labels.n_unique()
    if distinct == 1:
        raise TreatiseError(f"the target {name!r} has one value only ({labels[0]!r}); there is nothing to predict")
    if distinct > MOST_CLASSES:
        raise TreatiseError(f"the target {name!r} has {distinct} different values; at most {MOST_CLASSES} are classes")


def check_number(path: str | os.PathLike[str], sequences: int, name: str) -> None:
    """Refuse a file with too few sequences to hold any out."""
    if sequences < FEWEST:
        counted = f"1 {name}" if sequences == 1 else f"{sequences} {name}s"
        raise TreatiseError(f"{path} holds {counted}; a comparison needs at least {FEWEST}")


def warn_of_foreign_labels(held: set[str], target: str, known: list[str]) -> None:
    """Say so where the column to fill holds labels of another set, which may mean the wrong column or model."""
    foreign = sorted(held - set(known))
    # A column of one value is filled with something that stands for nothing.
    if known and foreign and len(held) > 1:
        warnings.warn(
            f"column {target!r} holds the label {foreign[0]!r}, which the model does not know; like all others there "
            "it is replaced by what the model says",
            stacklevel=3,
        )


def _group(table: Table, group: str | None, target: str) -> str | None:
    if group is not None:
        name = table.column(group)
        if name == target:
            raise TreatiseError(f"column {name!r} cannot both tell the sequences apart and be the target")
        return name
    known = [name for name in table.frame.columns if name.lower() in GROUPS and name != target]
    if known:
        return known[0]
    cells = table.frame[target]
    if cells.dtype == pl.String and cells.drop_nulls().str.strip_chars().str.contains(r"\s").any():
        return None
    raise TreatiseError(
        f"which rows of {table.name} belong to one sequence? name the column that says so with --group, or give a "
        "row for each sequence with its items between blanks"
    )


def rows_of_sequences(frame: pl.DataFrame, by: str) -> np.ndarray:
    """The number of the sequence that each row belongs to, by a column that tells sequences apart."""
    _check_rows(frame, by, None)
    return _runs(frame[by])


def _check_rows(frame: pl.DataFrame, by: str, target: str | None) -> None:
    for name, need in ((by, "a sequence"), (target, "a label")):
        if name is not None and frame[name].null_count():
            row = int(frame[name].is_null().arg_max() or 0) + 1
            raise TreatiseError(f"row {row} has no value in {name!r}; every position needs {need}")
    firsts = frame[by].rle().struct.field("value")
    if firsts.n_unique() < len(firsts):
        again = firsts.filter(firsts.is_duplicated())[0]
        raise TreatiseError(f"the rows of {again!r} in {by!r} do not stand together; sort the table by {by!r}")


def _runs(column: pl.Series) -> np.ndarray:
    return column.rle_id().to_numpy().astype(np.int64)


def _spread(
    frame: pl.DataFrame, ruling: str, names: list[str]
) -> tuple[pl.DataFrame, np.ndarray, list[tuple[str, str]]]:
    """A row for each item of the cells, the number of its row, and the columns that have no item for each."""
    items = {name: _items(frame[name]) for name in names}
    lengths = items[ruling].list.len().fill_null(0)
    if lengths.min() == 0:
        raise TreatiseError(
            f"row {int(lengths.arg_min() or 0) + 1} holds an empty sequence in {ruling!r}; leave it out"
        )
    kept, dropped = {}, []
    for name in names:
        differs = (items[name].list.len().fill_null(0) != lengths).arg_true()
        if len(differs) == 0:
            kept[name] = _numbers(items[name].explode())
        else:
            dropped.append((name, f"has another number of items than {ruling!r} in row {differs[0] + 1}"))
    numbers = np.repeat(np.arange(frame.height), lengths.to_numpy())
    return pl.DataFrame(kept), numbers, dropped


def _items(column: pl.Series) -> pl.Series:
    return column.cast(pl.String).str.extract_all(r"\S+")


def _numbers(items: pl.Series) -> pl.Series:
    """Items as numbers where all of them are."""
    numbers = items.cast(pl.Float64, strict=False)
    return items if numbers.null_count() else numbers


def _kept(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[str, str]]]:
    """The columns that show something, and why the others are left out."""
    columns, dropped = [], []
    for column in frame:
        # Words differ as they like: only a column of another kind can be an identifier.
        text = column.dtype == pl.String
        reason = useless(column, plain=True) if not text else "is constant" if column.n_unique() == 1 else None
        if reason is None:
            columns.append(column)
        else:
            dropped.append((column.name, reason))
    return pl.DataFrame(columns), dropped


def _labels(column: pl.Series) -> pl.Series:
    if column.dtype.is_float() and bool((column == column.round()).all()):
        column = column.cast(pl.Int64)
    return column.cast(pl.String)


def _tells(column: pl.Series, labels: pl.Series) -> bool:
    values = column.n_unique()
    if values > MOST_TELLING:
        return False
    return pl.DataFrame({"value": column, "label": labels}).n_unique() == values
