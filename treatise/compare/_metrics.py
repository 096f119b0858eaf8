"""How predictions are judged: every measure of a task, from one held-out fold."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError


@dataclass(frozen=True)
class Metric:
    """A measure with its name for people and its direction."""

    name: str
    label: str
    greater_is_better: bool

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"name": self.name, "label": self.label, "greater_is_better": self.greater_is_better}


_METRICS = {
    metric.name: metric
    for metric in (
        Metric("roc_auc", "ROC AUC", True),
        Metric("accuracy", "accuracy", True),
        Metric("balanced_accuracy", "balanced accuracy", True),
        Metric("f1", "F1 (macro)", True),
        Metric("log_loss", "log loss", False),
        Metric("sentence_accuracy", "accuracy of whole sentences", True),
        Metric("r2", "R²", True),
        Metric("rmse", "root mean squared error", False),
        Metric("mae", "mean absolute error", False),
    )
}
BY_TASK = {
    "binary": ("roc_auc", "accuracy", "balanced_accuracy", "f1", "log_loss"),
    "multiclass": ("balanced_accuracy", "accuracy", "f1", "log_loss", "roc_auc"),
    "regression": ("r2", "rmse", "mae"),
    "sequence": ("accuracy", "sentence_accuracy", "f1"),
}

TAGGER = "tagger"
"""The step of a pipeline that labels the words of sentences."""


def choose_metric(task: str, name: str | None) -> Metric:
    """The measure by name, or the first of its task."""
    allowed = BY_TASK[task]
    if name is not None and name not in allowed:
        raise TreatiseError(f"metric {name!r} is not for a {task} task; choose one of {', '.join(allowed)}")
    return _METRICS[name or allowed[0]]


@dataclass(frozen=True)
class Predictions:
    """What a fitted pipeline says of held-out rows: values or labels, and one score per class if it has them.

    For words, ``sentences`` tells which stand in one.
    """

    values: np.ndarray
    probabilities: np.ndarray | None
    scores: np.ndarray | None
    sentences: np.ndarray | None = None


def predict(pipeline: Pipeline, X: Any, classes: np.ndarray) -> Predictions:
    """Predictions with the columns of probabilities and scores in the order of ``classes``."""
    values = np.asarray(pipeline.predict(X))
    if TAGGER in pipeline.named_steps:
        return Predictions(values, None, None, np.asarray(X[pipeline[TAGGER].sentence]))
    if len(classes) == 0:
        return Predictions(values, None, None)
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


def judge(actual: np.ndarray, predicted: Predictions, task: str, classes: np.ndarray) -> dict[str, float | None]:
    """Every measure of the task; None where the method gives no scores or the fold no second class."""
    values = predicted.values
    if task == "regression":
        return {
            "r2": float(metrics.r2_score(actual, values)) if len(actual) > 1 else None,
            "rmse": float(np.sqrt(metrics.mean_squared_error(actual, values))),
            "mae": float(metrics.mean_absolute_error(actual, values)),
        }
    present = np.unique(actual)
    if predicted.sentences is not None:
        wrong = np.unique(predicted.sentences[values != actual])
        return {
            "accuracy": float(metrics.accuracy_score(actual, values)),
            "sentence_accuracy": 1.0 - len(wrong) / len(np.unique(predicted.sentences)),
            "f1": float(metrics.f1_score(actual, values, labels=present, average="macro", zero_division=0)),
        }
    return {
        "roc_auc": _area(actual, predicted.scores, classes, present),
        "accuracy": float(metrics.accuracy_score(actual, values)),
        "balanced_accuracy": float(np.mean([np.mean(values[actual == c] == c) for c in present])),
        "f1": float(metrics.f1_score(actual, values, labels=present, average="macro", zero_division=0)),
        "log_loss": _log_loss(actual, predicted.probabilities, classes),
    }


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


def better(metric: Metric) -> Callable[[float], float]:
    """A key that is larger for better values."""
    return (lambda value: value) if metric.greater_is_better else (lambda value: -value)
