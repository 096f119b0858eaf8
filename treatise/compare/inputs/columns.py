"""What the columns of a table say: the target and its task, those that carry information, rows that repeat."""

import re

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError

MOST_CLASSES_BY_NUMBER = 20
MOST_CLASSES = 1000


def is_nan(column: pl.Series) -> np.ndarray:
    return column.is_nan().fill_null(False).to_numpy() if column.dtype.is_float() else np.zeros(len(column), bool)


def read_target(labels: pl.Series, name: str, task: str | None) -> tuple[np.ndarray, str, list[str]]:
    """The target's values, its task, and a word on the choice."""
    if labels.dtype.is_temporal():
        raise TreatiseError(f"the target {name!r} holds dates; a method here predicts numbers or classes")
    numeric, words = labels.dtype.is_numeric(), []
    whole = numeric and (labels.dtype.is_integer() or bool((labels == labels.round()).all()))
    distinct = labels.n_unique()
    if distinct == 1:
        raise TreatiseError(f"the target {name!r} has one value only ({labels[0]!r}); there is nothing to predict")
    if task is None:
        few = distinct <= MOST_CLASSES_BY_NUMBER and distinct <= max(2, len(labels) // 5)
        if numeric and not (whole and few):
            task = "regression"
        else:
            task = "binary" if distinct == 2 else "multiclass"
            if numeric and distinct > 2:
                words.append(
                    f"the {distinct} whole numbers of {name!r} are taken as classes (--task regression: as amounts)"
                )
    if task == "regression":
        if not numeric:
            raise TreatiseError(f"the target {name!r} holds text such as {labels[0]!r}; regression needs numbers")
        y = labels.cast(pl.Float64).to_numpy()
        if not np.isfinite(y).all():
            raise TreatiseError(f"the target {name!r} holds infinite values")
        return y, task, words
    if task == "binary" and distinct != 2:
        raise TreatiseError(f"the target {name!r} has {distinct} values; a binary task needs two")
    if distinct > max(MOST_CLASSES_BY_NUMBER, min(MOST_CLASSES, len(labels) // 2)):
        raise TreatiseError(
            f"the target {name!r} has {distinct} different values in {len(labels)} rows; that is no set of classes"
        )
    if distinct == 2:
        task = "binary"
    y = labels.cast(pl.Int64).to_numpy() if whole else labels.cast(pl.String).to_numpy().astype(str)
    values, counts = np.unique(y, return_counts=True)
    if counts.min() < 5:
        words.append(f"class {str(values[counts.argmin()])!r} has {counts.min()} rows only; its folds say little of it")
    return y, task, words


def width_of(frame: pl.DataFrame) -> int:
    """Columns after encoding."""
    texts = [c for c in frame if not (c.dtype.is_numeric() or c.dtype == pl.Boolean)]
    return frame.width - len(texts) + sum(min(c.n_unique(), 50) for c in texts)


def informative(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[str, str]]]:
    """The columns worth keeping, and why the others are not."""
    dropped = []
    for name in frame.columns:
        reason = useless(frame[name])
        if reason:
            dropped.append((name, reason))
    return frame.drop([name for name, _ in dropped]), dropped


def useless(column: pl.Series) -> str | None:
    """Why nothing can be learned from a column, or None if something can."""
    present = column.drop_nulls()
    if len(present) == 0:
        return "is empty"
    if column.dtype.is_temporal():
        return "holds dates or times, which are not used"
    if isinstance(column.dtype, pl.List | pl.Struct | pl.Array | pl.Binary | pl.Object):
        return f"holds {column.dtype}, which is no number and no text"
    distinct = present.n_unique()
    if distinct == 1 and len(present) == len(column):
        return "is constant"
    if distinct == len(column) > 20:
        if column.dtype == pl.String:
            return "looks like an identifier: every value differs"
        if column.dtype.is_integer():
            named = re.fullmatch(r"(.*[\W_])?(id|index|row|key|nr|no|number)([\W_].*)?", column.name.lower())
            if named or present.max() - present.min() == len(column) - 1:  # type: ignore[operator]
                return "looks like an identifier: every value differs"
    if column.dtype == pl.String and distinct > 100 and distinct > 0.9 * len(present):
        return f"looks like free text: {distinct} different values"
    return None


def leaks(X: pl.DataFrame, y: np.ndarray, target: str) -> list[str]:
    """A word for each column that repeats the target."""
    words = []
    target_texts = pl.Series(y).cast(pl.String)
    for column in X:
        same = column.dtype.is_numeric() == np.issubdtype(y.dtype, np.number)
        if same and bool((column.cast(pl.String) == target_texts).fill_null(False).all()):
            words.append(f"column {column.name!r} repeats the target {target!r}; drop it if it is not known beforehand")
    return words


def copies_of(X: pl.DataFrame | sparse.csr_matrix) -> tuple[np.ndarray | None, list[str]]:
    """Numbers of the distinct rows if some rows repeat by accident, and a word on them."""
    if sparse.issparse(X):
        # Equal rows have equal products with a random vector; different ones differ almost surely.
        keys = X @ np.random.default_rng(0).standard_normal(X.shape[1])
    else:
        keys = X.hash_rows(seed=0).to_numpy()
    _, groups = np.unique(keys, return_inverse=True)
    distinct = int(groups.max()) + 1
    copies = len(groups) - distinct
    if copies == 0:
        return None, []
    if distinct < len(groups) / 2:
        # A small table of a few categories repeats itself by nature; splitting by distinct rows would ask
        # another question than the user's.
        return None, [f"the {len(groups)} rows are {distinct} different ones, so test folds hold rows seen in training"]
    return groups, [f"{copies} rows ({copies / len(groups):.1%}) repeat another; copies of a row stay in the same fold"]
