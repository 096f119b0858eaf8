"""Time against score: what a better score costs, with every method named beside its mark."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from markupsafe import Markup

from treatise.report._bars import mark_class
from treatise.report._scales import Axis, score_axis, time_axis
from treatise.report._svg import add, drawing, markup, titled
from treatise.report._words import duration, number, shortened, width_in_em
from treatise.report.record import LeaderboardEntry, Metric

FONT = 12.5
RADIUS = 5.5
# With more methods than this, names would cover the drawing: the leading ones and those on the steps keep theirs.
MOST_NAMED = 18
ALWAYS_NAMED = 10


class Box(NamedTuple):
    """A rectangle that a label covers or must avoid."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """Area in common."""
        if self.right <= other.left or other.right <= self.left:
            return 0.0
        if self.bottom <= other.top or other.bottom <= self.top:
            return 0.0
        across = min(self.right, other.right) - max(self.left, other.left)
        return across * (min(self.bottom, other.bottom) - max(self.top, other.top))


class Point(NamedTuple):
    """A method on the drawing."""

    row: LeaderboardEntry
    x: float
    y: float
    beyond: int


def drawable(rows: Sequence[LeaderboardEntry]) -> list[LeaderboardEntry]:
    """The methods with both a score and a time."""
    return [row for row in rows if row.score is not None and row.fit_seconds is not None]


def time_and_score(
    rows: Sequence[LeaderboardEntry], metric: Metric, decimals: int, width: int, height: int, *, names: bool
) -> Markup:
    """The scatter at one size; labelled by name where there is room for names, else by place in the table."""
    rows, better = drawable(rows), metric.greater_is_better
    across = time_axis([row.fit_seconds for row in rows])
    up = score_axis(rows, better)
    plot = Box(62 if names else 48, 26, width - (26 if names else 12), height - 48)
    words = f"{metric.label} against mean fit time of {len(rows)} methods, with 95 % intervals"
    root = drawing(width, height, words, "chart wide" if names else "chart narrow")
    _frame(root, plot, across, up, f"{metric.label}, better {'↑' if better else '↓'}")

    def x(value: float) -> float:
        return plot.left + across.at(value) * (plot.right - plot.left)

    def y(value: float) -> float:
        return plot.bottom - up.at(value) * (plot.bottom - plot.top)

    points = [Point(row, x(row.fit_seconds), y(row.score), up.beyond(row.score)) for row in rows]
    frontier = _frontier(root, points, better, plot)
    named = _named(points, frontier)
    obstacles = []
    # Worst first, so that the best is drawn on top.
    for point in reversed(points):
        row = point.row
        title = f"{row.label}: {number(row.score, decimals)}, fit in {duration(row.fit_seconds)}"
        group = titled(root, title, mark_class(row))
        if not point.beyond and row.low is not None and row.high is not None:
            ends = y(row.high), y(row.low)
            add(group, "line", x1=point.x, x2=point.x, y1=ends[0], y2=ends[1], class_="interval")
            obstacles.append((Box(point.x - 1, ends[0], point.x + 1, ends[1]), 2.0))
        _symbol(group, point)
        obstacles.append((Box(point.x - 8, point.y - 8, point.x + 8, point.y + 8), 8.0))
    layer = add(root, "g", class_="labels")
    for point in named:
        text = shortened(point.row.label, 22) if names else str(point.row.rank)
        if point.beyond:
            text += f" ({number(point.row.score, decimals)})"
        _label(layer, point, text, plot, obstacles)
    return markup(root)


def fastest_equivalent(rows: Sequence[LeaderboardEntry]) -> tuple[LeaderboardEntry, LeaderboardEntry] | None:
    """The best method and the quickest that cannot be told apart from it, where that is another one."""
    leaders = [row for row in drawable(rows) if row.standing in ("best", "equivalent")]
    best = next((row for row in leaders if row.standing == "best"), None)
    quickest = min(leaders, key=lambda row: row.fit_seconds, default=None)
    if best is None or quickest is None or quickest.fit_seconds > 0.8 * best.fit_seconds:
        return None
    return best, quickest


def _frame(root: Element, plot: Box, across: Axis, up: Axis, title: str) -> None:
    for value, text in up.ticks:
        y = plot.bottom - up.at(value) * (plot.bottom - plot.top)
        add(root, "line", x1=plot.left, x2=plot.right, y1=y, y2=y, class_="grid")
        add(root, "text", text, x=plot.left - 8, y=y + 4, text_anchor="end", class_="tick")
    for value, text in across.ticks:
        x = plot.left + across.at(value) * (plot.right - plot.left)
        add(root, "line", x1=x, x2=x, y1=plot.bottom, y2=plot.bottom + 5, class_="base")
        add(root, "text", text, x=x, y=plot.bottom + 19, text_anchor="middle", class_="tick")
    add(root, "line", x1=plot.left, x2=plot.right, y1=plot.bottom, y2=plot.bottom, class_="base")
    add(root, "text", title, x=0, y=12, class_="axis-title")
    below = add(root, "text", "mean time of one fit, logarithmic, ← faster", class_="axis-title")
    below.attrib.update({"x": str(plot.right), "y": str(plot.bottom + 40), "text-anchor": "end"})


def _named(points: list[Point], frontier: list[Point]) -> list[Point]:
    """The points that are labelled: all of a few; of many the best, those on the steps and the best baseline."""
    if len(points) <= MOST_NAMED:
        return points
    own = [point for point in points if point.row.copy_of is None]
    baseline = [point for point in own if point.row.baseline][:1]
    kept = {id(point) for point in (*own[:ALWAYS_NAMED], *frontier, *baseline)}
    return [point for point in points if id(point) in kept]


def _frontier(root: Element, points: list[Point], greater_is_better: bool, plot: Box) -> list[Point]:
    """The steps along which a better score costs more time: no method is above and to the left."""
    sign, best = (1 if greater_is_better else -1), -math.inf
    found: list[Point] = []
    for point in sorted(points, key=lambda point: (point.x, -sign * point.row.score)):
        if not point.beyond and sign * point.row.score > best:
            best = sign * point.row.score
            found.append(point)
    if len(found) > 1:
        first, *others = found
        steps = "".join(f"H{point.x:.1f}V{point.y:.1f}" for point in others)
        add(root, "path", d=f"M{first.x:.1f} {first.y:.1f}{steps}H{plot.right:.1f}", class_="frontier")
    return found


def _symbol(group: Element, point: Point) -> None:
    x, y = point.x, point.y
    if point.beyond:
        # The axis grows upwards, the page downwards.
        tip = -point.beyond
        add(group, "path", d=f"M{x - 6:.1f} {y - 9 * tip:.1f}L{x:.1f} {y:.1f}L{x + 6:.1f} {y - 9 * tip:.1f}",
            class_="beyond")  # fmt: skip
    elif point.row.baseline:
        add(group, "rect", x=x - 5, y=y - 5, width=10, height=10, class_="dot")
    else:
        add(group, "circle", cx=x, cy=y, r=RADIUS + 1 if point.row.standing == "best" else RADIUS, class_="dot")


def _label(layer: Element, point: Point, text: str, plot: Box, obstacles: list[tuple[Box, float]]) -> None:
    """Write a point's label where it covers least, joined by a line where that is some way off."""
    # An arrow at the edge takes room towards the middle of the plot.
    point = point._replace(y=point.y + 6 * point.beyond)
    size = (width_in_em(text) + 0.3) * FONT, FONT * 1.15
    _, box, away = min(
        (sum(weight * box.overlap(o) for o, weight in obstacles) + 3 * away + _outside(box, plot), box, away)
        for box, away in _places(point, size)
    )
    obstacles.append((box, 20.0))
    if away > 14:
        near = min(max(point.x, box.left), box.right), min(max(point.y, box.top), box.bottom)
        add(layer, "line", x1=point.x, y1=point.y, x2=near[0], y2=near[1], class_="leader")
    class_ = "label leading" if point.row.standing in ("best", "equivalent") else "label"
    add(layer, "text", text, x=box.left + 0.15 * FONT, y=box.bottom - 0.22 * FONT, class_=class_)


def _places(point: Point, size: tuple[float, float]) -> Iterator[tuple[Box, float]]:
    """Boxes around a point, right and left first, then on wider and wider rings; with their distance."""
    for away in (9.0, 12.0, 20.0, 30.0, 42.0, 56.0, 72.0):
        for sixteenth in (0, 8, 14, 2, 10, 6, 15, 1, 7, 9, 12, 4, 13, 3, 11, 5):
            angle = sixteenth * math.pi / 8
            x, y = point.x + away * math.cos(angle), point.y + away * math.sin(angle)
            left = x - size[0] * (1 - math.cos(angle)) / 2
            top = y - size[1] * (1 - math.sin(angle)) / 2
            # Straight right is preferred; every turn away from it costs a little.
            yield Box(left, top, left + size[0], top + size[1]), away + (0.5 if sixteenth else 0.0)


def _outside(box: Box, plot: Box) -> float:
    over = max(plot.left + 2 - box.left, 0) + max(box.right - plot.right - 20, 0)
    return 1000 * (over + max(plot.top - 8 - box.top, 0) + max(box.bottom - plot.bottom + 2, 0))
