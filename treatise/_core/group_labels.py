"""Labels that say which group a row or a column belongs to: complete, sortable, and found again later."""

from numbers import Real
from typing import Any

import numpy as np


def sortable_labels(labels: Any, *, of: str = "row") -> np.ndarray:
    """Labels as numbers or as texts, whatever holds them; refuses missing ones, which are no group."""
    labels = np.asarray(labels)
    if any(_is_missing(label) for label in labels.ravel()) if labels.dtype.kind == "O" else _hold_gaps(labels):
        raise ValueError(f"groups hold NaN or other missing values; give every {of} a group, or drop it")
    if labels.dtype.kind != "O":
        return labels
    # A column of a data frame may hold plain numbers as objects; as texts they would not meet the same numbers again.
    numeric = all(isinstance(label, Real) for label in labels.ravel())
    return np.array(labels.tolist()) if numeric else labels.astype(str)


def places_of(labels: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where labels stand among sorted levels, and which do not; those have the place 0."""
    if len(labels) and (labels.dtype.kind in "US") != (levels.dtype.kind in "US"):
        given, known = labels.tolist()[0], levels.tolist()[0]
        raise ValueError(f"groups are given as {given!r}, but those of the fit are like {known!r}")
    place = np.minimum(np.searchsorted(levels, labels), len(levels) - 1)
    unknown = levels[place] != labels
    return np.where(unknown, 0, place).astype(np.int64), unknown


def _hold_gaps(labels: np.ndarray) -> bool:
    if labels.dtype.kind == "f":
        return not bool(np.isfinite(labels).all())
    return labels.dtype.kind in "mM" and bool(np.isnat(labels).any())


def _is_missing(label: Any) -> bool:
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float) and label != label
