"""What a saved model of tables says of new rows: predictions with their scores, and how good they are."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.target import is_nan, rows_left_out
from treatise.compare.inputs.thresholds import thresholded
from treatise.compare.intervals import intervals_from, own_intervals
from treatise.compare.measures import METRICS, TABLE_METRICS
from treatise.compare.metrics import (
    Measurement,
    Predictions,
    interval_of,
    judge_amounts,
    judge_classes,
    level_error,
    places_of,
    predict,
    row_merits_of,
)
from treatise.compare.own_metric import OwnMetric
from treatise.io import ModelFile, Table
from treatise.report.record import Metric

ALL = "all"
"""Carries every column through."""


@dataclass(frozen=True)
class Score:
    """How good predictions of labelled rows are: every measure of the task, with an interval."""

    source: str
    rows: int
    measurements: tuple[Measurement, ...]

    def by(self, metric: Metric) -> Measurement:
        """The measurement of one measure, or the first where that one is not among them."""
        return next((m for m in self.measurements if m.metric.name == metric.name), self.measurements[0])


def answers(model: ModelFile, X: Any, threshold: float | None = None, interval: float | None = None) -> pl.DataFrame:
    """A prediction for each row, and a probability or score of each class; ``X`` holds the model's own columns.

    ``interval`` asks for the ends of intervals that hold the amounts with that probability.
    """
    found, classes = foretold(model, X, threshold)
    columns: dict[str, Any] = {"prediction": found.values}
    if interval is not None:
        columns |= dict(zip(("lower", "upper"), _ends(model, X, found.values, interval).T))
    if found.scores is not None:
        word = "score" if found.probabilities is None else "probability"
        columns |= {f"{word} {label}": found.scores[:, j] for j, label in enumerate(classes)}
    elif len(classes):
        # A method of labels alone: how often each was right on held-out rows, if that is known.
        right = model.metadata.get("right", {})
        columns["score"] = [right.get(str(label), 0.5) for label in found.values]
    tell_of_unseen(model.model, X)
    return pl.DataFrame(columns)


def _ends(model: ModelFile, X: Any, predicted: np.ndarray, level: float) -> np.ndarray:
    """Ends of intervals around predicted amounts: the method's own, or from its errors on held-out rows."""
    about = model.metadata
    if about["task"] != "regression":
        raise TreatiseError("intervals are for predicted amounts; this model tells classes apart, by their probability")
    own = own_intervals(model.model, X, level)
    if own is not None:
        return own
    if "errors" not in about:
        raise TreatiseError(
            f"{about.get('label', 'this method')} gives no intervals, and its errors on held-out rows are not known; "
            "make the model with `treatise compare`, which judges it on such rows"
        )
    return intervals_from(about["errors"], predicted, level)


def foretold(model: ModelFile, X: Any, threshold: float | None = None) -> tuple[Predictions, np.ndarray]:
    """Predictions of a model, labels by its threshold or by another one; and its classes."""
    about = model.metadata
    classes = np.array([]) if about["task"] == "regression" else np.asarray(model.model.classes_)
    found = predict(model.model, X, classes)
    settled: Any = about.get("threshold") if threshold is None else {"value": threshold, "of": "probabilities"}
    if settled is None:
        return found, classes
    scores = getattr(found, settled["of"])
    if len(classes) != 2 or scores is None:
        raise TreatiseError("a threshold is for models of two classes that give probabilities; this one does not")
    named = [c for c in classes if str(c) == about.get("positive")] or [classes[1]]
    column = int(np.flatnonzero(classes == named[0])[0])
    values = thresholded(found.values, classes, named[0], scores[:, column], settled["value"])
    return Predictions(values, found.probabilities, found.scores), classes


def carried(table: Table, keep: Sequence[str], answer: pl.DataFrame) -> pl.DataFrame:
    """The answer behind the columns of the table that are to be kept: by name or number, or all of them."""
    names = table.frame.columns if ALL in keep else [table.column(name) for name in dict.fromkeys(keep)]
    double = [name for name in names if name in answer.columns]
    if double:
        raise TreatiseError(
            f"{table.name} has a column {double[0]!r} itself, as the predictions do; rename it to carry it through"
        )
    return pl.concat([table.frame.select(names), answer], how="horizontal") if names else answer


