"""A column cut into pieces: ranges of numbers, single values, and the rows without one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

LONGEST_WORD = 60
# A histogram whose outermost hundredths of rows take up most of its width ends where the others do.
TAIL = 4.0


@dataclass(frozen=True)
class Pieces:
    """The number of each row's piece, and what the pieces hold, in words."""

    codes: np.ndarray
    words: tuple[str, ...]


def kind_of(column: pl.Series) -> str:
    """What a column holds, in a word."""
    if column.dtype == pl.Boolean:
        return "truth values"
    if column.dtype in (pl.Date, pl.Datetime):
        return "dates"
    return "numbers" if column.dtype.is_numeric() or column.dtype.is_temporal() else "categories"


def numbers_of(column: pl.Series) -> np.ndarray:
    """Numbers, or dates as microseconds; NaN where there is none or an infinite one."""
    if kind_of(column) == "dates":
        column = column.cast(pl.Datetime("us")).to_physical()
    elif column.dtype.is_temporal():
        column = column.to_physical()
    values = column.cast(pl.Float64).to_numpy()
    return values if np.isfinite(values).all() else np.where(np.isfinite(values), values, np.nan)


def quantile_codes(matrix: np.ndarray, most: int) -> np.ndarray:
    """Pieces of about as many rows each, for every column of a matrix; NaN is a piece of its own, the last.

    A value that many rows share, such as zero, is a piece of its own too. So there are up to ``2 * most`` pieces, of
    which some are empty.
    """
    ordered, columns = np.sort(matrix, axis=0), np.arange(matrix.shape[1])
    missing = np.isnan(matrix)
    present = len(matrix) - missing.sum(axis=0)
    codes = np.zeros(matrix.shape, dtype=np.int16)
    for step in range(1, most):
        edge = ordered[np.minimum(present * step // most, np.maximum(present - 1, 0)), columns]
        codes += matrix >= edge
        shared = np.flatnonzero((matrix == edge).sum(axis=0) * 2 * most >= len(matrix))
        if len(shared):
            codes[:, shared] += matrix[:, shared] > edge[shared]
    codes[missing] = 2 * most - 1
    return codes


def ranges_in_words(values: np.ndarray, codes: np.ndarray, pieces: int, kind: str) -> list[str]:
    """What :func:`quantile_codes` put into each piece, from the least to the greatest value; empty where nothing."""
    low, high = np.full(pieces, np.inf), np.full(pieces, -np.inf)
    with np.errstate(invalid="ignore"):
        np.minimum.at(low, codes, values)
        np.maximum.at(high, codes, values)
    spread = float(np.nanmax(values) - np.nanmin(values)) if not np.isnan(values).all() else 0.0
    words = []
    for piece in range(pieces):
        if np.isnan(low[piece]):
            words.append("missing")
        elif low[piece] > high[piece]:
            words.append("")
        else:
            ends = dict.fromkeys(in_words(end, spread, kind) for end in (low[piece], high[piece]))
            words.append(" to ".join(ends))
    return words


def commonest(column: pl.Series, most: int) -> Pieces:
    """The commonest values, all others together, and the rows without one."""
    texts = column.cast(pl.String)
    codes = texts.rank("dense").to_numpy()
    missing = texts.is_null().to_numpy()
    codes = np.where(missing, 0, codes).astype(np.int64)
    counts = np.bincount(codes)
    counts[0] = 0
    kept = np.argsort(-counts, kind="stable")[:most]
    kept = kept[counts[kept] > 0]
    new = np.full(len(counts), len(kept))
    new[kept] = np.arange(len(kept))
    first = np.zeros(len(counts), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    words = [_shortened(texts[int(first[code])]) for code in kept]
    new[0] = len(kept) + 1
    return Pieces(new[codes], (*words, "others", "missing"))


def histogram(values: np.ndarray, kind: str, most: int) -> Pieces:
    """Ranges of equal width with round ends, or single values where there are few; and the missing."""
    missing = np.isnan(values)
    present = values[~missing]
    if not len(present):
        return Pieces(np.zeros(len(values), dtype=np.int64), ("missing",))
    distinct = np.unique(present)
    spread = float(distinct[-1] - distinct[0])
    if len(distinct) <= most:
        codes = np.searchsorted(distinct, values)
        words = [in_words(value, spread, kind) for value in distinct]
    else:
        near, far = np.quantile(present, (0.01, 0.99))
        tails = spread > TAIL * (far - near) > 0
        edges = _round_edges(near if tails else distinct[0], far if tails else distinct[-1], most)
        codes = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
        ends = [in_words(edge, float(edges[-1] - edges[0]), kind) for edge in edges]
        words = [f"{low} to {high}" for low, high in pairwise(ends)]
        if present.min() < edges[0]:
            words[0] = f"below {ends[1]}"
        if present.max() > edges[-1]:
            words[-1] = f"{ends[-2]} and more"
    return Pieces(np.where(missing, len(words), codes), (*words, "missing"))


def in_words(value: float, spread: float, kind: str) -> str:
    """A number to the digits that tell it from others within a spread, or a date."""
    if kind == "dates":
        return str(np.datetime64(int(value), "us").astype("datetime64[s]" if spread < 1e11 else "datetime64[D]"))
    if float(value).is_integer() and abs(value) < 1e7:
        return f"{value:,.0f}"
    size = max(abs(value), spread)
    if not 1e-4 <= size < 1e7:
        return f"{value:.3g}"
    decimals = max(0, 2 - math.floor(math.log10(spread or size)))
    text = f"{value:,.{min(decimals, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _round_edges(low: float, high: float, most: int) -> np.ndarray:
    raw = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= raw * 0.999)
    return step * np.arange(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "…"


def counts_of(codes: np.ndarray, words: Sequence[str]) -> np.ndarray:
    """Rows in each piece."""
    return np.bincount(codes, minlength=len(words))
