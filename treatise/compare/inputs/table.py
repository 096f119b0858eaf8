"""A table in memory: what it asks, and what its models make of a new one."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import unlabelled_candidates
from treatise.compare.inputs.answers import Score, answers, carried, score_table
from treatise.compare.inputs.base import Request, written_usage
from treatise.compare.inputs.columns import copies_of, groups_of_rows, informative, leaks
from treatise.compare.inputs.encoding import as_frame
from treatise.compare.inputs.roles import roles_of, set_aside, unweighted
from treatise.compare.inputs.rows import Judging, RowsInput
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.target import (
    MOST_CLASSES_BY_NUMBER,
    is_nan,
    read_target,
    rows_left_out,
    survival_data,
)
from treatise.compare.metrics import TABLE_METRICS
from treatise.compare.own_metric import OwnMetric
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.io.source import read_compact, read_written
from treatise.report.record import ModelUse

FEWEST_UNLABELLED, LEAST_SHARE = 20, 0.1
"""Rows without a label that are worth a method of their own: so many, and so many for each row with one."""


@dataclass(frozen=True)
class TableInput(RowsInput):
    """A table in memory with a column to predict."""

    kind: ClassVar[str] = "table"
    wishes: ClassVar[frozenset[str]] = frozenset({"keep", "threshold", "interval", "score"})

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Whatever no other kind takes is a table."""
        return True

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a bundled table, a :class:`Table` or a data frame."""
        table, source = as_table(request.source, request.header)
        features, named = set_aside(table, request.group, request.time, request.weight)
        task = "multiclass" if request.task is None and _are_levels(request, features) else request.task
        found = understood(features, request.target, task, copies=not {"group", "time"} & set(named))
        given = cls(**found | {"table_columns": tuple(table.frame.columns)}, source=source)
        return with_wishes(given, request, table, named)

    def usage(self, model: str) -> ModelUse:
        """Rows from a CSV file."""
        return table_usage(model)

    @classmethod
    def predict(
        cls, model: ModelFile, source: str, *, header: bool | None = None, keep: Sequence[str] = (),
        threshold: float | None = None, interval: float | None = None,
    ) -> Iterator[Part]:  # fmt: skip
        """A table with a column of predictions, and one for each class with its probability or score."""
        table = load_table(source, header=header, written=written_columns(model))
        yield TablePart(predict_table(model, table, keep=keep, threshold=threshold, interval=interval))

    @classmethod
    def answer(
        cls, model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None,
        interval: float | None = None,
    ) -> pl.DataFrame:  # fmt: skip
        """The same for a table in memory."""
        return predict_table(model, table, keep=keep, threshold=threshold, interval=interval)

    @classmethod
    def score(
        cls, model: ModelFile, source: str, *, header: bool | None = None, threshold: float | None = None
    ) -> Score:
        """Every measure of the task on a labelled table."""
        return score_labelled(
            model, load_table(source, header=header, written=written_columns(model)), threshold=threshold
        )

    @classmethod
    def score_rows(
        cls, model: ModelFile, table: Table, *, threshold: float | None = None, own: OwnMetric | None = None
    ) -> Score:
        """The same for a table in memory."""
        return score_labelled(model, table, threshold=threshold, own=own)


def written_columns(model: ModelFile) -> Mapping[str, str] | None:
    """How the columns were written that a model, or the first member of a blend, was fitted with."""
    first = next(iter(getattr(model.model, "models", ())), model.model)
    return getattr(dict(getattr(first, "steps", ())).get("table"), "written", None)


Wished = TypeVar("Wished", bound=TableInput)


def with_wishes(given: Wished, request: Request, table: Table, named: dict[str, str]) -> Wished:
    """A table with its columns of special roles, and with what the user says on judging."""
    labels = table.frame[given.target]
    kept = labels.is_not_null().to_numpy() & ~is_nan(labels)
    roles, notes = roles_of(named, table.frame.filter(kept), given.y, given.task)
    given = replace(given, groups=given.groups if roles.groups is None else roles.groups, roles=roles)
    if roles.weight is not None:
        notes += unweighted(given.candidates())
    if request.own is not None:
        request.own.tried(given.y, given.classes)
    levels, words = levels_of(given, request, table)
    judging = Judging(given.positive, request.threshold, request.own, levels)
    return replace(given, judging=judging, notes=[*given.notes, *notes, *words])


def levels_of(given: RowsInput, request: Request, table: Table) -> tuple[tuple[Any, ...], list[str]]:
    """The classes from the lowest to the highest, where the user or the column says that they have an order."""
    stated = table.levels.get(given.target)
    wanted = request.ordered or stated
    if not wanted:
        if stated is None or given.task != "multiclass":
            return (), []
        return (), [f"{given.target!r} is an ordered category, but the file does not say in which order; name its "
                    "classes from the lowest to the highest with --ordered"]  # fmt: skip
    if given.task != "multiclass":
        if not request.ordered:
            return (), []
        why = "it is a number, which has an order anyhow" if given.task == "regression" else "it has two classes"
        raise TreatiseError(
            f"--ordered is for a target of three classes or more; of {given.target!r}, {why}: leave it out"
        )
    classes = given.classes.tolist()
    levels, words = (_sorted(classes), []) if wanted is True else _as_named(classes, wanted, given.target)
    told = " < ".join(str(level) for level in levels)
    words.append(f"the classes of {given.target!r} have an order, {told}: the mean distance from it ranks")
    return tuple(levels), words


def _are_levels(request: Request, table: Table) -> bool:
    """Whether an order is told of whole numbers few enough for classes, which might else be taken for amounts."""
    if not request.ordered:
        return False
    labels = table.frame[table.column(named_target(table, request.target))]
    labels = labels.filter(labels.is_not_null().to_numpy() & ~is_nan(labels))
    whole = labels.dtype.is_numeric() and bool((labels == labels.round()).all())
    return whole and 2 < labels.n_unique() <= MOST_CLASSES_BY_NUMBER


def _sorted(classes: list[Any]) -> list[Any]:
    """Classes in the order of numbers where all of them are, though they be text such as "10.5"; else as they are."""
    try:
        return sorted(classes, key=float)
    except ValueError:
        return classes


def _as_named(classes: list[Any], wanted: Sequence[str], target: str) -> tuple[list[Any], list[str]]:
    """Classes in the order in which they are named, and a word on names without a row."""
    known, asked = {str(label): label for label in classes}, [str(level) for level in wanted]
    twice = [level for place, level in enumerate(asked) if level in asked[:place]]
    if twice:
        raise TreatiseError(f"--ordered names {twice[0]!r} twice; name each class once, from the lowest to the highest")
    absent = [label for label in known if label not in asked]
    if absent:
        raise TreatiseError(
            f"{target!r} holds {absent[0]!r}, which --ordered does not name; name all of "
            f"{', '.join(known)} from the lowest to the highest"
        )
    idle = ", ".join(repr(level) for level in asked if level not in known)
    words = [f"no row of {target!r} is {idle}: levels are counted without it"] if idle else []
    return [known[level] for level in asked if level in known], words


def understand(table: Table, target: str | int | None = None, task: str | None = None) -> TableInput:
    """What a table asks: its target, its task, the columns that carry information, and words on each choice.

    Parameters
    ----------
    table : Table
        As read from a file.
    target : str, int or None
        The column to predict, by name or number; None takes the table's own target if it has one.
    task : {"binary", "multiclass", "regression"} or None
        None infers it from the target.

    Returns
    -------
    TableInput
    """
    return TableInput(**understood(table, target, task), source=table.name)


def understood(table: Table, target: str | int | None, task: str | None, *, copies: bool = True) -> dict[str, Any]:
    """The fields of an input of rows; ``copies`` says whether to look for copies of rows."""
    if task is not None and task not in TABLE_METRICS:
        raise TreatiseError(f"task {task!r} is unknown; choose one of {', '.join(TABLE_METRICS)}")
    column = table.column(named_target(table, target))
    notes = list(table.notes)
    labels = table.frame[column]
    there = labels.is_not_null().to_numpy() & ~is_nan(labels)
    kept, absent = np.flatnonzero(there), np.flatnonzero(~there)
    if len(kept) == 0:
        raise TreatiseError(f"the target {column!r} holds no value at all")
    y, task, words = read_target(labels[kept], column, task, written=table.written.get(column))
    notes += words
    used, words = _use_of_unlabelled(len(absent), len(kept), column, task)
    notes += words
    written = dict(table.written)
    if table.matrix is not None:
        X: Any = table.matrix[kept]
        unlabelled: Any = table.matrix[absent]
        dropped: list[tuple[str, str]] = []
    else:
        asides = {name: why for name, why in table.asides.items() if name != column}
        read = read_compact(table.frame.drop(column, *asides))
        written |= read.written
        notes += read.notes
        X, dropped = informative(read.frame[kept])
        unlabelled = read.frame[absent].select(X.columns)
        dropped = [*asides.items(), *dropped]
        if X.width == 0:
            why = f" ({dropped[0][0]!r}: {dropped[0][1]})" if dropped else ""
            raise TreatiseError(f"no column is left to predict {column!r} from{why}")
        notes += leaks(X, y, column) + groups_of_rows(X) + survival_data(table.frame, column)
    groups, words = copies_of(X) if copies else (None, [])
    return {
        "name": table.name, "target": column, "task": task, "X": X, "y": y, "groups": groups, "dropped": dropped,
        "notes": notes + words, "table_columns": tuple(table.frame.columns), "unlabelled": unlabelled if used else None,
        "written": {name: how for name, how in written.items() if table.matrix is None and name in X.columns},
    }  # fmt: skip


def _use_of_unlabelled(absent: int, labelled: int, column: str, task: str) -> tuple[bool, list[str]]:
    """Whether rows without a label are learned from, and a word on them."""
    if not absent:
        return False, []
    without = rows_left_out(absent, repr(column))
    if task == "regression":
        return False, [f"{without}: no method here learns amounts from such rows"]
    if absent < max(FEWEST_UNLABELLED, LEAST_SHARE * labelled) or not unlabelled_candidates(task):
        return False, [without]
    return True, [
        f"{absent} rows without a value in {column!r} are learned from by the methods that can, and judge nobody"
    ]


def named_target(table: Table, target: str | int | None) -> str | int:
    """The column that the user names, or else the one that the table does."""
    if target is None:
        target = "label" if table.matrix is not None else table.target
        if target is None:
            raise TreatiseError("which column is to be predicted? name it with --target")
    return target


def as_table(data: Any, header: bool | None) -> tuple[Table, str]:
    """A file, a bundled table, a :class:`Table` or a data frame as a table, and where it came from."""
    if isinstance(data, Table):
        return data, data.name
    if isinstance(data, str | os.PathLike):
        return load_table(data, header=header), os.fspath(data)
    read = read_written(as_frame(data))
    table = Table("table", read.frame, True, read.notes, written=read.written, levels=_ordered_categories(data))
    return table, "a data frame"


def _ordered_categories(data: Any) -> dict[str, tuple[str, ...]]:
    """The categories of a data frame's ordered columns, lowest first."""
    kinds: dict[Any, Any] = {name: getattr(data[name], "dtype", None) for name in getattr(data, "columns", ())}
    return {
        str(name): tuple(map(str, kind.categories))
        for name, kind in kinds.items()
        if isinstance(kind, pl.Enum) or getattr(kind, "ordered", False)
    }


