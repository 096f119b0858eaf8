"""What a table asks: its target, its task, the columns that carry information, and words on each choice."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.io import Table

TASKS = ("binary", "multiclass", "regression")
SENTENCE = "sentence"
"""Column that says which words belong together, in problems of sequences."""
MOST_CLASSES_BY_NUMBER = 20
MOST_CLASSES = 1000


@dataclass(frozen=True)
class Problem:
    """A prediction problem on a table.

    ``X`` is a Polars frame of the informative columns, or a sparse matrix; ``y`` holds numbers or labels;
    ``groups`` numbers the distinct rows, so that copies of a row never stand on both sides of a split;
    ``table_columns`` are all columns of the table, the target among them.
    """

    name: str
    target: str
    task: str
    X: pl.DataFrame | sparse.csr_matrix
    y: np.ndarray
    groups: np.ndarray | None
    dropped: list[tuple[str, str]]
    notes: list[str]
    table_columns: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows with a target."""
        return len(self.y)

    @property
    def classes(self) -> np.ndarray:
        """The labels, sorted; empty for regression."""
        return np.unique(self.y) if self.task != "regression" else np.array([])

    @property
    def class_counts(self) -> list[int]:
        """Rows of each class; empty for regression."""
        return np.unique(self.y, return_counts=True)[1].tolist() if self.task != "regression" else []

    @property
    def rows_in_memory(self) -> int:
        """Rows that are in memory at once."""
        return self.n_rows

    @property
    def at_hand(self) -> "Problem":
        """The problem on rows that are all in memory, to choose parameters on."""
        return self

    @property
    def sparse(self) -> bool:
        """Whether the features are a sparse matrix."""
        return sparse.issparse(self.X)

    @property
    def width(self) -> int:
        """Columns after encoding, counted on the whole table."""
        return self.X.shape[1] if self.sparse else width_of(self.X)

    def rows(self, index: np.ndarray) -> Any:
        """The features of some rows."""
        return self.X[index]

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit a pipeline to all rows."""
        return pipeline.fit(self.X, self.y)

    @property
    def feature_names(self) -> list[str]:
        """Columns of a frame that predict; the number of a word's sentence only holds words together."""
        return [name for name in self.X.columns if self.task != "sequence" or name != SENTENCE]

    def describe(self) -> dict[str, Any]:
        """The problem as plain data, for the run's record."""
        features = self.X.shape[1] if self.sparse else len(self.feature_names)
        frame = None if self.sparse else self.X.select(self.feature_names)
        numeric = features if frame is None else sum(c.dtype.is_numeric() or c.dtype == pl.Boolean for c in frame)
        return {
            "name": self.name, "rows": self.n_rows, "features": features, "target": self.target,
            "task": self.task, "classes": [str(c) for c in self.classes], "counts": self.class_counts,
            "columns": {"numeric": int(numeric), "categorical": int(features - numeric)},
            "dropped": [{"column": column, "reason": reason} for column, reason in self.dropped],
            "notes": list(self.notes),
        }  # fmt: skip


def understand(
    table: Table, target: str | int | None = None, task: str | None = None, *, copies: bool = True
) -> Problem:
    """Read a prediction problem out of a table.

    Parameters
    ----------
    table : Table
        As read from a file.
    target : str, int or None
        The column to predict, by name or number; None takes the table's own target if it has one.
    task : {"binary", "multiclass", "regression"} or None
        None infers it from the target.
    copies : bool, default=True
        Whether to look for copies of rows.
    """
    if task is not None and task not in TASKS:
        raise TreatiseError(f"task {task!r} is unknown; choose one of {', '.join(TASKS)}")
    if target is None:
        target = "label" if table.matrix is not None else table.target
        if target is None:
            raise TreatiseError("which column is to be predicted? name it with --target")
    column = table.column(target)
    notes = list(table.notes)
    labels = table.frame[column]
    kept = np.flatnonzero(labels.is_not_null().to_numpy() & ~_is_nan(labels))
    if len(kept) < len(labels):
        notes.append(f"{len(labels) - len(kept)} rows without a value in {column!r} are left out")
    if len(kept) == 0:
        raise TreatiseError(f"the target {column!r} holds no value at all")
    y, task, words = _target(labels[kept], column, task)
    notes += words
    if table.matrix is not None:
        X: Any = table.matrix[kept]
        dropped: list[tuple[str, str]] = []
    else:
        X, dropped = informative(table.frame[kept].drop(column))
        if X.width == 0:
            why = f" ({dropped[0][0]!r}: {dropped[0][1]})" if dropped else ""
            raise TreatiseError(f"no column is left to predict {column!r} from{why}")
        notes += _leaks(X, y, column)
    groups, words = _copies(X) if copies else (None, [])
    return Problem(table.name, column, task, X, y, groups, dropped, notes + words, tuple(table.frame.columns))


def part(problem: Problem, index: np.ndarray) -> Problem:
    """The problem on some of its rows, their groups numbered anew."""
    groups = None if problem.groups is None else np.unique(problem.groups[index], return_inverse=True)[1]
    return replace(problem, X=problem.X[index], y=problem.y[index], groups=groups)


def sample(problem: Problem, rows: int, seed: int) -> Problem:
    """The problem on a random part of its rows, of sequences on whole ones."""
    if problem.task == "sequence" and problem.groups is not None:
        order = np.random.default_rng(seed).permutation(int(problem.groups.max()) + 1)
        sizes = np.bincount(problem.groups)[order]
        kept = order[: max(2, int(np.searchsorted(np.cumsum(sizes), rows)) + 1)]
        return part(problem, np.flatnonzero(np.isin(problem.groups, kept)))
    return part(problem, np.sort(np.random.default_rng(seed).permutation(problem.n_rows)[:rows]))


def _is_nan(column: pl.Series) -> np.ndarray:
    return column.is_nan().fill_null(False).to_numpy() if column.dtype.is_float() else np.zeros(len(column), bool)


def _target(labels: pl.Series, name: str, task: str | None) -> tuple[np.ndarray, str, list[str]]:
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


def _leaks(X: pl.DataFrame, y: np.ndarray, target: str) -> list[str]:
    """A word for each column that repeats the target."""
    words = []
    target_texts = pl.Series(y).cast(pl.String)
    for column in X:
        same = column.dtype.is_numeric() == np.issubdtype(y.dtype, np.number)
        if same and bool((column.cast(pl.String) == target_texts).fill_null(False).all()):
            words.append(f"column {column.name!r} repeats the target {target!r}; drop it if it is not known beforehand")
    return words


def _copies(X: pl.DataFrame | sparse.csr_matrix) -> tuple[np.ndarray | None, list[str]]:
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
