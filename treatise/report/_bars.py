"""Drawings inside table rows: an interval or a bar on an axis that all rows share.

Their places are percentages, so that a column of any width shows them, and no text is ever squeezed.
"""

from collections.abc import Sequence

from markupsafe import Markup

from treatise.report._scales import Axis
from treatise.report._svg import add, drawing, markup, percent
from treatise.report.explained import ColumnEffect
from treatise.report.record import LeaderboardEntry

ROW = 34
MIDDLE = ROW / 2
BAR_ROW = 26
SPARK = 36
# The target of fewer rows than this is noise, and is not drawn.
LEAST_ROWS = 5


def axis_labels(axis: Axis, label: str) -> Markup:
    """The tick labels above a column of rows."""
    root = drawing("100%", 18, label, "axis", view=False)
    for value, text in axis.ticks:
        place = axis.at(value)
        anchor = "start" if place < 0.02 else "end" if place > 0.98 else "middle"
        add(root, "text", text, x=percent(place), y=13, text_anchor=anchor)
    return markup(root)


def interval_row(row: LeaderboardEntry, axis: Axis, band: Sequence[float | None], words: str) -> Markup:
    """One method's score and interval; ``band`` is the best method's interval, shaded behind every row."""
    root = drawing("100%", ROW, words, "row-figure", view=False)
    low, high = band
    if low is not None and high is not None:
        left, right = axis.at(low), axis.at(high)
        add(root, "rect", x=percent(left), y=0, width=percent(right - left), height=ROW, class_="band")
    for value, _ in axis.ticks:
        add(root, "line", x1=percent(axis.at(value)), x2=percent(axis.at(value)), y1=0, y2=ROW, class_="grid")
    if row.score is None:
        return markup(root)
    mark = add(root, "g", class_=mark_class(row))
    side = axis.beyond(row.score)
    if side:
        # An arrow at the edge: the score lies beyond the axis, the number stands in its own column.
        edge = add(mark, "svg", x=percent((side + 1) / 2), overflow="visible")
        tip, back = (1, 9) if side < 0 else (-1, -9)
        add(edge, "path", d=f"M{back} {MIDDLE - 6} L{tip} {MIDDLE} L{back} {MIDDLE + 6}", class_="beyond")
        return markup(root)
    if row.low is not None and row.high is not None:
        left, right = axis.at(row.low), axis.at(row.high)
        add(mark, "line", x1=percent(left), x2=percent(right), y1=MIDDLE, y2=MIDDLE, class_="interval")
        for end, value in ((left, row.low), (right, row.high)):
            if not axis.beyond(value):
                cap = {"x1": percent(end), "x2": percent(end)}
                add(mark, "line", **cap, y1=MIDDLE - 4, y2=MIDDLE + 4, class_="interval")
    if row.baseline:
        centre = add(mark, "svg", x=percent(axis.at(row.score)), y=MIDDLE, overflow="visible")
        add(centre, "rect", x=-5, y=-5, width=10, height=10, class_="dot")
    else:
        add(mark, "circle", cx=percent(axis.at(row.score)), cy=MIDDLE, r=5, class_="dot")
    return markup(root)


def effect_row(effect: ColumnEffect, axis: Axis, words: str) -> Markup:
    """A bar from zero to the mean effect of a column, with its interval."""
    root = drawing("100%", BAR_ROW, words, "row-figure", view=False)
    zero = axis.at(0.0)
    add(root, "line", x1=percent(zero), x2=percent(zero), y1=0, y2=BAR_ROW, class_="zero")
    if effect.mean is None:
        return markup(root)
    start, end = sorted((zero, axis.at(effect.mean)))
    add(root, "rect", x=percent(start), width=percent(end - start), y=6, height=BAR_ROW - 12, rx=2, class_="bar")
    if effect.low is not None and effect.high is not None:
        ends = {"x1": percent(axis.at(effect.low)), "x2": percent(axis.at(effect.high))}
        add(root, "line", **ends, y1=BAR_ROW / 2, y2=BAR_ROW / 2, class_="whisker")
    return markup(root)


def share_bar(share: float, words: str) -> Markup:
    """A bar whose length is a share of the whole width."""
    root = drawing("100%", 10, words, "share-bar", view=False)
    add(root, "rect", x=0, y=0, width="100%", height=10, rx=3, class_="track")
    add(root, "rect", x=0, y=0, width=percent(share), height=10, rx=3, class_="bar")
    return markup(root)


def error_bar(share: float, overall: float, words: str) -> Markup:
    """A bar of an error with a tick at the error on all rows."""
    root = drawing("100%", 14, words, "share-bar", view=False)
    add(root, "rect", x=0, y=2, width="100%", height=10, rx=3, class_="track")
    add(root, "rect", x=0, y=2, width=percent(min(1.0, share)), height=10, rx=3, class_="bar wrong-bar")
    add(root, "line", x1=percent(min(1.0, overall)), x2=percent(min(1.0, overall)), y1=0, y2=14, class_="whisker")
    return markup(root)


def sparkline(
    rows: Sequence[int], targets: Sequence[float | None], base: float | None, words: str, *, broken: bool
) -> Markup:
    """Bars of a distribution, and over them the target: a line where neighbours belong together, else ticks.

    The drawing is stretched to its column; strokes are not.
    """
    root = drawing("100%", SPARK, words, "spark", view=False)
    root.set("viewBox", f"0 0 100 {SPARK}")
    root.set("preserveAspectRatio", "none")
    add(root, "title", words)
    most, step = max(rows, default=0) or 1, 100 / max(1, len(rows))
    bars = "".join(
        f"M{place * step + 0.08 * step:.1f} {SPARK}v{-max(1.0, (SPARK - 3) * count / most):.1f}"
        f"h{0.84 * step:.1f}V{SPARK}z"
        for place, count in enumerate(rows)
        if count
    )
    add(root, "path", d=bars, class_="bars")
    known = [value for value, count in zip(targets, rows) if value is not None and count >= LEAST_ROWS]
    if not known or base is None:
        return markup(root)
    low, high = min(*known, base), max(*known, base)
    room = high - low or 1.0

    def y(value: float) -> float:
        return SPARK - 4 - (SPARK - 8) * (value - low) / room

    add(root, "line", x1=0, x2=100, y1=y(base), y2=y(base), class_="base-line")
    line, drawn = "", False
    for place, (value, count) in enumerate(zip(targets, rows)):
        if value is None or count < LEAST_ROWS:
            continue
        if broken:
            line += f"M{place * step + 0.1 * step:.1f} {y(value):.1f}h{0.8 * step:.1f}"
        else:
            line += f"{'L' if drawn else 'M'}{(place + 0.5) * step:.1f} {y(value):.1f}"
        drawn = True
    add(root, "path", d=line, class_="target-line")
    return markup(root)


def mark_class(row: LeaderboardEntry) -> str:
    """Classes that tell a method's standing, and whether it is a baseline."""
    standing = row.standing if row.standing in ("best", "equivalent", "undecided") else "worse"
    return f"mark {standing} baseline" if row.baseline else f"mark {standing}"
