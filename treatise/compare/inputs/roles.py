"""Columns that predict nothing: what keeps rows together, what orders them in time, what weighs them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate
from treatise.compare.inputs.encoding.groups import names_of
from treatise.io import Table

FEWEST_TIMES = 3
NAMES_SHOWN = 6


@dataclass(frozen=True)
class Roles:
    """The columns with a role, by name, and what each row has of them.

    ``groups`` numbers what keeps rows together, ``names`` has its names, null where a row stands by itself, ``times``
    numbers the moments in their order, ``weights`` are not negative.
    """

    group: str | None = None
    time: str | None = None
    weight: str | None = None
    groups: np.ndarray | None = None
    names: pl.Series | None = None
    times: np.ndarray | None = None
    weights: np.ndarray | None = None

    @property
    def options(self) -> dict[str, str]:
        """The options of ``treatise compare`` that give these roles."""
        named = {"group": self.group, "by-time": self.time, "weight": self.weight}
        return {option: name for option, name in named.items() if name is not None}

    def part(self, index: np.ndarray) -> "Roles":
        """Those of some rows."""
        taken = {name: getattr(self, name) for name in ("groups", "names", "times", "weights")}
        return replace(self, **{name: rows[index] for name, rows in taken.items() if rows is not None})

    def fit_params(self, pipeline: Pipeline) -> dict[str, np.ndarray]:
        """What a pipeline's ``fit`` is told besides rows and targets: the weights, for the steps that take them."""
        if self.weights is None:
            return {}
        return {
            f"{name}__sample_weight": self.weights
            for name, step in pipeline.steps
            if name in ("method", "head") and has_fit_parameter(step, "sample_weight")
        }


def set_aside(table: Table, group: str | None, time: str | None, weight: str | None) -> tuple[Table, dict[str, str]]:
    """The table without the columns that have a role, and the names of those columns."""
    asked = {"group": group, "time": time, "weight": weight}
    named = {role: table.column(name) for role, name in asked.items() if name is not None}
    if not named:
        return table, {}
    if len(set(named.values())) < len(named):
        raise TreatiseError(f"one column cannot have two roles; {', '.join(named)} must be different columns")
    if group is not None and time is not None:
        raise TreatiseError("rows are divided by --group or by --by-time, not by both; give one of them")
    return replace(table, frame=table.frame.drop(list(named.values()))), named


def roles_of(named: Mapping[str, str], frame: pl.DataFrame, y: np.ndarray, task: str) -> tuple[Roles, list[str]]:
    """What the rows have of the named columns, and a word on each; ``frame`` holds the rows of ``y``."""
    roles, notes = Roles(**dict(named)), list[str]()  # type: ignore[arg-type]
    if roles.group is not None:
        groups, count = _groups(frame[roles.group])
        roles = replace(roles, groups=groups, names=names_of(frame[roles.group]))
        notes.append(f"rows with the same {roles.group!r} stay in one fold ({count} of them)")
    if roles.time is not None:
        times = _times(frame[roles.time])
        roles = replace(roles, times=times)
        notes.append(
            f"each fold learns from what comes before it by {roles.time!r} and is judged on what comes next; the "
            "first stretch is only learnt from, and the column itself predicts nothing"
        )
        _refuse_one_class(times, y, task, named["time"])
    if roles.weight is not None:
        roles = replace(roles, weights=_weights(frame[roles.weight]))
        notes.append(f"rows weigh what {roles.weight!r} says, in learning and in judging")
    return roles, notes


def unweighted(candidates: list[Candidate]) -> list[str]:
    """A word on the methods that take no weights, if there are any."""
    without = [c.label for c in candidates if not _takes_weights(c)]
    if not without:
        return []
    more = f" and {len(without) - NAMES_SHOWN} more" if len(without) > NAMES_SHOWN else ""
    return [
        f"{len(without)} of {len(candidates)} methods take no weights and learn from the rows as they are: "
        f"{', '.join(without[:NAMES_SHOWN])}{more}"
    ]


def _takes_weights(candidate: Candidate) -> bool:
    method = candidate.method(0)
    if has_fit_parameter(method, "sample_weight"):
        return True
    head = candidate.compare.head.get(candidate.task)
    return head is not None and has_fit_parameter(candidate.head(0), "sample_weight")


