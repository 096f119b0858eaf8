"""Predictive intervals of held-out rows: the rows in the order of their predictions, and which lie outside."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from treatise.report._panels import panel
from treatise.report._scales import linear_axis
from treatise.report._svg import add, drawing, markup, titled
from treatise.report._words import count, significant
from treatise.report.explained import PredictiveIntervals


def intervals_view(found: Sequence[PredictiveIntervals]) -> list[dict[str, Any]]:
    """A figure for each method, with what is said of it."""
    return [
        {
            "label": intervals.label,
            "own": intervals.own,
            "words": intervals.words,
            "level": f"{100 * intervals.level:g} %",
            "score": significant(intervals.score),
            "width": significant(intervals.width),
            "figure": intervals_panel(intervals),
            "shown": count(len(rows), "row"),
            "unlisted": intervals.rows > len(rows),
        }
        for intervals in found
        if (rows := _rows(intervals))
    ]


Row = tuple[int, float, float, float, float]
"""Number, prediction, lower and upper end, what was the case."""


def _rows(found: PredictiveIntervals) -> list[Row]:
    columns = zip(found.numbers, found.predicted, found.lower, found.upper, found.actual)
    return [row for row in columns if None not in row]  # type: ignore[misc]


def intervals_panel(found: PredictiveIntervals) -> Markup:
    """A bar for the interval of each row, a tick for its prediction, a dot for the truth; bold where it is outside."""
    rows = _rows(found)
    root = drawing(440, 420, f"Predictive intervals of {count(len(rows), 'row')}, by {found.label}", "chart panel")
    ends = [value for _, _, low, high, actual in rows for value in (low, high, actual)]
    x, y = panel(
        root, 440, linear_axis([0, len(rows)], 4, margin=0.0), linear_axis(ends, 5), "actual, and interval",
        "held-out rows, by prediction",
    )  # fmt: skip
    bars = "".join(f"M{x(i + 0.5):.1f} {y(low):.1f}V{y(high):.1f}" for i, (_, _, low, high, _) in enumerate(rows))
    add(root, "path", d=bars, class_="reach", stroke_width=f"{max(1.0, 0.8 * (x(1) - x(0))):.2f}")
    middle = "L".join(f"{x(i + 0.5):.1f} {y(predicted):.1f}" for i, (_, predicted, _, _, _) in enumerate(rows))
    add(root, "path", d="M" + middle, class_="curve")
    within = [(i, row) for i, row in enumerate(rows) if row[2] <= row[4] <= row[3]]
    dots = "".join(f"M{x(i + 0.5):.1f} {y(actual):.1f}h0" for i, (*_, actual) in within)
    if dots:
        add(root, "path", d=dots, class_="within")
    for i, (number, predicted, low, high, actual) in enumerate(rows):
        if not low <= actual <= high:
            told = f"{significant(actual)}, outside {significant(low)} to {significant(high)}"
            dot = titled(root, f"row {number}: predicted {significant(predicted)}, was {told}")
            add(dot, "circle", cx=x(i + 0.5), cy=y(actual), r=3.5, class_="outside")
    return markup(root)
