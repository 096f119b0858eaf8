"""Where a method errs: rows that are alike in one column and that it errs on more than on the others."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from treatise.compare.explaining.pieces import commonest, kind_of, numbers_of, quantile_codes, ranges_in_words
from treatise.compare.explaining.profile import relations
from treatise.compare.explaining.rows import Rows
from treatise.compare.inputs import FoldPredictions
from treatise.report.explained import ErrorSegments, Segment
from treatise.theory import holm

RANGES = 5
VALUES = 10
LEAST_ROWS = 20
MOST_COLUMNS = 200
MOST_SEGMENTS = 12
LEVEL = 0.05


class _Piece(NamedTuple):
    column: str
    words: str
    rows: int
    total: float
    ranks: float


def error_segments(key: str, label: str, rows: Rows, parts: Sequence[FoldPredictions]) -> ErrorSegments | None:
    """Segments of single columns on which a method's error is larger than chance allows.

    A column of numbers is cut into fifths, others by their commonest values; rows without a value are a segment too.
    Of classes, an exact test tells whether so many mistakes fall into a segment by accident; of amounts, a test of
    ranks, which a few huge errors do not sway. Both are corrected for the number of segments by Holm's procedure.

    Parameters
    ----------
    key, label : str
        The method.
    rows : Rows
        The columns.
    parts : sequence of FoldPredictions
        What the method said of each fold while it was held out.

    Returns
    -------
    ErrorSegments or None
        None where nothing held out can be looked at.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from treatise.compare.explaining import Rows, error_segments
    >>> from treatise.compare.inputs import FoldPredictions
    >>> frame = pl.DataFrame({"city": ["Bern", "Rome"] * 100, "size": list(range(200))})
    >>> actual = np.array(["a", "b"] * 100)
    >>> told = np.where(np.arange(200) % 8 == 1, "a", actual)  # mistakes in Rome alone
    >>> fold = FoldPredictions(np.arange(200), actual, told, None, None, np.zeros(200))
    >>> rows = Rows(frame, actual, "binary", np.array(["a", "b"]), ("city", "size"))
    >>> found = error_segments("k", "A method", rows, [fold])
    >>> [(segment.column, segment.words, segment.rows, segment.error) for segment in found.segments]
    [('city', 'Rome', 100, 0.25)]
    """
    if not parts:
        return None
    numbers = np.concatenate([part.numbers for part in parts])
    places, here = rows.places(numbers)
    errors = np.concatenate([_errors(part, rows) for part in parts])[here]
    known = np.isfinite(errors)
    places, errors = places[known], errors[known]
    if len(errors) < 2 * LEAST_ROWS:
        return None
    looked = rows.part(places)
    chosen = looked.fair_part()
    looked, errors = looked.part(chosen), errors[chosen]
    pieces = list(_pieces(looked, errors))
    found = _beyond_chance(pieces, errors, amounts=len(rows.classes) == 0)
    measure = "mean absolute error" if len(rows.classes) == 0 else "share of wrong labels"
    return ErrorSegments(key, label, measure, float(errors.mean()), len(errors), len(pieces), tuple(found))


def _errors(part: FoldPredictions, rows: Rows) -> np.ndarray:
    if len(rows.classes) == 0:
        return np.abs(part.actual.astype(float) - part.predicted)
    return (part.actual != part.predicted).astype(float)


def _pieces(rows: Rows, errors: np.ndarray) -> Iterator[_Piece]:
    """Every segment with enough rows, and enough rows beside it."""
    ranks = stats.rankdata(errors)
    names = rows.features
    if len(names) > MOST_COLUMNS:
        related = np.nan_to_num(relations(rows), nan=-1.0)
        names = tuple(names[place] for place in np.sort(np.argsort(-related, kind="stable")[:MOST_COLUMNS]))
    for name in names:
        column = rows.column(name)
        kind = kind_of(column)
        if kind in ("numbers", "dates"):
            values = numbers_of(column)
            codes = quantile_codes(values[:, np.newaxis], RANGES)[:, 0]
            words: Sequence[str] = ranges_in_words(values, codes, 2 * RANGES, kind)
        else:
            codes, words = (found := commonest(column, VALUES)).codes, found.words
        counts = np.bincount(codes, minlength=len(words))
        totals, sums = np.bincount(codes, errors, len(words)), np.bincount(codes, ranks, len(words))
        for piece in np.flatnonzero((counts >= LEAST_ROWS) & (counts <= len(errors) - LEAST_ROWS)).tolist():
            yield _Piece(name, words[piece], int(counts[piece]), float(totals[piece]), float(sums[piece]))


def _beyond_chance(pieces: list[_Piece], errors: np.ndarray, *, amounts: bool) -> list[Segment]:
    if not pieces:
        return []
    n, overall = len(errors), errors.mean()
    sizes = np.array([piece.rows for piece in pieces])
    totals = np.array([piece.total for piece in pieces])
    if amounts:
        sums = np.array([piece.ranks for piece in pieces])
        # Of sums of ranks drawn without return: their mean and, ties counted in, their variance.
        variance = stats.rankdata(errors).var() * sizes * (n - sizes) / (n - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            p_values = stats.norm.sf((sums - sizes * (n + 1) / 2) / np.sqrt(variance))
        p_values = np.where(variance > 0, p_values, 1.0)
    else:
        p_values = stats.hypergeom.sf(totals - 1, n, int(errors.sum()), sizes)
    adjusted = holm(np.clip(p_values, 0.0, 1.0))
    found = [
        Segment(piece.column, piece.words, piece.rows, piece.total / piece.rows, float(p))
        for piece, p in zip(pieces, adjusted)
        if p < LEVEL and piece.total / piece.rows > overall
    ]
    return sorted(found, key=lambda segment: -segment.error)[:MOST_SEGMENTS]
