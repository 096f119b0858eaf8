"""From which probability on a row is said to be of the rarer of two classes."""

from typing import Any

import numpy as np

from treatise._core.errors import TreatiseError

RULES = ("f1", "youden")
RARE = 0.2
"""A class with a smaller share of the rows gets a threshold of its own unless the user says otherwise."""


def read_threshold(given: str | float | None) -> str | float | None:
    """A rule by its name, or a probability.

    Examples
    --------
    >>> from treatise.compare.inputs.thresholds import read_threshold
    >>> read_threshold("f1"), read_threshold("0.3")
    ('f1', 0.3)
    """
    if given is None or given in RULES:
        return given
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1.0:
        raise TreatiseError(f"threshold {given!r} is unknown; give {' or '.join(RULES)}, or a probability such as 0.3")
    return value


def best_threshold(positive: np.ndarray, scores: np.ndarray, rule: str, weights: np.ndarray | None = None) -> float:
    """The threshold at which rows from it on do best, halfway to the next score below.

    Parameters
    ----------
    positive : array of bool
        What is the case.
    scores : array
        A probability or score of the positive class; larger for what is more probably positive.
    rule : {"f1", "youden"}
        ``"f1"``: the best F1 of the positive class; ``"youden"``: the largest difference of true and false positive
        rate.
    weights : array or None
        Of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.inputs.thresholds import best_threshold
    >>> best_threshold(np.array([False, False, True, True]), np.array([0.1, 0.2, 0.4, 0.3]), "f1")
    0.25
    """
    share = np.ones(len(scores)) if weights is None else np.asarray(weights, float)
    values, place = np.unique(scores, return_inverse=True)
    told = np.cumsum(np.bincount(place, share)[::-1])[::-1]
    hits = np.cumsum(np.bincount(place, share * positive)[::-1])[::-1]
    all_positive, everything = hits[0], told[0]
    if rule == "f1":
        merit = 2.0 * hits / np.maximum(told + all_positive, np.finfo(float).tiny)
    else:
        misses = max(everything - all_positive, np.finfo(float).tiny)
        merit = hits / max(all_positive, np.finfo(float).tiny) - (told - hits) / misses
    best = int(np.argmax(merit))
    below = values[best - 1] if best else values[0]
    return float((values[best] + below) / 2)


def thresholded(labels: np.ndarray, classes: np.ndarray, positive: Any, scores: np.ndarray, value: float) -> np.ndarray:
    """Labels of two classes: the positive one where its score is at least the threshold."""
    other = classes[classes != positive][0]
    return np.where(scores >= value, positive, other).astype(labels.dtype)
