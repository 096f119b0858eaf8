"""Intervals around predicted amounts: a method's own, or those that its errors on held-out rows allow."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.statistics import gives_intervals, interval_scores, predictive_intervals
from treatise.statistics.predictive_intervals import interval_ends

if TYPE_CHECKING:
    from treatise.compare.inputs import FoldPredictions

LEVEL = 0.9
"""Probability of the intervals that a comparison judges."""
MOST_KEPT = 1000
"""Sizes of errors that a model file keeps."""


def own_intervals(model: Any, X: Any, level: float) -> np.ndarray | None:
    """Lower and upper ends that a fitted pipeline gives for rows of a table; None where its method gives none."""
    if not isinstance(model, Pipeline) or not gives_intervals(model[-1]):
        return None
    *preparations, method = (step for _, step in model.steps)
    for step in preparations:
        X = step.transform(X)
    return np.asarray(predictive_intervals(method, X, level=level))


def judge_intervals(
    actual: np.ndarray, intervals: np.ndarray | None, weights: np.ndarray | None = None
) -> dict[str, float | None]:
    """Mean interval score, and share of rows inside, of the rows that have an interval; nothing where none has one."""
    known = _known(intervals)
    if intervals is None or not known.any():
        return {}
    weights = None if weights is None else weights[known]
    if weights is not None and weights.sum() == 0:
        return {"interval_score": None, "coverage": None}
    actual, intervals = actual[known], intervals[known]
    return {
        "interval_score": float(np.average(interval_scores(actual, intervals, level=LEVEL), weights=weights)),
        "coverage": float(np.average(inside(actual, intervals), weights=weights)),
    }


def inside(actual: np.ndarray, intervals: np.ndarray) -> np.ndarray:
    """Which rows lie in their intervals."""
    return (intervals[:, 0] <= actual) & (actual <= intervals[:, 1])


def _known(intervals: np.ndarray | None) -> np.ndarray:
    return np.zeros(0, bool) if intervals is None else np.isfinite(intervals).all(axis=1)


def allowed_error(sizes: np.ndarray, level: float) -> float:
    """The error that a new row keeps below with a probability, where it is like the rows whose errors had these sizes.

    Of ``n`` sizes it is the one of rank ``(n + 1) level``, rounded up (split conformal prediction); infinite where
    that is more than ``n``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.intervals import allowed_error
    >>> allowed_error(np.arange(1.0, 20.0), 0.9)
    18.0
    >>> allowed_error(np.arange(1.0, 9.0), 0.9)
    inf
    """
    rank = _rank(len(sizes), level)
    return float(np.sort(sizes)[rank - 1]) if rank <= len(sizes) else inf


def _rank(n: int, level: float) -> int:
    # A product such as 20 * 0.95 may come out a hair above the whole number that it is.
    return ceil((n + 1) * level - 1e-9)


def error_intervals(parts: "Sequence[FoldPredictions]", level: float, *, in_time: bool) -> list[np.ndarray]:
    """Intervals for the rows of each fold from the errors on the other folds (cross-conformal prediction).

    A fold's own rows have no say in their intervals. Where folds follow each other ``in_time``, only earlier ones
    count. Rows have intervals without an end where the other folds are too few.
    """
    sizes = [np.abs(part.actual - part.predicted) for part in parts]
    found = []
    for place, part in enumerate(parts):
        others = sizes[:place] + ([] if in_time else sizes[place + 1 :])
        half = allowed_error(np.concatenate([np.empty(0), *others]), level)
        found.append(np.column_stack([part.predicted - half, part.predicted + half]))
    return found


def kept_errors(parts: "Sequence[FoldPredictions]") -> dict[str, Any]:
    """Sizes of the errors on held-out rows for a model's metadata: all of them, or those of a thousand ranks."""
    sizes = np.sort(np.concatenate([np.abs(part.actual - part.predicted) for part in parts]))
    ranks = np.unique(np.ceil(np.linspace(0, len(sizes), MOST_KEPT + 1)[1:]).astype(int))
    return {"rows": len(sizes), "ranks": ranks.tolist(), "sizes": sizes[ranks - 1].tolist()}


def intervals_from(errors: Mapping[str, Any], predicted: np.ndarray, level: float) -> np.ndarray:
    """Intervals around predictions of new rows from what :func:`kept_errors` kept of a model; never too narrow."""
    try:
        rows, ranks, sizes = int(errors["rows"]), np.asarray(errors["ranks"], int), np.asarray(errors["sizes"], float)
        sound = len(ranks) == len(sizes) > 0 and ranks[-1] == rows and bool((np.diff(ranks) > 0).all())
    except (KeyError, TypeError, ValueError):
        sound = False
    if not sound:
        raise TreatiseError("what this model file says of its errors is damaged; make the model anew")
    interval_ends(level)
    rank = _rank(rows, level)
    if rank > rows:
        raise TreatiseError(
            f"the model was judged on {rows} held-out rows, too few for intervals of {level:g}; ask for "
            f"{floor(1000 * rows / (rows + 1)) / 1000:g} at most"
        )
    half = sizes[np.searchsorted(ranks, rank)]
    return np.column_stack([predicted - half, predicted + half])
