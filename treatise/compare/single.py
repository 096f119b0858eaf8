"""One method rather than all, fitted to data of any kind."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import find_candidate
from treatise.compare.inputs import Input, Request, read_input
from treatise.compare.inputs.base import one_or_several
from treatise.io import Table


def fit_method(
    method: str,
    data: str | os.PathLike[str] | Table,
    target: str | int | Sequence[str | int] | None = None,
    *,
    task: str | None = None,
    params: Mapping[str, Any] | None = None,
    header: bool | None = None,
    seed: int = 0,
    group: str | None = None,
    time: str | None = None,
    event: str | None = None,
    bag: str | None = None,
) -> tuple[Pipeline, dict[str, Any], Input]:
    """Fit one method, with the preprocessing it needs, to a table or to sequences.

    Parameters
    ----------
    method : str
        An estimator's name or import path, a paper's id, or a baseline's name.
    data : path, bundled name or Table
        The table.
    target, task, header, seed, group, time, event, bag :
        As for :func:`compare_methods`.
    params : mapping or None
        Parameters of the method by name, or ``head__NAME`` for a transformer's head.

    Returns
    -------
    pipeline, metadata, input
        The fitted pipeline, what its model file should say, and the data as they were understood.
    """
    one, several = one_or_several(target)
    given = read_input(
        Request(data, one, task, header, group, seed=seed, lifetime=time, event=event, targets=several, bag=bag)
    )
    candidate = find_candidate(method, given.candidates(), given.task)
    try:
        pipeline = given.pipeline(candidate, params or {}, seed)
    except (ValueError, TypeError) as error:
        raise TreatiseError(f"{candidate.label}: {_first_line(error)}") from error
    try:
        given.fit(pipeline)
    except ValueError as error:
        raise TreatiseError(f"{candidate.label} could not be fitted: {_first_line(error)}") from error
    return pipeline, {**given.metadata(candidate), "params": dict(params or {})}, given


def parse_setting(text: str) -> tuple[str, Any]:
    """``name=value`` with the value read as JSON where it is JSON, else as text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise TreatiseError(f"{text!r} is no setting; write name=value, such as C=10")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