def table_usage(model: str) -> ModelUse:
    """How to predict a CSV file with a model of tables: read as the command reads it, missing words and all."""
    lines = [
        "from treatise.compare import predict_table",
        "from treatise.io import load_model, read_table",
        "",
        "model = load_model(MODEL)",
        'print(predict_table(model, read_table("new.csv")))',
    ]
    return written_usage(lines, "treatise predict MODEL new.csv -o out.csv", model)


def predict_table(
    model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None,
    interval: float | None = None,
) -> pl.DataFrame:  # fmt: skip
    """Predictions for each row of a table: the value or label, and the probability or score of each class.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare`` or ``treatise fit``.
    table : Table
        As read from a file, with the columns that the model was fitted with.
    keep : sequence of str
        Columns of the table to carry through, by name or number; ``["all"]`` for all of them.
    threshold : float or None
        The probability from which on a row is said to be of the rarer of two classes; None takes the model's own.
    interval : float or None
        For amounts: the probability with which intervals hold them, whose ends are two columns more. They are the
        method's own where it gives some, or else come from its errors on held-out rows.

    Returns
    -------
    polars.DataFrame
    """
    return carried(table, keep, answers(model, model_columns(table, _about_tables(model)), threshold, interval))


def score_labelled(
    model: ModelFile, table: Table, *, threshold: float | None = None, own: OwnMetric | None = None
) -> Score:
    """How good the predictions of a labelled table are.

    Parameters
    ----------
    model, table, threshold
        As for :func:`predict_table`; the table has the target too.
    own : OwnMetric or None
        A measure besides those of the task.

    Returns
    -------
    Score
        Every measure of the task, with 95 % intervals.
    """
    return score_table(model, table, model_columns(table, _about_tables(model)), threshold, own)


