"""A table with several columns to predict at once: amounts all of them, or classes all of them."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate
from treatise.compare.inputs.answers import Score, actual_values, carried, tell_of_unseen
from treatise.compare.inputs.base import Columns, Explanation, FoldPredictions, HeldOut, Input, Request, written_usage
from treatise.compare.inputs.columns import leaks
from treatise.compare.inputs.roles import roles_of, set_aside, split_by_time, unweighted
from treatise.compare.inputs.rows import RowsInput, split
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.table import as_table, model_columns, understood
from treatise.compare.inputs.target import is_nan, read_target, rows_left_out
from treatise.compare.measures import METRICS, SEVERAL_METRICS
from treatise.compare.metrics import (
    Measurement,
    Predictions,
    interval_of,
    judge_amounts,
    judge_classes,
    predict_several,
    row_merits_of,
)
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.report.record import DataRecord, Fact, Metric, ModelUse, TargetScore

ONE = {"multi-regression": "regression", "multi-label": "multiclass", "multi-class": "multiclass"}
"""The task of each single target."""


@dataclass(frozen=True)
class TargetsInput(RowsInput):
    """A table with several columns to predict.

    ``y`` is a matrix with a column for each of the ``targets``: amounts, or the number of a class among its ``labels``.
    A task is ``multi-regression`` (amounts), ``multi-label`` (two classes each, so that ``y`` is 0 and 1) or
    ``multi-class`` (some target has more). Methods learn amounts in units of their standard deviation.
    """

    kind: ClassVar[str] = "several targets"
    wishes: ClassVar[frozenset[str]] = frozenset({"keep", "score"})
    targets: tuple[str, ...] = ()
    labels: tuple[np.ndarray, ...] = ()

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Where several columns are named."""
        return len(request.targets) > 1

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a bundled table, a :class:`Table` or a data frame."""
        _refuse_other_wishes(request)
        table, source = as_table(request.source, request.header)
        if table.matrix is not None:
            raise TreatiseError("LIBSVM text has one label a row; give several targets as a table of named columns")
        targets = tuple(table.column(name) for name in request.targets)
        twice = [name for place, name in enumerate(targets) if name in targets[:place]]
        if twice:
            raise TreatiseError(f"the target {twice[0]!r} is named twice; name each once")
        table, notes = _complete(table, targets)
        task = None if request.task is None else ONE.get(request.task, request.task)
        read = [read_target(table.frame[name], name, task, written=table.written.get(name)) for name in targets]
        kinds = ["regression" if found == "regression" else "classes" for _, found, _ in read]
        _refuse_mixed(targets, kinds)
        alone = replace(table, frame=table.frame.drop(targets[1:]))
        features, named = set_aside(alone, request.group, request.time, request.weight)
        found = understood(features, targets[0], task, copies=not {"group", "time"} & set(named))
        for name, (y, _, words) in list(zip(targets, read))[1:]:
            notes += [*words, *leaks(found["X"], y, name)]
        labels = () if kinds[0] == "regression" else tuple(np.unique(y) for y, _, _ in read)
        columns = (
            [y for y, _, _ in read] if not labels else [np.searchsorted(c, y) for c, (y, _, _) in zip(labels, read)]
        )
        found |= {
            "y": np.column_stack(columns), "target": " and ".join(targets), "task": _task_of(labels),
            "notes": [*found["notes"], *notes], "table_columns": tuple(table.frame.columns),
        }  # fmt: skip
        given = cls(**found, source=source, targets=targets, labels=labels)
        roles, words = roles_of(named, table.frame, read[0][0], read[0][1])
        if roles.weight is not None:
            words += unweighted(given.candidates())
        groups = given.groups if roles.groups is None else roles.groups
        return replace(given, groups=groups, roles=roles, notes=[*given.notes, *words])

    # ------------------------------------------------------------------ describing

    @property
    def classes(self) -> np.ndarray:
        """None that all targets share."""
        return np.array([])

    @property
    def class_counts(self) -> list[int]:
        """None that all targets share."""
        return []

    @property
    def task_words(self) -> str:
        """The task as the page names it."""
        if not self.labels:
            return f"regression of {len(self.targets)} targets"
        return f"classification by {len(self.targets)} targets"

    @property
    def judged_by(self) -> tuple[str, ...]:
        """All targets."""
        return self.targets

    @property
    def size(self) -> Any:
        """Rows, columns after encoding, and targets in the place of classes."""
        return super().size._replace(classes=len(self.targets))

    def options(self) -> dict[str, Any]:
        """The targets, the task and the columns with a role."""
        return {"target": self.targets, "task": self.task, **self.roles.options}

    def describe(self) -> DataRecord:
        """The rows, columns and targets."""
        about = super().describe()
        named = ", ".join(repr(name) for name in self.targets)
        return replace(
            about,
            question=f"targets {named}: {self.task}",
            facts=(*about.facts[:2], Fact("To predict", ", ".join(self.targets)), about.facts[3]),
        )

    # ------------------------------------------------------------------ dividing

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Folds by time, or else by the classes of all targets together, rows that belong together in one."""
        if self.roles.times is not None:
            folds = split_by_time(self.roles.times, k)
        else:
            together = np.unique(self.y, axis=0, return_inverse=True)[1].ravel()
            folds = split(together, self.groups, bool(self.labels), k, seed + 1000 * repeat)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of combinations that are rare
            train, test = list(folds)[fold]
        weights = None if self.roles.weights is None else self.roles.weights[test]
        return self.part(train), HeldOut(test, self.X[test], self.y[test], weights)

    # ------------------------------------------------------------------ methods

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """As for one target; amounts are learned in units of their standard deviation."""
        made = super().pipeline(candidate, params, seed)
        if self.labels:
            return made
        name, method = made.steps[-1]
        scaled = TransformedTargetRegressor(regressor=method, transformer=StandardScaler())
        return Pipeline([*made.steps[:-1], (name, scaled)])

    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """A value or class of each target; the probabilities of its classes side by side, where the model has them."""
        return predict_several(model, X, [len(labels) for labels in self.labels])

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Means over the targets, then the first measure of each target by itself."""
        means = tuple(METRICS[name] for name in SEVERAL_METRICS[self.task])
        return (*means, *(own_measure(means[0], name) for name in self.targets))

    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """Means over the targets of each measure, and the measure that ranks for each target."""
        return judge_several(self.task, self.targets, self._spread, held_out, found, self._counts)

    def merits(self, metric: Metric, held_out: HeldOut, found: Predictions) -> np.ndarray:
        """What each row adds to a measure: the mean over the targets, or the one that is meant."""
        return merits_of_several(self.task, self.targets, self._spread, metric.name, held_out, found, self._counts)

    @property
    def _spread(self) -> np.ndarray:
        """Standard deviation of each target, the unit of its errors."""
        return np.maximum(np.asarray(self.y, float).std(axis=0), np.finfo(float).tiny)

    @property
    def _counts(self) -> list[int]:
        return [len(labels) for labels in self.labels]

    # ------------------------------------------------------------------ explaining

    def columns(self) -> Columns | None:
        """None: what is shown of columns beside a target is for one target."""
        return None

    def told(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """A column for each target."""
        columns = dict(zip(self.targets, values.T))
        if not self.labels:
            return columns
        return {name: labels[codes] for labels, (name, codes) in zip(self.labels, columns.items())}

    def explain(self, parts: Sequence[FoldPredictions]) -> Explanation:
        """How well each target is predicted."""
        if not parts:
            return Explanation()
        scores = None if parts[0].scores is None else np.concatenate([p.scores for p in parts if p.scores is not None])
        found = Predictions(np.concatenate([part.predicted for part in parts]), scores=scores)
        numbers = np.concatenate([part.numbers for part in parts])
        weights = None if self.roles.weights is None else self.roles.weights[numbers]
        held_out = HeldOut(numbers, None, np.concatenate([part.actual for part in parts]), weights)
        measures, shown = self.judge(held_out, found), []
        for target in self.targets:
            metric = own_measure(self.metrics[0], target)
            score = measures[metric.name]
            if score is not None:
                low, high = interval_of(self.merits(metric, held_out, found), metric)
                shown.append(TargetScore(target, METRICS[OF_ONE[self.metrics[0].name]].label, score, low, high))
        return Explanation(targets=tuple(shown) or None)

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """The columns that the model reads, and what it predicts from them."""
        return super().metadata(candidate) | {
            "targets": list(self.targets), "labels": [labels.tolist() for labels in self.labels],
            "spread": self._spread.tolist(),
        }  # fmt: skip

    def settled(self, parts: Sequence[FoldPredictions]) -> dict[str, Any]:
        """Nothing is to be settled."""
        return {}

    def usage(self, model: str) -> ModelUse:
        """Rows from a CSV file."""
        lines = [
            "from treatise.compare import predict_targets",
            "from treatise.io import load_model, read_table",
            "",
            "model = load_model(MODEL)",
            'print(predict_targets(model, read_table("new.csv")))',
        ]
        return written_usage(lines, "treatise predict MODEL new.csv -o out.csv", model)

    @classmethod
    def predict(
        cls, model: ModelFile, source: str, *, header: bool | None = None, keep: Sequence[str] = ()
    ) -> Iterator[Part]:
        """A table with a column of predictions for each target."""
        yield TablePart(predict_targets(model, load_table(source, header=header), keep=keep))

    @classmethod
    def answer(
        cls, model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None
    ) -> pl.DataFrame:
        """The same for a table in memory."""
        if threshold is not None:
            raise TreatiseError("a threshold is for models of two classes; this one predicts several targets")
        return predict_targets(model, table, keep=keep)

    @classmethod
    def score_rows(cls, model: ModelFile, table: Table, *, threshold: float | None = None, own: Any = None) -> Score:
        """Every measure on a table that has all targets."""
        if threshold is not None:
            raise TreatiseError("a threshold is for models of two classes; this one predicts several targets")
        return score_targets(model, table)


def predict_targets(model: ModelFile, table: Table, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """What a model of several targets says of each row of a table.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare --target A --target B``.
    table : Table
        As read from a file, with the columns that the model was fitted with.
    keep : sequence of str
        Columns of the table to carry through, by name or number; ``["all"]`` for all of them.

    Returns
    -------
    polars.DataFrame
        ``prediction A`` for each target, and ``probability A LABEL`` for each of its classes where the model has them.
    """
    about, pipeline = model.metadata, model.model
    X = model_columns(table, about)
    found = predict_several(pipeline, X, [len(labels) for labels in about["labels"]])
    columns: dict[str, Any] = {}
    place = 0
    for j, target in enumerate(about["targets"]):
        if not about["labels"]:
            columns[f"prediction {target}"] = found.values[:, j]
            continue
        labels = np.asarray(about["labels"][j])
        columns[f"prediction {target}"] = labels[found.values[:, j].astype(int)]
        if found.scores is not None:
            for c, label in enumerate(labels):
                columns[f"probability {target} {label}"] = found.scores[:, place + c]
            place += len(labels)
    tell_of_unseen(pipeline, X)
    return carried(table, keep, pl.DataFrame(columns))


def score_targets(model: ModelFile, table: Table) -> Score:
    """How good a model of several targets is on a table that has them; rows without one of them are left out."""
    about, targets = model.metadata, tuple(model.metadata["targets"])
    absent = [name for name in targets if name not in table.frame.columns]
    if absent:
        raise TreatiseError(f"{table.name} has no column {absent[0]!r} to compare the predictions with")
    whole = table.frame.height
    table, _ = _complete(table, targets)
    if table.frame.height < whole:
        warnings.warn(rows_left_out(whole - table.frame.height, "every target"), stacklevel=2)
    X = model_columns(table, about)
    counts = [len(labels) for labels in about["labels"]]
    found = predict_several(model.model, X, counts)
    actual = []
    for j, target in enumerate(targets):
        labels = np.asarray(about["labels"][j]) if about["labels"] else np.array([])
        values = actual_values(table.frame[target], labels, table.name)
        actual.append(np.searchsorted(labels, values) if len(labels) else values)
    weight = about.get("weight")
    weights = None
    if weight is not None and weight in table.frame.columns:
        weights = table.frame[weight].cast(pl.Float64).fill_null(0.0).to_numpy()
    held_out = HeldOut(np.arange(X.shape[0]), None, np.column_stack(actual), weights)
    task, spread = about["task"], np.asarray(about["spread"])
    measures = judge_several(task, targets, spread, held_out, found, counts)
    means = [METRICS[name] for name in SEVERAL_METRICS[task]]
    measurements = []
    for metric in (*means, *(own_measure(means[0], name) for name in targets)):
        value = measures[metric.name]
        if value is not None and np.isfinite(value):
            merits = merits_of_several(task, targets, spread, metric.name, held_out, found, counts)
            measurements.append(Measurement(metric, value, *interval_of(merits, metric)))
    return Score(table.name, X.shape[0], tuple(measurements))


OF_ONE = {
    "mean_r2": "r2", "mean_rmse": "rmse", "mean_mae": "mae", "mean_balanced_accuracy": "balanced_accuracy",
    "mean_accuracy": "accuracy", "mean_f1": "f1", "mean_log_loss": "log_loss",
}  # fmt: skip
"""The measure of one target whose mean over all of them each is."""


def own_measure(mean: Metric, target: str) -> Metric:
    """The measure of one target, of which a mean is taken; errors are in standard deviations of the target."""
    one = METRICS[OF_ONE[mean.name]]
    return replace(one, name=f"{one.name} {target}", label=f"{one.label} of {target}")


def judge_several(
    task: str, targets: Sequence[str], spread: np.ndarray, held_out: HeldOut, found: Predictions, counts: Sequence[int]
) -> dict[str, float | None]:
    """Each mean over the targets by its name, and the first measure of each target."""
    each = [
        _judged(actual, one, classes, held_out.weights)
        for actual, one, classes in _apart(task, spread, held_out.actual, found, counts)
    ]
    means: dict[str, float | None] = {}
    for name in SEVERAL_METRICS[task]:
        values = [measures[OF_ONE[name]] for measures in each]
        known = [value for value in values if value is not None]
        means[name] = float(np.mean(known)) if len(known) == len(values) else None
    first = OF_ONE[SEVERAL_METRICS[task][0]]
    return means | {f"{first} {target}": measures[first] for target, measures in zip(targets, each)}


def merits_of_several(
    task: str, targets: Sequence[str], spread: np.ndarray, metric: str, held_out: HeldOut, found: Predictions,
    counts: Sequence[int],
) -> np.ndarray:  # fmt: skip
    """What each row adds to a mean over the targets, or to the measure of one target."""
    apart = list(_apart(task, spread, held_out.actual, found, counts))
    if metric in OF_ONE:
        chosen, name = apart, OF_ONE[metric]
    else:
        name, _, target = metric.partition(" ")
        chosen = [apart[list(targets).index(target)]]
    return np.mean(
        [row_merits_of(name, actual, one, classes, weights=held_out.weights) for actual, one, classes in chosen], axis=0
    )


def _apart(
    task: str, spread: np.ndarray, actual: np.ndarray, found: Predictions, counts: Sequence[int]
) -> Iterator[tuple[np.ndarray, Predictions, np.ndarray]]:
    """What is the case and what was said of each target, and its classes by number."""
    place = 0
    for j in range(actual.shape[1]):
        if task == "multi-regression":
            yield actual[:, j] / spread[j], Predictions(found.values[:, j] / spread[j]), np.array([])
            continue
        scores = None if found.scores is None else found.scores[:, place : place + counts[j]]
        place += counts[j]
        yield actual[:, j], Predictions(found.values[:, j], scores, scores), np.arange(counts[j])


def _judged(
    actual: np.ndarray, found: Predictions, classes: np.ndarray, weights: np.ndarray | None
) -> dict[str, float | None]:
    if len(classes) == 0:
        return judge_amounts(actual, found.values, weights)
    return judge_classes(actual, found, classes, None, weights)


def _task_of(labels: Sequence[np.ndarray]) -> str:
    if not labels:
        return "multi-regression"
    return "multi-label" if all(len(each) == 2 for each in labels) else "multi-class"


def _complete(table: Table, targets: Sequence[str]) -> tuple[Table, list[str]]:
    """The rows with a value in every target."""
    kept = np.ones(table.frame.height, bool)
    for name in targets:
        kept &= table.frame[name].is_not_null().to_numpy() & ~is_nan(table.frame[name])
    if kept.all():
        return table, []
    if not kept.any():
        raise TreatiseError(f"no row has a value in all of {', '.join(map(repr, targets))}")
    return replace(table, frame=table.frame.filter(kept)), [rows_left_out(int((~kept).sum()), "every target")]


def _refuse_other_wishes(request: Request) -> None:
    wrong = {
        "--threshold": request.threshold, "a metric of your own": request.own, "--ordered": request.ordered or None,
    }  # fmt: skip
    for what, given in wrong.items():
        if given is not None:
            raise TreatiseError(f"several targets do not go with {what}; leave it out, or name one target")


def _refuse_mixed(targets: Sequence[str], kinds: Sequence[str]) -> None:
    if len(set(kinds)) > 1:
        amounts = next(name for name, kind in zip(targets, kinds) if kind == "regression")
        classes = next(name for name, kind in zip(targets, kinds) if kind != "regression")
        raise TreatiseError(
            f"the target {amounts!r} holds amounts and {classes!r} classes; compare them one at a time, or say what "
            "all of them are with --task regression or --task multiclass"
        )
