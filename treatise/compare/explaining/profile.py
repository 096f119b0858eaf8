"""A profile of every column: what it holds, what is missing, and how it is related to the target."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from treatise.compare.explaining.pieces import commonest, counts_of, histogram, kind_of, numbers_of, quantile_codes
from treatise.compare.explaining.rows import MOST_CELLS, Rows
from treatise.report.explained import ColumnBin, ColumnProfile, Profile

MOST_COLUMNS = 200
MOST_BINS = 12
RELATION_RANGES = 10
RELATION_VALUES = 20
# Counting different values takes longer than all the rest; of more rows than this it is done on the part looked at.
MOST_COUNTED = 2_000_000

RELATION = "share explained"
MEANING = (
    "The share of the target's variation that this column explains alone, whatever the shape of the relation: "
    "0 where it tells nothing, 1 where it tells everything. Numbers count by tenths of their rows, and what chance "
    "alone would explain is taken off."
)


def profile(rows: Rows) -> Profile:
    """What each column holds; of very many, those most related to the target.

    Parameters
    ----------
    rows : Rows
        The columns and the target.

    Returns
    -------
    Profile
        The columns in descending order of their relation to the target.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from treatise.compare.explaining import Rows, profile
    >>> frame = pl.DataFrame({"noise": [1, 2, 3, 1, 2, 3] * 9, "half": [0, 0, 0, 5, 5, 5] * 9})
    >>> found = profile(Rows(frame, np.array([1.0, 1, 1, 2, 2, 2] * 9), "regression", np.array([]), ("noise", "half")))
    >>> [(column.name, round(column.relation, 6)) for column in found.columns]
    [('half', 1.0), ('noise', 0.0)]
    >>> [(bar.words, bar.rows, bar.target) for bar in found.columns[0].bins]
    [('0', 27, 1.0), ('5', 27, 2.0)]
    """
    some = rows.part(rows.fair_part())
    related = relations(some)
    order = np.argsort(-np.nan_to_num(related, nan=-1.0), kind="stable")[:MOST_COLUMNS]
    columns = []
    for place in order:
        name = rows.features[place]
        columns.append(_profile_of(rows.column(name), some.column(name), some, _or_none(related[place])))
    target = None
    if len(rows.classes) == 0:
        target = _profile_of(pl.Series("target", rows.y), pl.Series("target", some.y), some, None)
    return Profile(
        len(some), RELATION, MEANING, some.base, target, tuple(columns), unlisted=len(rows.features) - len(columns)
    )


def relations(rows: Rows) -> np.ndarray:
    """The share of the target's variation that each column explains alone; NaN where there is none to explain."""
    if rows.sparse:
        return _relations_of_sparse(rows)
    found = np.full(len(rows.features), np.nan)
    numeric = []
    for place, name in enumerate(rows.features):
        column = rows.X[name]
        if kind_of(column) in ("numbers", "dates"):
            numeric.append(place)
        else:
            pieces = commonest(column, RELATION_VALUES)
            found[place] = share_explained(rows.sums(pieces.codes, len(pieces.words)), pieces.codes, rows)
    at_once = max(1, MOST_CELLS // max(1, len(rows)))
    for first in range(0, len(numeric), at_once):
        chosen = numeric[first : first + at_once]
        matrix = np.column_stack([numbers_of(rows.X[rows.features[place]]) for place in chosen])
        found[chosen] = _relations_of_numbers(matrix, rows)
    return found


def share_explained(sums: np.ndarray, codes: np.ndarray, rows: Rows) -> float:
    """Of the target's variance, the part between pieces, less what chance would give; a share of all of it.

    With classes this is Goodman and Kruskal's tau, with amounts the correlation ratio, both adjusted as R² is.
    """
    counts = np.bincount(codes, minlength=len(sums))
    return float(_adjusted(counts[:, np.newaxis], sums[:, np.newaxis, :], rows)[0])


def _relations_of_numbers(matrix: np.ndarray, rows: Rows) -> np.ndarray:
    """The same for all columns of a matrix at once."""
    pieces = 2 * RELATION_RANGES
    codes = quantile_codes(matrix, RELATION_RANGES)
    # Each column has pieces of its own: one count serves all.
    width = matrix.shape[1]
    flat = (codes.astype(np.int64) + pieces * np.arange(width)).ravel()
    counts = np.bincount(flat, minlength=pieces * width)
    if len(rows.classes) == 0:
        sums = np.bincount(flat, np.repeat(rows.y, width), minlength=pieces * width)[:, np.newaxis]
    else:
        classes = len(rows.classes)
        sums = np.bincount(flat * classes + np.repeat(rows.labels, width), minlength=pieces * width * classes)
        sums = sums.reshape(-1, classes)
    return _adjusted(counts.reshape(width, pieces).T, sums.reshape(width, pieces, -1).transpose(1, 0, 2), rows)


def _relations_of_sparse(rows: Rows) -> np.ndarray:
    """By the better of two guides: whether an entry is there, and the straight line through its values.

    Columns that are listed are then looked at like any other.
    """
    n = len(rows)
    target = rows.y[:, np.newaxis] if len(rows.classes) == 0 else np.eye(len(rows.classes))[rows.labels]
    there = rows.X.copy()
    there.data = np.ones_like(there.data)
    counts = np.asarray(there.sum(axis=0)).ravel()
    with_entry = np.asarray(there.T @ target)
    sums = np.stack([with_entry, target.sum(axis=0) - with_entry])
    by_entry = _adjusted(np.stack([counts, n - counts]), sums, rows)
    centred = target - target.mean(axis=0)
    mean = np.asarray(rows.X.mean(axis=0)).ravel()
    variance = np.asarray(rows.X.multiply(rows.X).mean(axis=0)).ravel() - mean**2
    with np.errstate(divide="ignore", invalid="ignore"):
        products = np.asarray(rows.X.T @ centred) / n
        line = (products**2).sum(axis=1) / variance / (centred**2).mean(axis=0).sum()
    guide = np.fmax(by_entry, np.where(variance > 0, line, np.nan))
    chosen = np.argsort(-np.nan_to_num(guide, nan=-1.0), kind="stable")[:MOST_COLUMNS]
    found = np.full(len(rows.features), np.nan)
    at_once = max(1, MOST_CELLS // n)
    for first in range(0, len(chosen), at_once):
        places = chosen[first : first + at_once]
        found[places] = _relations_of_numbers(rows.X[:, places].toarray(), rows)
    return found


def _adjusted(counts: np.ndarray, sums: np.ndarray, rows: Rows) -> np.ndarray:
    """From rows (pieces, columns) and sums (pieces, columns, targets) to a share for each column."""
    n, used = len(rows), counts > 0
    if len(rows.classes) == 0:
        square, mean = np.square(rows.y).sum(), np.square(rows.y.sum()) / n
    else:
        square, mean = float(n), np.square(np.bincount(rows.labels)).sum() / n
    total = square - mean
    between = (np.square(sums).sum(axis=2) / np.where(used, counts, 1)).sum(axis=0) - mean
    freedom = n - used.sum(axis=0)
    if total <= 1e-12 * square:
        return np.full(counts.shape[1], np.nan)
    share = 1.0 - (1.0 - between / total) * (n - 1) / np.maximum(freedom, 1)
    return np.where(freedom > 0, np.clip(share, 0.0, 1.0), np.nan)


def _profile_of(whole: pl.Series, some: pl.Series, rows: Rows, relation: float | None) -> ColumnProfile:
    kind = kind_of(whole)
    if kind in ("numbers", "dates"):
        pieces = histogram(numbers_of(some), kind, MOST_BINS)
    else:
        pieces = commonest(some, MOST_BINS - 2)
    absent = whole.null_count() + (int(whole.is_nan().sum()) if whole.dtype.is_float() else 0)
    counted = whole if len(whole) <= MOST_COUNTED else some
    distinct = counted.drop_nulls().drop_nans() if counted.dtype.is_float() else counted.drop_nulls()
    return ColumnProfile(
        whole.name, kind, absent / len(whole), distinct.n_unique(), _bins(pieces.codes, pieces.words, rows), relation
    )


def _bins(codes: np.ndarray, words: Sequence[str], rows: Rows) -> tuple[ColumnBin, ...]:
    counts = counts_of(codes, words)
    means: list[float | None] = [None] * len(words)
    if len(rows.classes) <= 2:
        # Of an amount the only sum; of two classes the rows of the second.
        sums = rows.sums(codes, len(words))[:, -1]
        means = [float(total / count) if count else None for total, count in zip(sums, counts)]
    last = {"others", "missing"}
    return tuple(
        ColumnBin(word, int(count), mean)
        for place, (word, count, mean) in enumerate(zip(words, counts, means))
        if count or not (place >= len(words) - 2 and word in last)
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
