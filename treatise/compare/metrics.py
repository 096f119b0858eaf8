"""How predictions of classes and amounts are judged: every measure of a task, from one held-out fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit
from sklearn import metrics
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.measures import METRICS, TABLE_METRICS
from treatise.report.record import Metric
from treatise.statistics import row_merits

if TYPE_CHECKING:
    from treatise.compare.own_metric import OwnMetric

__all__ = [
    "METRICS",
    "TABLE_METRICS",
    "Measurement",
    "Predictions",
    "choose_metric",
    "interval_of",
    "judge_amounts",
    "judge_classes",
    "judge_sequences",
    "level_error",
    "macro_f1",
    "places_of",
    "predict",
    "predict_several",
    "row_merits_of",
    "spread_by_parts",
]

LEVEL = 0.05
"""Of the intervals."""


def choose_metric(allowed: Sequence[Metric], name: str | None, task: str) -> Metric:
    """The measure by name, or the first of those that a task allows."""
    found = [metric for metric in allowed if name in (None, metric.name)]
    if not found:
        names = ", ".join(metric.name for metric in allowed)
        raise TreatiseError(f"metric {name!r} is not for a {task} task; choose one of {names}")
    return found[0]


@dataclass(frozen=True)
class Predictions:
    """What a fitted pipeline says of held-out rows: values or labels, and one score per class if it has them.

    ``intervals`` holds lower and upper ends of amounts, where a method gives them and was asked; rows that it was not
    asked about have none (NaN).
    """

    values: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None
    intervals: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> "Predictions":
        """Those of some rows."""
        beside = (self.probabilities, self.scores, self.intervals)
        return Predictions(self.values[rows], *(None if each is None else each[rows] for each in beside))


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
            scores = _by_class(raw, known, classes, float(raw.min(initial=0.0)) - 1.0)
    return Predictions(values, probabilities, scores)


def predict_several(pipeline: Pipeline, X: Any, classes: Sequence[int]) -> Predictions:
    """Predictions of several targets: a column of values each, and the probabilities of their classes side by side.

    ``classes`` tells how many classes each target has; none for amounts. A model gives probabilities as scikit-learn's
    do: a list with a matrix for each target, or for two classes each a matrix with the probability of the second.
    """
    values = np.asarray(pipeline.predict(X))
    if not classes:
        return Predictions(values.astype(np.float64))
    if not hasattr(pipeline, "predict_proba"):
        return Predictions(values.astype(np.int64))
    given = pipeline.predict_proba(X)
    if isinstance(given, np.ndarray):
        found = [np.column_stack([1.0 - column, column]) for column in given.T]
    else:
        known = getattr(pipeline, "classes_", [np.arange(number) for number in classes])
        found = [
            _by_class(np.asarray(part), np.asarray(labels, int), np.arange(number), 0.0)
            for part, labels, number in zip(given, known, classes)
        ]
    return Predictions(values.astype(np.int64), scores=np.column_stack(found))


def _by_class(columns: np.ndarray, known: np.ndarray, classes: np.ndarray, absent: float) -> np.ndarray:
    if len(known) == len(classes):
        return columns
    out = np.full((len(columns), len(classes)), absent)
    out[:, np.searchsorted(classes, known)] = columns
    return out


def judge_amounts(actual: np.ndarray, values: np.ndarray, weights: np.ndarray | None = None) -> dict[str, float | None]:
    """Every measure of a regression."""
    return {
        "r2": float(metrics.r2_score(actual, values, sample_weight=weights)) if len(actual) > 1 else None,
        "rmse": float(np.sqrt(metrics.mean_squared_error(actual, values, sample_weight=weights))),
        "mae": float(metrics.mean_absolute_error(actual, values, sample_weight=weights)),
    }


def judge_classes(
    actual: np.ndarray, predicted: Predictions, classes: np.ndarray, positive: Any = None,
    weights: np.ndarray | None = None,
) -> dict[str, float | None]:  # fmt: skip
    """Every measure of a classification; None where the method gives no scores or the fold no second class.

    ``positive`` is the class of two whose average precision is meant; the second one if None.
    """
    values, present = predicted.values, np.unique(actual)
    right = values == actual
    rates = [_average(right[actual == c], None if weights is None else weights[actual == c]) for c in present]
    return {
        "roc_auc": _area(actual, predicted.scores, classes, present, weights),
        "average_precision": _average_precision(actual, predicted.scores, classes, present, positive, weights),
        "accuracy": _average(right, weights),
        "balanced_accuracy": float(np.mean([rate for rate in rates if rate is not None])),
        "f1": macro_f1(actual, values, weights),
        "log_loss": _log_loss(actual, predicted.probabilities, classes, weights),
    }


def places_of(labels: np.ndarray, levels: Sequence[Any]) -> np.ndarray:
    """Places of labels among levels, from the lowest (0) on, as amounts."""
    names, order = np.unique(np.asarray(levels), return_index=True)
    return order[np.searchsorted(names, labels)].astype(np.float64)


def level_error(
    actual: np.ndarray, values: np.ndarray, levels: Sequence[Any], weights: np.ndarray | None = None
) -> float:
    """Mean distance of predicted from actual labels, in places among the levels."""
    return float(np.average(np.abs(places_of(actual, levels) - places_of(values, levels)), weights=weights))


def judge_sequences(actual: np.ndarray, values: np.ndarray, sequences: np.ndarray) -> dict[str, float | None]:
    """Every measure of labels of sequences; ``sequences`` tells which of them stand in one."""
    wrong = np.unique(sequences[values != actual])
    return {
        "accuracy": float(metrics.accuracy_score(actual, values)),
        "sentence_accuracy": 1.0 - len(wrong) / len(np.unique(sequences)),
        "f1": macro_f1(actual, values),
    }


def macro_f1(actual: np.ndarray, values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Mean F1 of the classes that are there."""
    present = np.unique(actual)
    return float(
        metrics.f1_score(actual, values, labels=present, average="macro", zero_division=0, sample_weight=weights)
    )


