"""Known groups beside new ones: a row for each method with both scores."""

from typing import Any

from markupsafe import Markup

from treatise.report import _words as words
from treatise.report._bars import ROW, axis_labels
from treatise.report._board import STANDINGS
from treatise.report._scales import Axis, linear_axis
from treatise.report._svg import add, drawing, markup, percent
from treatise.report.explained import KnownGroups
from treatise.report.record import Metric

NEW, KNOWN = 0.3 * ROW, 0.7 * ROW
"""Heights of the two marks in a row."""

Span = tuple[float | None, float | None, float | None]
"""A score and the ends of its interval."""


def known_groups_view(found: KnownGroups | None, metric: Metric, decimals: int, chosen: str | None) -> Any:
    """The sentences and the rows, on one axis; None where rows are in no groups."""
    if found is None:
        return None
    spans = [
        ((each.new, each.new_low, each.new_high), (each.known, each.known_low, each.known_high))
        for each in found.methods
    ]
    ends = [end for pair in spans for span in pair for end in span if end is not None]
    axis = linear_axis([metric.within(end) for end in ends], 4)
    rows = [
        {
            "label": each.label,
            "takes_groups": each.takes_groups,
            "chosen": each.key == chosen,
            "new": words.number(each.new, decimals),
            "known": words.number(each.known, decimals),
            "standing": each.standing,
            "standing_text": STANDINGS.get(each.standing, each.standing),
            "figure": _figure(new, known, axis, _spoken(new, known, metric, decimals)),
        }
        for each, (new, known) in zip(found.methods, spans)
    ]
    labels = axis_labels(axis, f"Axis from {axis.low:.3g} to {axis.high:.3g}")
    return vars(found) | {"rows": rows, "labels": labels}


def _spoken(new: Span, known: Span, metric: Metric, decimals: int) -> str:
    told = []
    for what, (score, low, high) in (("new groups", new), ("known groups", known)):
        interval = words.interval(low, high, decimals)
        told.append(f"{what} {words.number(score, decimals)}" + (f", 95 % interval {interval}" if interval else ""))
    return f"{metric.label}: {'; '.join(told)}"


def _figure(new: Span, known: Span, axis: Axis, spoken: str) -> Markup:
    """Both scores with their intervals, that on new groups above."""
    root = drawing("100%", ROW, spoken, "row-figure", view=False)
    for value, _ in axis.ticks:
        add(root, "line", x1=percent(axis.at(value)), x2=percent(axis.at(value)), y1=0, y2=ROW, class_="grid")
    for (score, low, high), y, standing in ((new, NEW, "undecided"), (known, KNOWN, "best")):
        if score is None:
            continue
        mark = add(root, "g", class_=f"mark {standing}")
        if low is not None and high is not None:
            ends = {"x1": percent(axis.at(low)), "x2": percent(axis.at(high))}
            add(mark, "line", **ends, y1=y, y2=y, class_="interval")
        add(mark, "circle", cx=percent(axis.at(score)), cy=y, r=4.5, class_="dot")
    return markup(root)
