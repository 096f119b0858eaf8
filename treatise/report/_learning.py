"""The learning curve: the score against the rows that a method was fitted with."""

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from treatise.report import _words as words
from treatise.report._panels import panel
from treatise.report._scales import Axis, linear_axis
from treatise.report._svg import add, drawing, markup, titled
from treatise.report.explained import LearningPoint
from treatise.report.record import Metric, RunRecord

UNKNOWN = "The score with fewer rows was not measured in this run."


def learning_view(run: RunRecord, decimals: int) -> dict[str, Any] | None:
    """The figure, its keys, and what the last doubling of the rows brought; or that it is not known."""
    if not run.leaderboard:
        return None
    curves: dict[str, list[LearningPoint]] = {}
    for point in run.learning:
        curves.setdefault(point.key, []).append(point)
    drawn = [sorted(points, key=lambda point: point.rows) for points in curves.values() if len(points) > 1]
    if not drawn:
        return {"figure": None, "sentences": [UNKNOWN]}
    return {
        "figure": learning_panel(drawn, run.metric, decimals),
        "labels": [points[0].label for points in drawn],
        "sentences": [_last_step(drawn[0], run.metric, decimals)],
    }


def learning_panel(curves: Sequence[Sequence[LearningPoint]], metric: Metric, decimals: int) -> Markup:
    """Score against rows on a logarithmic axis, with intervals."""
    root = drawing(440, 420, f"{metric.label} against the rows fitted with", "chart panel")
    points = [point for points in curves for point in points]
    ends = [end for point in points for end in (point.low, point.score, point.high) if end is not None]
    x, y = panel(
        root, 440, _rows_axis([point.rows for point in points]), linear_axis(ends, 5),
        f"{metric.label}, better {'↑' if metric.greater_is_better else '↓'}", "rows fitted with, logarithmic",
    )  # fmt: skip
    for place, curve in reversed(list(enumerate(curves))):
        # Curves stand a little apart, so that no interval hides another.
        shift = 4 * (place - (len(curves) - 1) / 2)
        path = "L".join(f"{x(point.rows) + shift:.1f} {y(point.score):.1f}" for point in curve)
        add(root, "path", d="M" + path, class_=f"line-{place}")
        for point in curve:
            at = x(point.rows) + shift
            told = f"{point.label}, {words.count(point.rows, 'row')}: {words.number(point.score, decimals)}"
            group = titled(root, told)
            if point.low is not None and point.high is not None:
                add(group, "line", x1=at, x2=at, y1=y(point.low), y2=y(point.high), class_=f"thin line-{place}")
            add(group, "circle", cx=at, cy=y(point.score), r=4, class_=f"dot-{place}")
    return markup(root)


def _rows_axis(rows: Sequence[int]) -> Axis:
    low, high = min(rows) / 1.2, max(rows) * 1.2
    decades = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    steps = (1, 2, 5) if high / low < 100 else (1,)
    ticks = [step * value for value in decades for step in steps if low <= step * value <= high]
    return Axis(low, high, tuple((value, f"{value:,.0f}") for value in ticks), log=True)


def _last_step(points: Sequence[LearningPoint], metric: Metric, decimals: int) -> str:
    before, after = points[-2], points[-1]
    gain = metric.merit(after.score) - metric.merit(before.score)
    words_of_gain = (
        f"With {after.rows:,} rows instead of {before.rows:,}, {points[0].label} is "
        f"{'better' if gain >= 0 else 'worse'} by {words.number(abs(gain), decimals)}"
    )
    halves = [(p.high - p.low) / 2 for p in (before, after) if p.low is not None and p.high is not None]
    if not halves:
        return words_of_gain + "."
    if gain > max(halves):
        return words_of_gain + ", more than chance would give: more rows would help still."
    return words_of_gain + ", no more than chance could give: more rows promise little."