def _about_tables(model: ModelFile) -> dict[str, Any]:
    if "task" not in model.metadata:
        raise TreatiseError(
            "this model file was not made by `treatise compare` or `treatise fit`, so it reads no tables"
        )
    return model.metadata


def model_columns(table: Table, about: dict[str, Any]) -> Any:
    """The table's columns as the model knows them."""
    width = about["features"]
    if about["columns"] is None:
        if table.matrix is None:
            raise TreatiseError(f"the model was fitted to LIBSVM text; {table.name} is another kind of table")
        matrix = table.matrix[:, :width].tocsr()
        matrix.resize((matrix.shape[0], width))
        return sparse.csr_matrix(matrix)
    if table.matrix is not None:
        raise TreatiseError(f"the model was fitted to a table of named columns; {table.name} is LIBSVM text")
    frame = table.frame
    others = [c for c in about["table"] if c not in about.get("targets", [about["target"]])]
    if not table.header and frame.width == len(others):
        # A file without names and without what is predicted: its columns are the others, in their order.
        frame = frame.rename(dict(zip(frame.columns, others)))
    group = about.get("group")
    if group is not None and group not in frame.columns:
        raise TreatiseError(
            f"{table.name} lacks the column {group!r}, which tells the model the group of each row; add it, and leave "
            "it empty where a row is of no known group"
        )
    absent = [name for name in about["columns"] if name not in frame.columns]
    if absent:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        raise TreatiseError(f"{table.name} lacks the column {absent[0]!r}{more} that the model was fitted with")
    return frame.select(*about["columns"], *([] if group is None else [group]))
