"""One method rather than all: fit it to a table, and predict a table with a saved model."""

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare._candidates import Candidate, build, find_candidate
from treatise.compare._problem import Problem, understand
from treatise.compare._sequences import STRAY_GROUP, is_sequences, read_sequences
from treatise.datasets import load_table
from treatise.io import ModelFile, Table


def model_metadata(candidate: Candidate, problem: Problem) -> dict[str, Any]:
    """What a model file says of itself."""
    return {
        "label": candidate.label, "paper": candidate.paper.id if candidate.paper else None,
        "target": problem.target, "task": problem.task, "classes": [str(c) for c in problem.classes],
        "columns": None if problem.sparse else list(problem.X.columns), "features": problem.X.shape[1],
        "table": problem.table_columns,
    }  # fmt: skip


def fit_method(
    method: str,
    data: str | os.PathLike[str] | Table,
    target: str | int | None = None,
    *,
    task: str | None = None,
    params: Mapping[str, Any] | None = None,
    header: bool | None = None,
    seed: int = 0,
    group: str | None = None,
) -> tuple[Pipeline, dict[str, Any], Problem]:
    """Fit one method, with the preprocessing it needs, to a table.

    Parameters
    ----------
    method : str
        An estimator's name or import path, a paper's id, or a baseline's name.
    data : path, bundled name or Table
        The table.
    target, task, header, seed, group :
        As for :func:`compare_methods`.
    params : mapping or None
        Parameters of the method by name, or ``head__NAME`` for a transformer's head.

    Returns
    -------
    pipeline, metadata, problem
        The fitted pipeline, what its model file should say, and the table as it was understood.
    """
    if is_sequences(data, task):
        problem = read_sequences(data, target, group, header)
    elif group is not None:
        raise TreatiseError(STRAY_GROUP)
    else:
        table = data if isinstance(data, Table) else load_table(data, header=header)
        problem = understand(table, target, task)
    candidate = find_candidate(method, problem.task)
    try:
        pipeline = build(candidate, problem.sparse, params or {}, seed)
    except (ValueError, TypeError) as error:
        raise TreatiseError(f"{candidate.label}: {_first_line(error)}") from error
    try:
        pipeline.fit(problem.X, problem.y)
    except ValueError as error:
        raise TreatiseError(f"{candidate.label} could not be fitted: {_first_line(error)}") from error
    return pipeline, {**model_metadata(candidate, problem), "params": dict(params or {})}, problem


def parse_setting(text: str) -> tuple[str, Any]:
    """``name=value`` with the value read as JSON where it is JSON, else as text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise TreatiseError(f"{text!r} is no setting; write name=value, such as C=10")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def predict_table(model: ModelFile, table: Table) -> pl.DataFrame:
    """Predictions for each row of a table: the value or label, and the probability of each class if there are any."""
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


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
