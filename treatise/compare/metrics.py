"""How predictions of classes and amounts are judged: every measure of a task, from one held-out fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.report.record import Metric
from treatise.statistics import row_merits

METRICS = {
    metric.name: metric
    for metric in (
        Metric("roc_auc", "ROC AUC", True, 0.0, 1.0),
        Metric("accuracy", "accuracy", True, 0.0, 1.0),
        Metric("balanced_accuracy", "balanced accuracy", True, 0.0, 1.0),
        Metric("f1", "F1 (macro)", True, 0.0, 1.0),
        Metric("log_loss", "log loss", False, 0.0),
        Metric("sentence_accuracy", "accuracy of whole sentences", True, 0.0, 1.0),
        Metric("r2", "R²", True, None, 1.0),
        Metric("rmse", "root mean squared error", False, 0.0),
        Metric("mae", "mean absolute error", False, 0.0),
    )
}
TABLE_METRICS = {
    "binary": ("roc_auc", "accuracy", "balanced_accuracy", "f1", "log_loss"),
    "multiclass": ("balanced_accuracy", "accuracy", "f1", "log_loss", "roc_auc"),
    "regression": ("r2", "rmse", "mae"),
}
"""Measures of each task of a table, the one that ranks first."""


def choose_metric(allowed: Sequence[Metric], name: str | None, task: str) -> Metric:
    """The measure by name, or the first of those that a task allows."""
    found = [metric for metric in allowed if name in (None, metric.name)]
    if not found:
        names = ", ".join(metric.name for metric in allowed)
        raise TreatiseError(f"metric {name!r} is not for a {task} task; choose one of {names}")
    return found[0]


@dataclass(frozen=True)
class Predictions:
    """What a fitted pipeline says of held-out rows: values or labels, and one score per class if it has them."""

    values: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None


def predict(pipeline: Pipeline, X: Any, classes: np.ndarray) -> Predictions:
    """Predictions with the columns of probabilities and scores in the order of ``classes``."""
    values = np.asarray(pipeline.predict(X))
    if len(classes) == 0:
        return Predictions(values)
    known = np.asarray(pipeline.classes_)
    probabilities = scores = None
    if hasattr(pipeline, "predict_proba"):
        probabilities = scores = _by_class(pipeline.predict_proba(X), known, classes, 0.0)
    elif hasattr(pipeline, "decision_function"):
        raw = np.asarray(pipeline.decision_function(X))
        raw = np.column_stack([-raw, raw]) if raw.ndim == 1 else raw
        if raw.shape[1] == len(known):
            scores = _by_class(raw, known, classes, -np.inf)
    return Predictions(values, probabilities, scores)


def _by_class(columns: np.ndarray, known: np.ndarray, classes: np.ndarray, absent: float) -> np.ndarray:
    if len(known) == len(classes):
        return columns
    out = np.full((len(columns), len(classes)), absent)
    out[:, np.searchsorted(classes, known)] = columns
    return out


def judge_amounts(actual: np.ndarray, values: np.ndarray) -> dict[str, float | None]:
    """Every measure of a regression."""
    return {
        "r2": float(metrics.r2_score(actual, values)) if len(actual) > 1 else None,
        "rmse": float(np.sqrt(metrics.mean_squared_error(actual, values))),
        "mae": float(metrics.mean_absolute_error(actual, values)),
    }


def judge_classes(actual: np.ndarray, predicted: Predictions, classes: np.ndarray) -> dict[str, float | None]:
    """Every measure of a classification; None where the method gives no scores or the fold no second class."""
    values, present = predicted.values, np.unique(actual)
    return {
        "roc_auc": _area(actual, predicted.scores, classes, present),
        "accuracy": float(metrics.accuracy_score(actual, values)),
        "balanced_accuracy": float(np.mean([np.mean(values[actual == c] == c) for c in present])),
        "f1": macro_f1(actual, values),
        "log_loss": _log_loss(actual, predicted.probabilities, classes),
    }


def judge_sequences(actual: np.ndarray, values: np.ndarray, sequences: np.ndarray) -> dict[str, float | None]:
    """Every measure of labels of sequences; ``sequences`` tells which of them stand in one."""
    wrong = np.unique(sequences[values != actual])
    return {
        "accuracy": float(metrics.accuracy_score(actual, values)),
        "sentence_accuracy": 1.0 - len(wrong) / len(np.unique(sequences)),
        "f1": macro_f1(actual, values),
    }


def row_merits_of(metric: Metric, actual: np.ndarray, found: Predictions, classes: np.ndarray) -> np.ndarray:
    """What each row adds to a measure, larger for better: their mean is the measure, or its negative."""
    name, values = metric.name, found.values
    if name == "roc_auc":
        assert found.scores is not None
        present = np.unique(actual)
        positive = present if len(classes) > 2 else classes[1:]
        columns = np.searchsorted(classes, positive)
        areas = [row_merits.area_under_curve(actual == c, found.scores[:, j]) for c, j in zip(positive, columns)]
        return np.mean(areas, axis=0)
    if name == "log_loss":
        assert found.probabilities is not None
        rows = np.arange(len(actual))
        return row_merits.log_likelihood(found.probabilities[rows, np.searchsorted(classes, actual)])
    return MERITS[name](actual, values)


MERITS = {
    "accuracy": row_merits.right_labels,
    "balanced_accuracy": row_merits.right_labels_by_class,
    "f1": row_merits.macro_f1,
    "r2": row_merits.explained_variance,
    "rmse": row_merits.root_squared_error,
    "mae": row_merits.absolute_error,
}


def macro_f1(actual: np.ndarray, values: np.ndarray) -> float:
    """Mean F1 of the classes that are there."""
    present = np.unique(actual)
    return float(metrics.f1_score(actual, values, labels=present, average="macro", zero_division=0))


def _area(actual: np.ndarray, scores: np.ndarray | None, classes: np.ndarray, present: np.ndarray) -> float | None:
    """Area under the ROC curve; for many classes the mean of one class against the rest."""
    if scores is None or len(present) < 2:
        return None
    positive = present if len(classes) > 2 else classes[1:]
    columns = np.searchsorted(classes, positive)
    return float(np.mean([metrics.roc_auc_score(actual == c, scores[:, j]) for c, j in zip(positive, columns)]))


def _log_loss(actual: np.ndarray, probabilities: np.ndarray | None, classes: np.ndarray) -> float | None:
    if probabilities is None:
        return None
    tiny = np.finfo(float).eps
    chosen = probabilities[np.arange(len(actual)), np.searchsorted(classes, actual)]
    return float(-np.mean(np.log(np.clip(chosen, tiny, 1.0))))
