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

from treatise.compare.candidates import Candidate, all_candidates
from treatise.compare.inputs.base import Explanation, FoldPredictions, HeldOut, Input, Size
from treatise.compare.inputs.columns import kinds_in_words, width_of
from treatise.compare.inputs.encoding import table_pipeline
from treatise.compare.metrics import METRICS, TABLE_METRICS, Predictions, judge_amounts, judge_classes, predict
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
CALIBRATION_BINS = 10


@dataclass(frozen=True)
class RowsInput(Input):
    """Rows with a target in one column: numbers, or labels.

    ``X`` is a Polars frame of the informative columns, or a sparse matrix; ``y`` holds numbers or labels; ``groups``
    numbers the distinct rows, so that copies of a row never stand on both sides of a split; ``table_columns`` are all
    columns of the table, the target among them; ``written`` tells how columns are written that are no plain numbers or
    dates.
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
    written: Mapping[str, str] = field(default_factory=dict)

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
    def sparse(self) -> bool:
        """Whether the features are a sparse matrix."""
        return sparse.issparse(self.X)

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
        """The content, the target and the task."""
        return {"kind": self.kind, "data": self.sha256, "target": self.target, "task": self.task}

    def options(self) -> dict[str, Any]:
        """The target and the task."""
        return {"target": self.target, "task": self.task}

    @property
    def task_words(self) -> str:
        """The task as the page names it."""
        if self.task == "regression":
            return "regression"
        number = len(self.classes)
        return "binary classification" if self.task == "binary" else f"classification, {_counted(number, 'class')}"

    def describe(self) -> DataRecord:
        """The rows, columns and classes."""
        columns = len(self.features)
        frame = None if self.sparse else self.X.select(self.features)
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
        """Whether copies of rows were found."""
        return self.groups is not None

    def number_of_folds(self, most: int = 5) -> int:
        """Five, or fewer where there are fewer distinct rows."""
        distinct = self.n_rows if self.groups is None else int(self.groups.max()) + 1
        return max(2, min(most, distinct // 2))

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Folds stratified by class, with copies of a row kept together."""
        train, test = list(split(self.y, self.groups, self.task != "regression", k, seed + 1000 * repeat))[fold]
        return self.part(train), HeldOut(test, self.X[test], self.y[test])

    def part(self, index: np.ndarray) -> Self:
        """The input on some of its rows, their groups numbered anew."""
        groups = None if self.groups is None else np.unique(self.groups[index], return_inverse=True)[1]
        return replace(self, X=self.X[index], y=self.y[index], groups=groups)

    def sample(self, rows: int, seed: int) -> Input:
        """Rows drawn without return, in their order."""
        return self.part(np.sort(np.random.default_rng(seed).permutation(self.n_rows)[:rows]))

    # ------------------------------------------------------------------ methods

    def candidates(self) -> list[Candidate]:
        """Every method of the task."""
        return all_candidates(self.task)

    def bytes_of(self, candidate: Candidate) -> float:
        """Memory that a fit takes; a method that takes no sparse input takes the matrix in full."""
        needed = super().bytes_of(candidate)
        if self.sparse and "sparse" not in candidate.compare.input:
            return max(needed, 8.0 * self.rows_in_memory * self.width * 2)
        return needed

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """Numbers for text and gaps, the scaling that the method wants, the method, and a head for transformers."""
        return table_pipeline(candidate, self.sparse, params, seed, self.written)

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit a pipeline to all rows."""
        return pipeline.fit(self.X, self.y)

    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """Values or labels, with probabilities or scores where the model has them."""
        return predict(model, X, self.classes)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Those of the task."""
        return tuple(METRICS[name] for name in TABLE_METRICS[self.task])

    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """Errors of amounts, or rates of classes."""
        if self.task == "regression":
            return judge_amounts(held_out.actual, found.values)
        return judge_classes(held_out.actual, found, self.classes)

    # ------------------------------------------------------------------ explaining

    @property
    def features(self) -> list[str]:
        """The columns that predict; those of a sparse matrix by number."""
        return [str(number) for number in range(self.X.shape[1])] if self.sparse else list(self.X.columns)

    def shuffled(self, X: Any, feature: str, rng: np.random.Generator) -> Any:
        """The rows with one column in another order."""
        order = rng.permutation(X.shape[0])
        if not self.sparse:
            return X.with_columns(X[feature][order].alias(feature))
        other = X.tolil(copy=True)
        other[:, int(feature)] = X[order, int(feature)]
        return other.tocsr()

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
        return Explanation(confusion_matrix(self.classes, actual, predicted), calibration=calibration)

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
            "table": self.table_columns,
        }  # fmt: skip


def split(
    y: np.ndarray, groups: np.ndarray | None, stratify: bool, k: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of each of ``k`` folds.

    With groups, the distinct rows are split, each by the label of its first copy.
    """
    first = np.arange(len(y)) if groups is None else np.unique(groups, return_index=True)[1]
    labels = y[first] if stratify else np.zeros(len(first))
    fold_of_group = np.empty(len(first), dtype=int)
    splitter = _splitter(labels, stratify, k, seed)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(len(first)), labels)):
        fold_of_group[test] = fold
    fold_of_row = fold_of_group if groups is None else fold_of_group[groups]
    for fold in range(k):
        yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)


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


def confusion_matrix(classes: np.ndarray, actual: np.ndarray, predicted: np.ndarray) -> ConfusionMatrix:
    """Rows by true and predicted class."""
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(matrix, (np.searchsorted(classes, actual), np.searchsorted(classes, predicted)), 1)
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