def _groups(column: pl.Series) -> tuple[np.ndarray, int]:
    """Numbers of the groups; a row without one stands by itself."""
    codes = column.rank("dense").to_numpy(allow_copy=True).astype(float)
    absent = np.isnan(codes)
    codes[absent] = np.nanmax(codes, initial=0.0) + 1 + np.arange(absent.sum())
    values, groups = np.unique(codes, return_inverse=True)
    if len(values) < 2:
        raise TreatiseError(f"all rows have the same {column.name!r}; there is nothing to hold out by it")
    return groups, len(values)


def _times(column: pl.Series) -> np.ndarray:
    """Numbers of the moments, in their order."""
    if column.dtype == pl.String:
        column = _dates(column)
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
        raise TreatiseError(f"column {column.name!r} holds {column.dtype}, which has no order in time")
    missing = column.null_count() + (int(column.is_nan().sum()) if column.dtype.is_float() else 0)
    if missing:
        raise TreatiseError(f"{missing} rows have no {column.name!r}, so they have no place in time; leave them out")
    times = column.rank("dense").to_numpy().astype(np.int64)
    if times.max() < FEWEST_TIMES:
        raise TreatiseError(
            f"column {column.name!r} has {times.max()} different values; dividing by time needs {FEWEST_TIMES}"
        )
    return times


def _dates(column: pl.Series) -> pl.Series:
    """Text as moments, where all of it is written as ISO 8601 says."""
    for form in ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f"):
        parsed = column.str.strip_chars().str.to_datetime(form, strict=False)
        if parsed.null_count() == column.null_count():
            return parsed
    example = column.drop_nulls()[0]
    raise TreatiseError(
        f"column {column.name!r} holds text such as {example!r}; write its times as numbers or like 2024-05-31"
    )


def _weights(column: pl.Series) -> np.ndarray:
    if not column.dtype.is_numeric():
        raise TreatiseError(f"column {column.name!r} holds {column.dtype}; weights are numbers")
    weights = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise TreatiseError(f"column {column.name!r} holds {column[int(wrong[0])]!r}; weights are 0 or more, every one")
    if not weights.any():
        raise TreatiseError(f"column {column.name!r} is 0 everywhere, so no row would count")
    return weights


def _refuse_one_class(times: np.ndarray, y: np.ndarray, task: str, name: str) -> None:
    """The past must hold two classes while there is a future to judge on, or no method can begin."""
    if task == "regression":
        return
    train, _ = next(split_by_time(times, 2, y))
    if len(np.unique(y[train])) < 2:
        raise TreatiseError(
            f"the first {len(train)} rows by {name!r} are all {str(y[train][0])!r}, and hardly any come after the "
            "first of another class: nothing can be learnt from the past here; divide the rows otherwise"
        )


def split_by_time(times: np.ndarray, k: int, y: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of each of ``k`` folds: all that comes before a block, and the block.

    There are ``k + 1`` blocks of about as many rows each, the first of which is only learnt from. What happened at one
    moment is never divided. With classes ``y``, the first block goes on until it holds two, as far as that can be.
    """
    _, moment, counts = np.unique(times, return_inverse=True, return_counts=True)
    if len(counts) <= k:
        # Fewer moments than blocks, as in a small sample: rows of a moment follow each other as they stand.
        moment = np.empty(len(times), np.int64)
        moment[np.argsort(times, kind="stable")] = np.arange(len(times))
        counts = np.ones(len(times), np.int64)
    ends = np.cumsum(counts)
    first = np.searchsorted(ends - counts / 2, len(times) * np.arange(1, k + 1) / (k + 1))
    needed = 0 if y is None else int(moment[y != y[np.argmin(moment)]].min(initial=len(counts))) + 1
    if first[0] < needed <= len(counts) - k:
        begun = ends[needed - 1]
        first = np.searchsorted(ends - counts / 2, begun + (len(times) - begun) * np.arange(k) / k)
    # Every block has a moment at least, and leaves one for each that follows.
    first = np.maximum.accumulate(np.maximum(first, np.arange(1, k + 1)) - np.arange(k)) + np.arange(k)
    first = np.minimum(first, len(counts) - np.arange(k, 0, -1))
    block = np.searchsorted(first, moment, side="right")
    for fold in range(k):
        yield np.flatnonzero(block <= fold), np.flatnonzero(block == fold + 1)
