"""Which rows have a label: the convention of scikit-learn, and what tables put in an empty cell."""

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from treatise._core.classifier import classes_and_codes

UNLABELLED = -1
"""Code of a row without a label."""


def read_labels(y: Any, n_rows: int | None, *, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The classes of the labelled rows, and each row's position among them or -1.

    A row has no label where y is None, NaN or another missing value, and among numbers where it is -1.
    """
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None")
    declared = getattr(getattr(y, "dtype", None), "categories", None)
    values = column_or_1d(np.asarray(y, dtype=object) if declared is not None else y, warn=True)
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(values)}; give a label, or -1, for every row of X")
    known = ~_missing(values)
    if not known.any():
        raise ValueError(f"no row has a label: y is -1, None or NaN throughout; {who} needs labels of each class")
    labels = values[known]
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise ValueError("y holds infinity, which is no label: Input y contains infinity")
        if not known.all() and np.all(labels == np.round(labels)):
            labels = labels.astype(np.int64)  # NaN made numbers of them
    classes, found = classes_and_codes(labels)
    if declared is not None and len(declared) > len(classes):
        absent = sorted(map(str, set(declared) - set(classes.tolist())))
        raise ValueError(
            f"the classes {absent} have no labelled row, so that nothing tells what they look like; label at least one "
            "row of each, or drop the category"
        )
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()[0]!r}; {who} needs at least two, and -1 among numbers means "
            "that a row has no label: use other numbers, or strings, for the classes"
        )
    codes = np.full(len(values), UNLABELLED, dtype=np.int64)
    codes[known] = found
    return classes, codes


def _missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "iuf":
        return (values == UNLABELLED) | np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.array([_is_missing(value) for value in values], dtype=bool)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (bool, str, bytes)):
        return False
    return bool(value != value or value == UNLABELLED)
