"""What a threshold does: rates and precision at each, from rows that were held out."""

from collections.abc import Sequence

import numpy as np

from treatise.compare.inputs import FoldPredictions
from treatise.report.explained import ThresholdCurve

MOST_POINTS = 200


def threshold_curve(key: str, label: str, classes: np.ndarray, parts: Sequence[FoldPredictions]) -> ThresholdCurve:
    """The ROC and the precision-recall curve of the second of two classes, as one list of thresholds.

    The scores of all folds stand on one scale, as they do for whoever chooses one threshold for new rows. Areas and
    the two marked thresholds come from all rows; of the points only so many are kept as a drawing shows.

    Parameters
    ----------
    key, label : str
        The method.
    classes : ndarray of shape (2,)
        The classes; the second is found at or above the threshold.
    parts : sequence of FoldPredictions
        What the method said of each fold while it was held out.

    Returns
    -------
    ThresholdCurve
        Without points, and with a sentence in ``why_not``, where the method gives labels alone.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.explaining import threshold_curve
    >>> from treatise.compare.inputs import FoldPredictions
    >>> actual, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> both = np.column_stack([1 - scores, scores])
    >>> fold = FoldPredictions(np.arange(4), actual, actual, both, both, np.zeros(4))
    >>> curve = threshold_curve("k", "A method", np.array([0, 1]), [fold])
    >>> curve.thresholds, curve.true_positive_rate, curve.false_positive_rate
    ((0.8, 0.4, 0.35, 0.1), (0.5, 0.5, 1.0, 1.0), (0.0, 0.5, 0.5, 1.0))
    >>> curve.area, curve.best_f1, curve.youden
    (0.75, 0.35, 0.8)
    """
    positive = str(classes[1])
    if not parts or any(part.scores is None for part in parts):
        why = f"{label} gives labels alone, no probabilities or scores: there is no threshold to choose."
        if not parts:
            why = f"No held-out predictions of {label} are at hand."
        return _without(key, label, positive, why)
    actual = np.concatenate([part.actual for part in parts]) == classes[1]
    scores = np.concatenate([np.asarray(part.scores)[:, 1] for part in parts]).astype(float)
    finite = scores[np.isfinite(scores)]
    n_positive, n_negative = int(actual.sum()), int((~actual).sum())
    if not len(finite) or not n_positive or not n_negative or np.isnan(scores).any():
        return _without(key, label, positive, f"The held-out rows of {label} are too few for a curve.")
    # A class that a fold never saw has an infinite score there: it stands beside the lowest.
    scores = np.clip(scores, finite.min(), finite.max())
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    true, false = np.cumsum(actual[order])[last], np.cumsum(~actual[order])[last]
    recall, fallout, precision = true / n_positive, false / n_negative, true / (true + false)
    before = np.concatenate([[0.0], recall])
    area = np.sum(np.diff(np.concatenate([[0.0], fallout])) * (before[:-1] + before[1:]) / 2)
    f1, youden = 2 * true / (true + false + n_positive), recall - fallout
    marked = int(np.argmax(f1)), int(np.argmax(youden))
    kept = _thinned(recall, fallout, precision, marked)
    thresholds = scores[order][last]
    return ThresholdCurve(
        key,
        label,
        positive,
        n_positive,
        n_negative,
        all(part.probabilities is not None for part in parts),
        thresholds=tuple(thresholds[kept].tolist()),
        true_positive_rate=tuple(recall[kept].tolist()),
        false_positive_rate=tuple(fallout[kept].tolist()),
        precision=tuple(precision[kept].tolist()),
        area=float(area),
        average_precision=float(np.sum(np.diff(before) * precision)),
        best_f1=float(thresholds[marked[0]]),
        youden=float(thresholds[marked[1]]),
    )


def _thinned(recall: np.ndarray, fallout: np.ndarray, precision: np.ndarray, marked: tuple[int, ...]) -> np.ndarray:
    """Points an equal way apart along both curves, with the ends and the marked ones."""
    if len(recall) <= MOST_POINTS:
        return np.arange(len(recall))
    way = np.abs(np.diff(recall)) + np.abs(np.diff(fallout)) + np.abs(np.diff(precision))
    along = np.concatenate([[0.0], np.cumsum(way)])
    wanted = np.linspace(0.0, along[-1], MOST_POINTS - len(marked))
    chosen = np.minimum(np.searchsorted(along, wanted), len(along) - 1)
    return np.unique(np.concatenate([[0, len(recall) - 1], chosen[1:-1], marked]))


def _without(key: str, label: str, positive: str, why: str) -> ThresholdCurve:
    return ThresholdCurve(key, label, positive, 0, 0, False, (), (), (), (), None, None, None, None, why)
