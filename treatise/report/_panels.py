"""Square panels about the best method: calibration, predicted against actual, residuals."""

from collections.abc import Callable
from statistics import quantiles
from xml.etree.ElementTree import Element

from markupsafe import Markup

from treatise.report._scales import Axis, linear_axis
from treatise.report._svg import add, drawing, markup, titled
from treatise.report._words import count, shortened, significant
from treatise.report.record import CalibrationCurve

# Points are drawn in this many layers: where points crowd, layers show through one another and darken.
LAYERS = 8
UNIT = Axis(0.0, 1.0, ((0.0, "0"), (0.5, "0.5"), (1.0, "1")))

Place = Callable[[float], float]


def calibration_panel(curve: CalibrationCurve, *, large: bool) -> Markup:
    """Observed share against predicted probability of one class, dots by the number of rows."""
    size = 420 if large else 190
    words = f"Calibration of class {curve.label}: observed share against predicted probability"
    root = drawing(size, size, words, "chart panel")
    title = f"share that is {curve.label}" if large else curve.label
    x, y = panel(root, size, UNIT, UNIT, shortened(title, size / 14), "predicted probability" if large else "")
    add(root, "line", x1=x(0), y1=y(0), x2=x(1), y2=y(1), class_="ideal")
    cells = [
        (predicted, observed, rows or 0)
        for predicted, observed, rows in zip(curve.predicted, curve.observed, curve.count)
        if predicted is not None and observed is not None
    ]
    cells.sort()
    if not cells:
        return markup(root)
    path = "L".join(f"{x(predicted):.1f} {y(observed):.1f}" for predicted, observed, _ in cells)
    add(root, "path", d="M" + path, class_="curve")
    most = max(rows for *_, rows in cells) or 1
    for predicted, observed, rows in cells:
        dot = titled(root, f"predicted {predicted:.2f}, observed {observed:.2f}, {count(int(rows), 'row')}")
        radius = (2.5 + 5.5 * (rows / most) ** 0.5) * (1 if large else 0.6)
        add(dot, "circle", cx=x(predicted), cy=y(observed), r=radius, class_="point")
    return markup(root)


def predicted_and_actual(pairs: list[tuple[float, float]]) -> Markup:
    """Actual against predicted values; the line is where both are equal."""
    root = drawing(440, 420, f"Actual against predicted values of {len(pairs)} rows", "chart panel")
    axis = linear_axis([value for pair in pairs for value in pair], 4)
    x, y = panel(root, 440, axis, axis, "actual", "predicted")
    add(root, "line", x1=x(axis.low), y1=y(axis.low), x2=x(axis.high), y2=y(axis.high), class_="ideal")
    _cloud(root, [(x(predicted), y(actual)) for predicted, actual in pairs])
    return markup(root)


def residual_panel(pairs: list[tuple[float, float]]) -> Markup:
    """Residuals against predicted values; the band holds nine tenths of them."""
    root = drawing(440, 420, f"Residuals against predicted values of {len(pairs)} rows", "chart panel")
    residuals = [actual - predicted for predicted, actual in pairs]
    across, up = linear_axis([predicted for predicted, _ in pairs], 4), linear_axis([0.0, *residuals], 5)
    x, y = panel(root, 440, across, up, "residual: actual − predicted", "predicted")
    if len(residuals) > 1:
        low, *_, high = quantiles(residuals, n=20, method="inclusive")
        left, right = x(across.low), x(across.high)
        add(root, "rect", x=left, width=right - left, y=y(high), height=y(low) - y(high), class_="band")
    add(root, "line", x1=x(across.low), y1=y(0.0), x2=x(across.high), y2=y(0.0), class_="ideal")
    _cloud(root, [(x(predicted), y(value)) for (predicted, _), value in zip(pairs, residuals)])
    return markup(root)


def residual_words(pairs: list[tuple[float, float]]) -> str:
    """How far predictions lie from the truth, in a sentence."""
    sizes = sorted(abs(actual - predicted) for predicted, actual in pairs)
    half, most = sizes[(len(sizes) - 1) // 2], sizes[int(0.9 * (len(sizes) - 1))]
    near, far = significant(half), significant(most)
    return f"Half of the predictions lie within {near} of the actual value, nine tenths within {far}."


def panel(root: Element, size: int, across: Axis, up: Axis, title: str, below: str) -> tuple[Place, Place]:
    """Axes and grid of a panel; gives the functions that place values on it."""
    small = size < 300
    widest = max((len(text) for _, text in up.ticks), default=1)
    left, right = 14 + 7 * widest, size - (10 if small else 14)
    top, bottom = 24, (size if small else 420) - (22 if small else 44)

    def x(value: float) -> float:
        return left + across.at(value) * (right - left)

    def y(value: float) -> float:
        return bottom - up.at(value) * (bottom - top)

    for value, text in up.ticks:
        add(root, "line", x1=left, x2=right, y1=y(value), y2=y(value), class_="grid")
        add(root, "text", text, x=left - 6, y=y(value) + 4, text_anchor="end", class_="tick")
    for value, text in across.ticks:
        add(root, "line", x1=x(value), x2=x(value), y1=top, y2=bottom, class_="grid")
        add(root, "text", text, x=x(value), y=bottom + 16, text_anchor="middle", class_="tick")
    add(root, "text", title, x=0, y=12, class_="axis-title")
    if below:
        add(root, "text", below, x=right, y=bottom + 36, text_anchor="end", class_="axis-title")
    return x, y


def _cloud(root: Element, places: list[tuple[float, float]]) -> None:
    for layer in range(LAYERS):
        dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places[layer::LAYERS])
        if dots:
            add(root, "path", d=dots, class_="cloud")