def tell_of_unseen(pipeline: Any, X: Any) -> None:
    """Warn, once for each column, of categories that the model has not seen."""
    encoder = getattr(pipeline, "named_steps", {}).get("table")
    if encoder is None or not hasattr(encoder, "unseen"):
        return
    for column, count in encoder.unseen(X).items():
        if count:
            rows = "1 row holds" if count == 1 else f"{count} rows hold"
            warnings.warn(
                f"{rows} a value of {column!r} that the model has not seen; it says nothing to it", stacklevel=2
            )


def score_table(
    model: ModelFile, table: Table, X: Any, threshold: float | None = None, own: OwnMetric | None = None
) -> Score:
    """How good a model is on a labelled table; rows without a label are left out, with a warning."""
    about, source = model.metadata, table.name
    if about["target"] not in table.frame.columns:
        raise TreatiseError(f"{source} has no column {about['target']!r} to compare the predictions with")
    labels = table.frame[about["target"]]
    kept = np.flatnonzero(labels.is_not_null().to_numpy() & ~is_nan(labels))
    if len(kept) == 0:
        raise TreatiseError(f"{source} has no value in {about['target']!r} to compare the predictions with")
    if len(kept) < len(labels):
        warnings.warn(rows_left_out(len(labels) - len(kept), repr(about["target"])), stacklevel=2)
    found, classes = foretold(model, X[kept], threshold)
    actual = actual_values(labels[kept], classes, source)
    weights = _weights(table, about.get("weight"), kept)
    positive = next((c for c in classes if str(c) == about.get("positive")), None)
    if len(classes):
        measures = judge_classes(actual, found, classes, positive, weights)
    else:
        measures = judge_amounts(actual, found.values, weights)
    metrics = [METRICS[name] for name in TABLE_METRICS[about["task"]]]
    if own is not None:
        metrics.append(own.metric)
        measures[own.metric.name] = own.score(actual, found, classes, weights)
    levels = _levels(about, classes)
    if levels:
        metrics.insert(0, METRICS["level_error"])
        measures["level_error"] = level_error(actual, found.values, levels, weights)
    measurements = []
    for metric in metrics:
        value = measures[metric.name]
        if value is not None and np.isfinite(value):
            if metric.name == "level_error":
                apart = Predictions(places_of(found.values, levels))
                merits = row_merits_of("mae", places_of(actual, levels), apart, np.array([]), weights=weights)
            else:
                merits = row_merits_of(metric.name, actual, found, classes, positive=positive, weights=weights, own=own)
            measurements.append(Measurement(metric, value, *interval_of(merits, metric)))
    return Score(source, len(kept), tuple(measurements))


def _levels(about: dict[str, Any], classes: np.ndarray) -> list[Any]:
    """The model's classes from the lowest to the highest, where they have an order."""
    named = {str(label): label for label in classes}
    return [named[level] for level in about.get("levels", ()) if level in named]


def actual_values(labels: pl.Series, classes: np.ndarray, source: str) -> np.ndarray:
    """The target's values as the model writes its own; a class that it does not know is an error."""
    if len(classes) == 0:
        if not labels.dtype.is_numeric():
            raise TreatiseError(f"{source}: {labels.name!r} holds {labels[0]!r}, and the model predicts numbers")
        return labels.cast(pl.Float64).to_numpy()
    kind = pl.Int64 if classes.dtype.kind in "iu" else pl.String
    values = labels.cast(kind, strict=False)
    strange = labels.filter(values.is_null())
    actual = values.drop_nulls().to_numpy()
    actual = actual.astype(str) if kind == pl.String else actual
    foreign = [*strange.unique().to_list(), *actual[~np.isin(actual, classes)].tolist()]
    if foreign:
        known = ", ".join(str(c) for c in classes[:10])
        raise TreatiseError(f"{source}: {labels.name!r} holds {foreign[0]!r}, which the model does not know ({known})")
    return actual


def _weights(table: Table, name: str | None, kept: np.ndarray) -> np.ndarray | None:
    """Weights of the rows, where the model was judged with them and the table has them."""
    if name is None or name not in table.frame.columns:
        return None
    return table.frame[name][kept].cast(pl.Float64).fill_null(0.0).to_numpy()
