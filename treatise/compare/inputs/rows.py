"""Rows with a target: what tables in memory, tables on disk and sequences have in common."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from treatise.compare.candidates import Candidate, all_candidates, unlabelled_candidates
from treatise.compare.inputs.base import Columns, Explanation, FoldPredictions, HeldOut, Input, Size
from treatise.compare.inputs.columns import kind_of, kinds_in_words, width_of
from treatise.compare.inputs.encoding import table_pipeline
from treatise.compare.inputs.roles import Roles, split_by_time
from treatise.compare.inputs.thresholds import RARE, RULES, best_threshold
from treatise.compare.intervals import LEVEL, judge_intervals, kept_errors, own_intervals
from treatise.compare.metrics import (
    METRICS,
    TABLE_METRICS,
    Predictions,
    judge_amounts,
    judge_classes,
    level_error,
    places_of,
    predict,
    row_merits_of,
)
from treatise.compare.own_metric import OwnMetric
from treatise.compare.unlabelled import WithUnlabelled, fit_with_unlabelled
from treatise.report.record import (
    CalibrationCurve,
    ColumnCounts,
    ConfusionMatrix,
    DataRecord,
    DroppedColumn,
    Fact,
    Metric,
    Residuals,
)

FRAME = "frame.arrow"
MOST_POINTS = 2000
MANY_COLUMNS, FEWEST_COLUMNS = 2000, 250
# A look at very many columns: rows that it may have, seconds that it may take.
LOOKED_AT, LOOK_SECONDS = 2000, 1.0
CALIBRATION_BINS = 10


@dataclass(frozen=True)
class Judging:
    """What the user says on how predictions are judged and used.

    ``positive`` is the class of two that counts as the event, ``threshold`` how labels follow from its probability,
    ``own`` a measure of the user's, and ``levels`` the classes from the lowest to the highest, if they have an order.
    """

    positive: Any = None
    threshold: str | float | None = None
    own: OwnMetric | None = None
    levels: tuple[Any, ...] = ()


@dataclass(frozen=True)
class RowsInput(Input):
    """Rows with a target in one column: numbers, or labels.

    ``X`` is a Polars frame of the informative columns, or a sparse matrix; ``y`` holds numbers or labels; ``groups``
    numbers the rows that are kept together: copies of a row, or what ``roles`` says; ``table_columns`` are all columns
    of the table, the target among them; ``written`` tells how columns are written that are no plain numbers or dates.
    ``unlabelled`` holds rows without a label, like ``X``: some methods learn from them in every fold, and they are
    never held out.
    """

    name: str
    source: str
    target: str
    task: str
    X: Any
    y: np.ndarray
    groups: np.ndarray | None
    dropped: list[tuple[str, str]]
    notes: list[str]
    table_columns: tuple[str, ...] = ()
    roles: Roles = field(default_factory=Roles)
    judging: Judging = field(default_factory=Judging)
    written: Mapping[str, str] = field(default_factory=dict)
    unlabelled: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows with a target."""
        return len(self.y)

    @cached_property
    def classes(self) -> np.ndarray:
        """The labels, sorted; empty for regression."""
        return np.array([]) if self.task == "regression" else np.unique(self.y)

    @property
    def class_counts(self) -> list[int]:
        """Rows of each class; empty for regression."""
        return [] if self.task == "regression" else np.unique(self.y, return_counts=True)[1].tolist()

    @property
    def positive(self) -> Any:
        """Of two classes the one that counts as the event: the rarer one; None where there are not two."""
        if self.judging.positive is not None or self.task != "binary":
            return self.judging.positive
        return self.classes[0] if self.class_counts[0] < self.class_counts[-1] else self.classes[-1]

    @property
    def sparse(self) -> bool:
        """Whether the features are a sparse matrix."""
        return sparse.issparse(self.X)

    @cached_property
    def holds_words(self) -> bool:
        """Whether a method of words alone has something to read: free text, or a sparse matrix of nothing negative."""
        if self.sparse:
            return self.X.nnz == 0 or bool(self.X.data.min() >= 0)
        return any(kind_of(column) == "text" for column in self.X.iter_columns())

    @cached_property
    def width(self) -> int:
        """Columns after encoding, counted on the whole table."""
        return self.X.shape[1] if self.sparse else width_of(self.X)

    @property
    def size(self) -> Size:
        """Rows, columns after encoding, classes."""
        return Size(self.n_rows, self.width, max(2, len(self.classes)))

    # ------------------------------------------------------------------ describing

    @cached_property
    def sha256(self) -> str:
        """Of the file, or of the rows where there is none."""
        path = Path(self.source)
        if path.is_file():
            with path.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        return digest_of_rows(self.X, self.y)

    def identity(self) -> dict[str, Any]:
        """The content, the target, the task, and what a measure of the user's does."""
        own = {} if self.judging.own is None else {"own metric": self.judging.own.fingerprint}
        order = {"ordered": [str(level) for level in self.judging.levels]} if self.judging.levels else {}
        return {"kind": self.kind, "data": self.sha256, "target": self.target, "task": self.task} | (
            self.roles.options | own | order
        )

    def options(self) -> dict[str, Any]:
        """The target and the task, the columns with a role, and a threshold."""
        asked: dict[str, Any] = {} if self.judging.threshold is None else {"threshold": self.judging.threshold}
        if self.judging.levels:
            asked["ordered"] = ",".join(str(level) for level in self.judging.levels)
        return {"target": self.target, "task": self.task, **self.roles.options, **asked}

    @property
    def task_words(self) -> str:
        """The task as the page names it."""
        if self.task == "regression":
            return "regression"
        number = len(self.classes)
        in_order = " in order" if self.judging.levels else ""
        if self.task == "binary":
            return "binary classification"
        return f"classification, {_counted(number, 'class')}{in_order}"

    @property
    def described(self) -> pl.DataFrame | None:
        """The columns that predict, to tell of what kinds they are; None where they are a sparse matrix."""
        return None if self.sparse else self.X.select(self.features)

    def describe(self) -> DataRecord:
        """The rows, columns and classes."""
        columns = len(self.features)
        frame = self.described
        numeric = columns if frame is None else sum(c.dtype.is_numeric() or c.dtype == pl.Boolean for c in frame)
        kinds = f"{columns} numeric, 0 categorical" if frame is None else kinds_in_words(frame)
        return DataRecord(
            kind=self.kind,
            name=self.name,
            source=self.source,
            sha256=self.sha256,
            task=self.task,
            target=self.target,
            rows=self.n_rows,
            size=f"{_counted(self.n_rows, 'row')}, {_counted(columns, 'column')} to predict from ({kinds})",
            question=f"target {self.target!r}: {self.task}",
            purpose=f"Predicting {self.target} from {_counted(columns, 'column')} of {_counted(self.n_rows, 'row')}",
            facts=(
                Fact("Rows", f"{self.n_rows:,}"),
                Fact("Columns used", f"{columns:,}", kinds),
                Fact("To predict", self.target),
                Fact("Task", self.task_words),
                *([Fact("Rows without a label", f"{self.unlabelled_rows:,}")] if self.unlabelled_rows else []),
            ),
            features=columns,
            columns=ColumnCounts(numeric, columns - numeric),
            classes=tuple(str(c) for c in self.classes),
            counts=tuple(self.class_counts),
            dropped=tuple(DroppedColumn(column, reason) for column, reason in self.dropped),
            notes=tuple(self.notes),
        )

    # ------------------------------------------------------------------ dividing

    @property
    def grouped(self) -> bool:
        """Whether rows are kept together: copies, or those of a group."""
        return self.groups is not None

    @property
    def repeats(self) -> int:
        """Folds by time are what they are; others are drawn anew."""
        return 1 if self.roles.times is not None else super().repeats

    def number_of_folds(self, most: int = 5) -> int:
        """Five, or fewer where there are fewer distinct rows, groups or moments."""
        if self.roles.times is not None:
            return max(2, min(most, len(np.unique(self.roles.times)) - 1))
        distinct = self.n_rows if self.groups is None else int(self.groups.max()) + 1
        return max(2, min(most, distinct // (2 if self.roles.group is None else 1)))

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Folds by time, or else stratified by class, with rows that belong together in one."""
        if self.roles.times is not None:
            folds = split_by_time(self.roles.times, k, None if self.task == "regression" else self.y)
        else:
            folds = split(self.y, self.groups, self.task != "regression", k, seed + 1000 * repeat)
        train, test = list(folds)[fold]
        weights = None if self.roles.weights is None else self.roles.weights[test]
        return self.part(train), HeldOut(test, self.X[test], self.y[test], weights)

    def part(self, index: np.ndarray) -> Self:
        """The input on some of its rows, their groups numbered anew."""
        groups = None if self.groups is None else np.unique(self.groups[index], return_inverse=True)[1]
        return replace(self, X=self.X[index], y=self.y[index], groups=groups, roles=self.roles.part(index))

    def sample(self, rows: int, seed: int) -> Input:
        """Rows drawn without return, in their order; of those without a label the same share."""
        rng = np.random.default_rng(seed)
        chosen = self.part(np.sort(rng.permutation(self.n_rows)[:rows]))
        if self.unlabelled is None:
            return chosen
        share = self.unlabelled_rows * chosen.n_rows // self.n_rows
        return replace(chosen, unlabelled=self.unlabelled[np.sort(rng.permutation(self.unlabelled_rows)[:share])])

    @property
    def unlabelled_rows(self) -> int:
        """Rows without a label."""
        return 0 if self.unlabelled is None else int(self.unlabelled.shape[0])

    def rows_learned(self, candidate: Candidate, rows: int) -> int:
        """Those without a label as well, where a method learns from them."""
        return rows + self.unlabelled_rows * rows // self.n_rows if candidate.compare.unlabelled else rows

    # ------------------------------------------------------------------ methods

    def candidates(self) -> list[Candidate]:
        """Every method of the task; of classes with an order, those that know of it too; those for missing labels."""
        found = all_candidates(self.task) + (all_candidates("ordinal") if self.judging.levels else [])
        if not self.holds_words:
            found = [each for each in found if "dense" in each.compare.input]
        if self.unlabelled is None:
            return found
        return [each for each in found if not each.compare.unlabelled] + unlabelled_candidates(self.task)

    def suits(self, candidate: Candidate) -> bool:
        """Those that know of an order of classes, and those that learn from rows without a label."""
        return candidate.task == "ordinal" or (self.unlabelled is not None and bool(candidate.compare.unlabelled))

    def bytes_of(self, candidate: Candidate, rows: int) -> float:
        """Memory that a fit takes: no less than its rows, in full where the method takes no sparse ones."""
        needed = super().bytes_of(candidate, rows)
        table = 8.0 * min(rows, self.rows_in_memory) * self.columns_for(candidate)
        if not self.sparse:
            return max(needed, table)
        return needed if "sparse" in candidate.compare.input else max(needed, 2 * table)

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """Numbers for text and gaps, the scaling that the method wants, the method, and a head for transformers."""
        columns = self.columns_for(candidate)
        most = columns if columns < self.width else None
        if candidate.task == "ordinal":
            params = {"levels": list(self.judging.levels), **params}
        made = table_pipeline(candidate, self.sparse, params, seed, self.written, most)
        if self.unlabelled is None or not candidate.compare.unlabelled:
            return made
        name, method = made.steps[-1]
        return Pipeline([*made.steps[:-1], (name, WithUnlabelled(method))])

    def columns_for(self, candidate: Candidate) -> int:
        """Columns that a method is given: of very many, a dense one sees those that tell most of the target.

        A method whose law says that this is still too much for a quick look sees fewer, down to a few hundred.
        """
        columns = self.width
        if columns <= MANY_COLUMNS:
            return columns
        if "sparse" not in candidate.compare.input:
            columns = MANY_COLUMNS
        rows, classes = min(self.n_rows, LOOKED_AT), self.size.classes
        while columns > FEWEST_COLUMNS and candidate.compare.seconds.at(rows, columns, classes) > LOOK_SECONDS:
            columns //= 2
        return columns

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit a pipeline to all rows, with their weights where it takes them, and with those without a label."""
        if self.unlabelled is not None and isinstance(pipeline[-1], WithUnlabelled):
            return fit_with_unlabelled(pipeline, self.X, self.y, self.unlabelled)
        return pipeline.fit(self.X, self.y, **self.roles.fit_params(pipeline))

    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """Values or labels, with probabilities or scores where the model has them."""
        return predict(model, X, self.classes)

    def intervals(self, model: Pipeline, held_out: HeldOut, most: int, seed: int) -> np.ndarray | None:
        """Those that the method of a regression gives of its own, for a fair part of the rows."""
        if self.task != "regression":
            return None
        number = len(held_out.numbers)
        asked = np.sort(np.random.default_rng(seed).permutation(number)[:most])
        given = own_intervals(model, held_out.X[asked], LEVEL)
        if given is None:
            return None
        intervals = np.full((number, 2), np.nan)
        intervals[asked] = given
        return intervals

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Those of the task, of classes with an order first how far off they are; and the user's own."""
        names = TABLE_METRICS[self.task]
        usual = tuple(METRICS[name] for name in (("level_error", *names) if self.judging.levels else names))
        return usual if self.judging.own is None else (*usual, self.judging.own.metric)

    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """Errors of amounts, or rates of classes; and the user's own measure."""
        actual, weights, own = held_out.actual, held_out.weights, self.judging.own
        if self.task == "regression":
            measures = judge_amounts(actual, found.values, weights) | judge_intervals(actual, found.intervals, weights)
        else:
            measures = judge_classes(actual, found, self.classes, self.positive, weights)
        if self.judging.levels:
            measures["level_error"] = level_error(actual, found.values, self.judging.levels, weights)
        return (
            measures if own is None else measures | {own.metric.name: own.score(actual, found, self.classes, weights)}
        )

    def merits(self, metric: Metric, held_out: HeldOut, found: Predictions) -> np.ndarray:
        """What each row adds to a measure."""
        if metric.name == "level_error":
            places = [places_of(labels, self.judging.levels) for labels in (held_out.actual, found.values)]
            return row_merits_of("mae", places[0], Predictions(places[1]), np.array([]), weights=held_out.weights)
        return row_merits_of(
            metric.name, held_out.actual, found, self.classes, positive=self.positive, weights=held_out.weights,
            own=self.judging.own,
        )  # fmt: skip

    @property
    def units(self) -> np.ndarray | None:
        """Copies of a row, and rows of one group, are not independent."""
        return self.groups

    @property
    def in_time(self) -> bool:
        """Where the user names a column of times."""
        return self.roles.times is not None

    # ------------------------------------------------------------------ explaining

    @property
    def features(self) -> list[str]:
        """The columns that predict; those of a sparse matrix by number."""
        return [str(number) for number in range(self.X.shape[1])] if self.sparse else list(self.X.columns)

    def columns(self) -> Columns | None:
        """All rows."""
        return Columns(self.X, self.y) if self.features else None

    def shuffled(self, X: Any, feature: str, rng: np.random.Generator) -> Any:
        """The rows with one column in another order."""
        order = rng.permutation(X.shape[0])
        if not self.sparse:
            return X.with_columns(X[feature][order].alias(feature))
        other = X.tolil(copy=True)
        other[:, int(feature)] = X[order, int(feature)]
        return other.tocsr()

    def kept(self, model: Pipeline) -> tuple[np.ndarray, int] | None:
        """The columns, as they are encoded, that a fitted selector keeps."""
        steps = model.named_steps
        selector = steps.get("method")  # models of sequences have other steps
        if not hasattr(selector, "get_support"):
            return None
        names = np.asarray(self.features) if self.sparse else np.asarray(steps["table"].get_feature_names_out())
        if "screen" in steps:
            names = names[steps["screen"].kept_]
        return names[selector.get_support()].astype(str), len(names)

    def explain(self, parts: Sequence[FoldPredictions]) -> Explanation:
        """Residuals of amounts; mistakes among classes, and whether their probabilities can be trusted."""
        if not parts:
            return Explanation()
        actual = np.concatenate([part.actual for part in parts])
        predicted = np.concatenate([part.predicted for part in parts])
        if self.task == "regression":
            shown = np.random.default_rng(0).permutation(len(actual))[:MOST_POINTS]
            return Explanation(residuals=Residuals(tuple(predicted[shown].tolist()), tuple(actual[shown].tolist())))
        found = [part.probabilities for part in parts if part.probabilities is not None]
        probabilities = np.concatenate(found) if len(found) == len(parts) else None
        calibration = None if probabilities is None else calibration_curves(self.classes, actual, probabilities)
        mistakes = confusion_matrix(self.classes, actual, predicted, self.judging.levels)
        return Explanation(mistakes, calibration=calibration)

    # ------------------------------------------------------------------ for other processes

    def save(self, folder: Path) -> None:
        """A frame lies beside the rest, in a file that processes read without copying it first."""
        if self.sparse:
            super().save(folder)
        else:
            self.X.write_ipc(folder / FRAME)
            super(RowsInput, replace(self, X=None)).save(folder)

    def completed(self, folder: Path) -> Input:
        """With its frame."""
        return replace(self, X=pl.read_ipc(folder / FRAME)) if self.X is None else self

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """The columns that the model reads, and what it predicts from them."""
        return {
            **super().metadata(candidate), "target": self.target, "classes": [str(c) for c in self.classes],
            "columns": None if self.sparse else list(self.X.columns), "features": self.X.shape[1],
            "table": self.table_columns, "weight": self.roles.weight,
            "positive": None if self.positive is None else str(self.positive),
            "levels": [str(level) for level in self.judging.levels],
        }  # fmt: skip

    def settled(self, parts: Sequence[FoldPredictions]) -> dict[str, Any]:
        """The threshold of the rarer of two classes, where one was asked for or that class is rare.

        Of a method that gives labels alone, how often each label was right; of amounts, how large the errors were.
        """
        rule = self.judging.threshold
        if parts and self.task == "regression":
            return {"errors": kept_errors(parts)}
        if parts and self.task != "regression" and all(p.probabilities is None and p.scores is None for p in parts):
            return {"right": _share_right(parts)}
        if self.task != "binary" or not parts:
            return {}
        if rule is None and min(self.class_counts) < RARE * sum(self.class_counts):
            rule = "f1"
        column = int(np.searchsorted(self.classes, self.positive))
        for kind in ("probabilities", "scores"):
            found = [getattr(part, kind) for part in parts]
            if rule is None or any(each is None for each in found):
                continue
            if rule not in RULES:
                return {"threshold": {"value": rule, "of": "probabilities"}} if kind == "probabilities" else {}
            actual = np.concatenate([part.actual for part in parts])
            rows = np.concatenate([part.numbers for part in parts])
            weights = None if self.roles.weights is None else self.roles.weights[rows]
            scores = np.concatenate(found)[:, column]
            value = best_threshold(actual == self.positive, scores, str(rule), weights)
            return {"threshold": {"value": value, "of": kind, "rule": rule}}
        return {}


def split(
    y: np.ndarray, groups: np.ndarray | None, stratify: bool, k: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of each of ``k`` folds.

    With groups these are split, each by its commonest label.
    """
    first = np.arange(len(y)) if groups is None else np.unique(groups, return_index=True)[1]
    labels = (y[first] if groups is None else _commonest(y, groups)) if stratify else np.zeros(len(first))
    fold_of_group = np.empty(len(first), dtype=int)
    splitter = _splitter(labels, stratify, k, seed)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(len(first)), labels)):
        fold_of_group[test] = fold
    fold_of_row = fold_of_group if groups is None else fold_of_group[groups]
    for fold in range(k):
        yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)


def _share_right(parts: Sequence[FoldPredictions]) -> dict[str, float]:
    """How often each label was right; a half where it was never given, and drawn towards that where it was seldom."""
    told = np.concatenate([part.predicted for part in parts])
    right = np.concatenate([part.predicted == part.actual for part in parts])
    labels, codes, counts = np.unique(told, return_inverse=True, return_counts=True)
    shares = (np.bincount(codes, right) + 1) / (counts + 2)
    return {str(label): float(share) for label, share in zip(labels, shares)}


def _commonest(y: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The commonest label of each group, the first by name where several are as common."""
    labels, codes = np.unique(y, return_inverse=True)
    pairs, counts = np.unique(groups * len(labels) + codes, return_counts=True)
    order = np.lexsort((pairs, -counts, pairs // len(labels)))
    _, leading = np.unique((pairs // len(labels))[order], return_index=True)
    return labels[pairs[order[leading]] % len(labels)]


def _splitter(labels: np.ndarray, stratify: bool, k: int, seed: int) -> KFold | StratifiedKFold:
    # Stratifying needs one class with at least k members; rarer classes are spread as far as they go.
    if stratify and np.unique(labels, return_counts=True)[1].max() >= k:
        return StratifiedKFold(k, shuffle=True, random_state=seed)
    return KFold(k, shuffle=True, random_state=seed)


def digest_of_rows(X: Any, y: np.ndarray) -> str:
    """SHA-256 of rows and targets, so that a changed table is another run."""
    state = hashlib.sha256()
    if isinstance(X, pl.DataFrame):
        state.update(json.dumps([(c.name, str(c.dtype)) for c in X]).encode())
        state.update(X.hash_rows(seed=1).to_numpy().tobytes())
    else:
        for part in (X.indptr, X.indices, X.data):
            state.update(np.ascontiguousarray(part).tobytes())
    state.update(np.ascontiguousarray(y).tobytes())
    return state.hexdigest()


def confusion_matrix(
    classes: np.ndarray, actual: np.ndarray, predicted: np.ndarray, levels: Sequence[Any] = ()
) -> ConfusionMatrix:
    """Rows by true and predicted class, in the order of the levels if there are any: near mistakes by the diagonal."""
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(matrix, (np.searchsorted(classes, actual), np.searchsorted(classes, predicted)), 1)
    if levels:
        order = np.searchsorted(classes, np.asarray(levels, dtype=classes.dtype))
        classes, matrix = classes[order], matrix[np.ix_(order, order)]
    return ConfusionMatrix(tuple(str(c) for c in classes), tuple(tuple(row) for row in matrix.tolist()))


def calibration_curves(
    classes: np.ndarray, actual: np.ndarray, probabilities: np.ndarray
) -> tuple[CalibrationCurve, ...]:
    """For each class, of two for the second: mean predicted and observed frequency in bins of equal width."""
    curves = []
    for j in range(1, 2) if len(classes) == 2 else range(len(classes)):
        given, happened = probabilities[:, j], actual == classes[j]
        bins = np.minimum((given * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
        used = np.unique(bins)
        curves.append(
            CalibrationCurve(
                str(classes[j]),
                tuple(float(given[bins == b].mean()) for b in used),
                tuple(float(happened[bins == b].mean()) for b in used),
                tuple(int((bins == b).sum()) for b in used),
            )
        )
    return tuple(curves)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + ('es' if noun.endswith('s') else 's')}"
