"""Numbers, durations, citations and parameters as a reader writes them."""

import json
import math
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from statistics import median
from typing import Any

ABSENT = "–"
NO_BREAK = "\u00a0"
LARGEST_IN_FULL = 1e7
METRIC_NAMES = {
    "roc_auc": "ROC AUC", "log_loss": "Log loss", "f1": "F1", "f1_macro": "F1, macro", "r2": "R²",
    "rmse": "RMSE", "mae": "MAE", "mse": "MSE", "brier": "Brier score",
}  # fmt: skip


def number(value: float | None, decimals: int = 3) -> str:
    """``value`` with a true minus sign; a dash where it is absent."""
    if value is None:
        return ABSENT
    text = f"{value:.2e}" if abs(value) >= LARGEST_IN_FULL else f"{value:z,.{decimals}f}"
    return text.replace("-", "−")


def interval(low: float | None, high: float | None, decimals: int) -> str:
    """``0.98 to 1.00``; nothing where an end is absent."""
    return "" if low is None or high is None else f"{number(low, decimals)} to {number(high, decimals)}"


def significant(value: float | None, digits: int = 3) -> str:
    """``value`` rounded to some significant digits, whatever its size."""
    if value is None:
        return ABSENT
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -4:
        return f"{value:.{digits - 1}e}".replace("-", "−")
    return number(value, max(0, digits - 1 - magnitude))


def decimals_for(scores: Iterable[float], half_widths: Iterable[float]) -> int:
    """Decimals that show the intervals' width in one to two digits, and not more."""
    sizes, widths = [abs(score) for score in scores], [width for width in half_widths if width > 0]
    # Scores within [-1, 1] are rates: readers expect three decimals, or more where intervals are narrow.
    least = 3 if max(sizes, default=0.0) <= 1 else 0
    if not widths:
        return 3 if max(sizes, default=0.0) < 100 else 0
    return min(6, max(least, -math.floor(math.log10(median(widths) / 2))))


def duration(seconds: float | None) -> str:
    """Seconds in the unit that suits them: ``3 ms``, ``0.21 s``, ``2 min 5 s``, ``1 h 40 min``."""
    if seconds is None:
        return ABSENT
    if seconds < 0.001:
        text = "< 1 ms"
    elif seconds < 0.0995:
        text = f"{seconds * 1000:.0f} ms"
    elif seconds < 59.5:
        text = f"{seconds:.{2 if seconds < 0.995 else 1 if seconds < 9.95 else 0}f} s"
    else:
        large, small, unit = ("min", "s", 1) if seconds < 3599.5 else ("h", "min", 60)
        whole, part = divmod(round(seconds / unit), 60)
        text = f"{whole} {large}" + (f" {part} {small}" if part else "")
    return text.replace(" ", NO_BREAK)


def moment(text: str) -> str:
    """An ISO 8601 time as ``31 January 2026, 12:00 UTC``; other text unchanged."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time.day} {time:%B %Y, %H:%M} {time.tzname() or ''}".rstrip()


def count(quantity: int, noun: str, plural: str = "") -> str:
    """``1 row``, ``569 rows``."""
    return f"{quantity:,} {noun if quantity == 1 else plural or noun + 's'}"


def probability(p: float | None) -> str:
    """A p-value: ``p = 0.31``, ``p = 0.042``, ``p < 0.001``; nothing where it is absent."""
    if p is None:
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2f}" if p >= 0.0995 else f"p = {p:.3f}"


def listing(words: list[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else ""


def metric_name(key: str) -> str:
    """A metric's key as a column heading."""
    return METRIC_NAMES.get(key, key.replace("_", " ").strip().capitalize())


def in_sentence(label: str) -> str:
    """A metric's label within a sentence: ``Log loss`` becomes ``log loss``, ``ROC AUC`` stays."""
    return label[0].lower() + label[1:] if label[1:2].islower() else label


def parameter(value: Any) -> str:
    """A parameter's value as it would be typed in Python, floats to four digits."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if value is None or isinstance(value, bool):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def width_in_em(text: str) -> float:
    """Estimated width of sans-serif ``text`` in units of its font size."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    capital = sum(character.isupper() for character in text)
    return 0.53 * (len(text) - wide - capital) + 0.68 * capital + 1.05 * wide


def shortened(text: str, em: float) -> str:
    """``text`` on one line, cut with an ellipsis where it would be wider than ``em``."""
    line = " ".join(text.split())
    # No letter is narrower than half an em: what is far too long is cut before it is measured.
    start = line[: int(2 * em) + 1]
    if start == line and width_in_em(line) <= em:
        return line
    while start and width_in_em(start) > em - 1:
        start = start[:-1]
    return start.rstrip() + "…"