def _average(right: np.ndarray, weights: np.ndarray | None) -> float | None:
    if weights is not None and weights.sum() == 0:
        return None
    return float(np.average(right, weights=weights))


def _area(
    actual: np.ndarray, scores: np.ndarray | None, classes: np.ndarray, present: np.ndarray, weights: np.ndarray | None
) -> float | None:
    """Area under the ROC curve; for many classes the mean of one class against the rest."""
    if scores is None or len(present) < 2:
        return None
    areas = [
        metrics.roc_auc_score(actual == c, scores[:, j], sample_weight=weights)
        for c, j in _each_against_the_rest(classes, present)
    ]
    return float(np.mean(areas))


def _average_precision(
    actual: np.ndarray, scores: np.ndarray | None, classes: np.ndarray, present: np.ndarray, positive: Any,
    weights: np.ndarray | None,
) -> float | None:  # fmt: skip
    """Average precision; for many classes the mean of one class against the rest."""
    pairs = _each_against_the_rest(classes, present, positive)
    if scores is None or not all(c in present for c, _ in pairs):
        return None
    found = [metrics.average_precision_score(actual == c, scores[:, j], sample_weight=weights) for c, j in pairs]
    return float(np.mean(found))


def _each_against_the_rest(classes: np.ndarray, present: np.ndarray, positive: Any = None) -> list[tuple[Any, int]]:
    """The classes that are judged against the others, with their columns: of two, one is enough."""
    if len(classes) == 2:
        chosen = classes[1:] if positive is None else classes[classes == positive]
    else:
        chosen = present
    return list(zip(chosen, np.searchsorted(classes, chosen)))


def _log_loss(
    actual: np.ndarray, probabilities: np.ndarray | None, classes: np.ndarray, weights: np.ndarray | None
) -> float | None:
    if probabilities is None:
        return None
    return float(-np.average(np.log(_of_the_truth(actual, probabilities, classes)), weights=weights))


