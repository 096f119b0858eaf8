"""Axes: limits, ticks and their labels, and where a value falls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treatise.report._words import duration, number
from treatise.report.record import LeaderboardEntry

# An axis is at most this many times as long as what the leading methods need: beyond, a method is off scale.
LONGEST = 3.0
# Room on either side of the outermost values, as a share of the axis.
MARGIN = 0.04


@dataclass(frozen=True)
class Axis:
    """An interval of values, linear or logarithmic, with labelled ticks."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def at(self, value: float) -> float:
        """The place of ``value``: 0 at the low end, 1 at the high end; held at the ends beyond them."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        place = math.log10(max(value, self.low)) if self.log else value
        return min(1.0, max(0.0, (place - low) / (high - low)))

    def beyond(self, value: float) -> int:
        """-1 below the axis, 1 above it, 0 on it."""
        return (value > self.high) - (value < self.low)


def linear_axis(values: Sequence[float], ticks: int = 5, *, margin: float = MARGIN) -> Axis:
    """An axis that holds all ``values``, with about ``ticks`` round ticks."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        room = 0.05 * abs(low) or 0.5
    else:
        room = margin * (high - low)
    return _with_ticks(low - room, high + room, ticks)


def score_axis(rows: Sequence[LeaderboardEntry], greater_is_better: bool, ticks: int = 5) -> Axis:
    """An axis on which the leading methods can be told apart; a method far behind may be off scale.

    It holds the better half of the methods with their intervals, and every other method whose score lies
    within ``LONGEST`` times that length. ``rows`` all have a score.
    """
    sign = 1 if greater_is_better else -1
    # In these spans more is better: the worse end, the score, the better end.
    spans = sorted((sorted(sign * end for end in _span(row)) for row in rows), key=lambda span: -span[1])
    leading = spans[: math.ceil(len(spans) / 2)]
    bottom, top = min((span[0] for span in leading), default=0.0), max((span[2] for span in leading), default=1.0)
    length = top - bottom
    floor = top - LONGEST * length if length > 0 else -math.inf
    for worse, score, better in spans:
        if score >= floor:
            bottom, top = min(bottom, max(worse, floor)), max(top, min(better, score + length))
    return linear_axis((sign * bottom, sign * top), ticks)


def time_axis(seconds: Sequence[float]) -> Axis:
    """A logarithmic axis of durations with ticks at decades, or at 1, 2 and 5 where there is hardly one."""
    positive = [max(value, 1e-4) for value in seconds] or [1.0]
    low, high = min(positive) / 1.6, max(positive) * 1.6
    decades = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    inside = [value for value in decades if low <= value <= high]
    if len(inside) < 3:
        inside = [step * value for value in decades for step in (1, 2, 5) if low <= step * value <= high]
    return Axis(low, high, tuple((value, _tick_duration(value)) for value in inside), log=True)


def _span(row: LeaderboardEntry) -> tuple[float, float, float]:
    low, score, high = row.low, row.score, row.high
    return (score if low is None else low), score, (score if high is None else high)


def _with_ticks(low: float, high: float, wanted: int) -> Axis:
    raw = (high - low) / wanted
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= raw * 0.999)
    decimals = max(0, -math.floor(math.log10(step)) + (1 if round(step / unit, 1) == 2.5 else 0))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple((k * step, number(k * step + 0.0, decimals)) for k in range(first, last + 1))
    return Axis(low, high, ticks)


def _tick_duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{seconds * 1000:g} ms"
    return f"{seconds:g} s" if seconds < 60 else duration(seconds)
