"""A table in memory: what it asks, and what its models make of a new one."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.base import Request, written_usage
from treatise.compare.inputs.columns import copies_of, groups_of_rows, informative, leaks
from treatise.compare.inputs.encoding import as_frame
from treatise.compare.inputs.rows import RowsInput
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.target import is_nan, read_target, survival_data
from treatise.compare.metrics import TABLE_METRICS
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.io.source import read_compact, read_written
from treatise.report.record import ModelUse

STRAY_GROUP = "a column that tells sequences apart belongs to sequences; give --task sequence with it"


@dataclass(frozen=True)
class TableInput(RowsInput):
    """A table in memory with a column to predict."""

    kind: ClassVar[str] = "table"

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Whatever no other kind takes is a table."""
        return True

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a bundled table, a :class:`Table` or a data frame."""
        if request.group is not None:
            raise TreatiseError(STRAY_GROUP)
        table, source = _table(request.source, request.header)
        return cls(**understood(table, request.target, request.task), source=source)

    def usage(self, model: str) -> ModelUse:
        """Rows from a CSV file."""
        return table_usage(model)

    @classmethod
    def predict(cls, model: ModelFile, source: str, *, header: bool | None = None) -> Iterator[Part]:
        """A table with a column of predictions, and one for each class where there are probabilities."""
        encoder = dict(getattr(model.model, "steps", ())).get("table")
        written = getattr(encoder, "written", None)
        yield TablePart(predict_table(model, load_table(source, header=header, written=written)))


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
    kept = np.flatnonzero(labels.is_not_null().to_numpy() & ~is_nan(labels))
    if len(kept) < len(labels):
        notes.append(f"{len(labels) - len(kept)} rows without a value in {column!r} are left out")
    if len(kept) == 0:
        raise TreatiseError(f"the target {column!r} holds no value at all")
    y, task, words = read_target(labels[kept], column, task, written=table.written.get(column))
    notes += words
    written = dict(table.written)
    if table.matrix is not None:
        X: Any = table.matrix[kept]
        dropped: list[tuple[str, str]] = []
    else:
        asides = {name: why for name, why in table.asides.items() if name != column}
        read = read_compact(table.frame[kept].drop(column, *asides))
        written |= read.written
        notes += read.notes
        X, dropped = informative(read.frame)
        dropped = [*asides.items(), *dropped]
        if X.width == 0:
            why = f" ({dropped[0][0]!r}: {dropped[0][1]})" if dropped else ""
            raise TreatiseError(f"no column is left to predict {column!r} from{why}")
        notes += leaks(X, y, column) + groups_of_rows(X) + survival_data(table.frame, column)
    groups, words = copies_of(X) if copies else (None, [])
    return {
        "name": table.name, "target": column, "task": task, "X": X, "y": y, "groups": groups, "dropped": dropped,
        "notes": notes + words, "table_columns": tuple(table.frame.columns),
        "written": {name: how for name, how in written.items() if table.matrix is None and name in X.columns},
    }  # fmt: skip


def named_target(table: Table, target: str | int | None) -> str | int:
    """The column that the user names, or else the one that the table does."""
    if target is None:
        target = "label" if table.matrix is not None else table.target
        if target is None:
            raise TreatiseError("which column is to be predicted? name it with --target")
    return target


def _table(data: Any, header: bool | None) -> tuple[Table, str]:
    if isinstance(data, Table):
        return data, data.name
    if isinstance(data, str | os.PathLike):
        return load_table(data, header=header), os.fspath(data)
    frame = as_frame(data)
    read = read_written(frame)
    return Table("table", read.frame, True, read.notes, written=read.written), "a data frame"


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


def predict_table(model: ModelFile, table: Table) -> pl.DataFrame:
    """Predictions for each row of a table: the value or label, and the probability of each class if there are any.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare`` or ``treatise fit``.
    table : Table
        As read from a file, with the columns that the model was fitted with.

    Returns
    -------
    polars.DataFrame
    """
    pipeline, about = model.model, model.metadata
    if "task" not in about:
        raise TreatiseError(
            "this model file was not made by `treatise compare` or `treatise fit`, so it reads no tables"
        )
    X = _features(table, about)
    columns: dict[str, Any] = {"prediction": np.asarray(pipeline.predict(X))}
    if about["task"] != "regression" and hasattr(pipeline, "predict_proba"):
        probabilities = pipeline.predict_proba(X)
        for j, label in enumerate(pipeline.classes_):
            columns[f"probability {label}"] = probabilities[:, j]
    return pl.DataFrame(columns)


def _features(table: Table, about: dict[str, Any]) -> Any:
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
    if not table.header and frame.width == len(about["table"]) - 1:
        # A file without names and without the target: its columns are the others, in their order.
        frame = frame.rename(dict(zip(frame.columns, [c for c in about["table"] if c != about["target"]])))
    absent = [name for name in about["columns"] if name not in frame.columns]
    if absent:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        raise TreatiseError(f"{table.name} lacks the column {absent[0]!r}{more} that the model was fitted with")
    return frame.select(about["columns"])