def _of_the_truth(actual: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The probability that was given to what is the case, kept above zero."""
    chosen = probabilities[np.arange(len(actual)), np.searchsorted(classes, actual)]
    return np.clip(chosen, np.finfo(float).eps, 1.0)


# ------------------------------------------------------------------ row by row


def row_merits_of(
    metric: str, actual: np.ndarray, found: Predictions, classes: np.ndarray, *, positive: Any = None,
    weights: np.ndarray | None = None, own: "OwnMetric | None" = None,
) -> np.ndarray:  # fmt: skip
    """What each row adds to a measure, larger being better: the mean is the score, with a minus where less is better.

    Parameters
    ----------
    metric : str
        One of :data:`METRICS` for tables, or the name of ``own``.
    actual, found, classes, positive, weights :
        As for :func:`judge_classes`; ``classes`` is empty for amounts.
    own : OwnMetric or None
        A measure that the user brings.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.metrics import Predictions, row_merits_of
    >>> actual, found = np.array([1.0, 2.0, 3.0]), Predictions(np.array([1.0, 2.5, 5.0]))
    >>> row_merits_of("mae", actual, found, np.array([]))
    array([-0. , -0.5, -2. ])
    """
    if own is not None and metric == own.metric.name:
        return spread_by_parts(
            lambda rows: own.score(actual[rows], found.take(rows), classes, None if weights is None else weights[rows]),
            len(actual),
        )
    values = found.values
    if metric in _OF_VALUES:
        return _OF_VALUES[metric](actual, values, weights)
    if metric == "log_loss" and found.probabilities is not None:
        return row_merits.log_likelihood(_of_the_truth(actual, found.probabilities, classes), weights)
    if metric in _OF_SCORES and found.scores is not None:
        present = np.unique(actual)
        pairs = _each_against_the_rest(classes, present, positive if metric == "average_precision" else None)
        merits = _OF_SCORES[metric]
        return np.mean([merits(actual == c, found.scores[:, j], weights) for c, j in pairs], axis=0)
    raise ValueError(f"there is no {metric} of these predictions: they hold no probabilities or scores")


_OF_VALUES = {
    "accuracy": row_merits.right_labels,
    "balanced_accuracy": row_merits.right_labels_by_class,
    "f1": row_merits.macro_f1,
    "r2": row_merits.explained_variance,
    "rmse": row_merits.root_squared_error,
    "mae": row_merits.absolute_error,
}
_OF_SCORES = {"roc_auc": row_merits.area_under_curve, "average_precision": row_merits.average_precision}


def spread_by_parts(score: Any, n_rows: int) -> np.ndarray:
    """Merits of any score of rows: the jackknife's, spread so that they vary as much as those of single rows would."""
    n_parts = min(PARTS, n_rows)
    merits = row_merits.jackknifed(score, n_rows, n_parts=n_parts)
    mean = merits.mean()
    return mean + (merits - mean) * np.sqrt(n_rows / n_parts)


PARTS = 50
"""Of rows that are left out in turn where a measure has no merits of its own."""


@dataclass(frozen=True)
class Measurement:
    """A measure of predictions, with an interval that allows for the rows being a sample."""

    metric: Metric
    score: float
    low: float | None
    high: float | None


def interval_of(merits: np.ndarray, metric: Metric) -> tuple[float | None, float | None]:
    """The 95 % interval of a score from its rows' merits; none where there is one row.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.metrics import METRICS, interval_of
    >>> low, high = interval_of(np.repeat([1.0, 0.0], [90, 10]), METRICS["accuracy"])
    >>> print(f"{low:.3f} to {high:.3f}")
    0.840 to 0.960
    """
    n = len(merits)
    if n < 2:
        return None, None
    mean, half = float(merits.mean()), stdtrit(n - 1, 1 - LEVEL / 2) * float(merits.std(ddof=1)) / np.sqrt(n)
    low, high = sorted(metric.within(metric.merit(end)) for end in (mean - half, mean + half))
    return low, high
