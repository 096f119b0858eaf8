"""ROC and precision-recall curves of the best methods, and what each threshold does."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from treatise.report import _words as words
from treatise.report._panels import UNIT, panel
from treatise.report._svg import add, drawing, markup, titled
from treatise.report.explained import ThresholdCurve

# Rows of the table that stands for the slider where no script runs.
TABLE_ROWS = 12


def thresholds_view(curves: Sequence[ThresholdCurve]) -> dict[str, Any] | None:
    """Two figures, and for each method its points, as text for the script and as a table."""
    drawn = [curve for curve in curves if curve.thresholds]
    sentences = [curve.why_not for curve in curves if curve.why_not]
    if not drawn:
        return {"methods": [], "sentences": sentences, "figures": []} if sentences else None
    return {
        "methods": [_method_view(curve) for curve in drawn],
        "sentences": sentences,
        "figures": [roc_panel(drawn), precision_panel(drawn)],
        "positive": drawn[0].positive,
        "rows": drawn[0].positives + drawn[0].negatives,
    }


def roc_panel(curves: Sequence[ThresholdCurve]) -> Markup:
    """The share found against the share of false alarms, every method's curve with its two marks."""
    root = drawing(440, 420, "ROC curves: share found against share of false alarms", "chart panel curves")
    x, y = panel(root, 440, UNIT, UNIT, "found (true positive rate)", "false alarms (false positive rate)")
    add(root, "line", x1=x(0), y1=y(0), x2=x(1), y2=y(1), class_="ideal")
    for place, curve in reversed(list(enumerate(curves))):
        points = [(0.0, 0.0), *zip(curve.false_positive_rate, curve.true_positive_rate), (1.0, 1.0)]
        _curve(root, place, f"{curve.label}: area {words.number(curve.area)}", [(x(a), y(b)) for a, b in points])
    _marks(root, curves, lambda curve, i: (x(curve.false_positive_rate[i]), y(curve.true_positive_rate[i])))
    _chosen(root, x(0), x(1), y(0), y(1), "roc")
    return markup(root)


def precision_panel(curves: Sequence[ThresholdCurve]) -> Markup:
    """Precision against recall; the line is what guessing gives."""
    root = drawing(440, 420, "Precision against recall", "chart panel curves")
    x, y = panel(root, 440, UNIT, UNIT, "right (precision)", "found (recall)")
    share = curves[0].positives / (curves[0].positives + curves[0].negatives)
    add(root, "line", x1=x(0), y1=y(share), x2=x(1), y2=y(share), class_="ideal")
    for place, curve in reversed(list(enumerate(curves))):
        told = f"{curve.label}: average precision {words.number(curve.average_precision)}"
        _curve(root, place, told, [(x(a), y(b)) for a, b in zip(curve.true_positive_rate, curve.precision)])
    _marks(root, curves, lambda curve, i: (x(curve.true_positive_rate[i]), y(curve.precision[i])))
    _chosen(root, x(0), x(1), y(0), y(1), "precision")
    return markup(root)


def _curve(root: Any, place: int, title: str, points: Sequence[tuple[float, float]]) -> None:
    group = titled(root, title)
    add(group, "path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), class_=f"line-{place}")


def _marks(root: Any, curves: Sequence[ThresholdCurve], at: Any) -> None:
    """A square at the largest F1 and a triangle at Youden's point; the script shows those of one method."""
    for place, curve in enumerate(curves):
        group = add(root, "g", class_="curve-marks on" if place == 0 else "curve-marks")
        group.set("data-method", str(place))
        if curve.best_f1 in curve.thresholds:
            x, y = at(curve, curve.thresholds.index(curve.best_f1))
            mark = titled(group, "largest F1")
            add(mark, "rect", x=x - 5, y=y - 5, width=10, height=10, class_="mark-f1")
        if curve.youden in curve.thresholds:
            x, y = at(curve, curve.thresholds.index(curve.youden))
            mark = titled(group, "Youden")
            add(mark, "path", d=f"M{x:.1f} {y - 7:.1f}l6 11h-12z", class_="mark-youden")


def _chosen(root: Any, left: float, right: float, bottom: float, top: float, which: str) -> None:
    """The point of the chosen threshold, which only the script shows and moves."""
    dot = add(root, "circle", cx=left, cy=bottom, r=7, class_="chosen")
    ends = {"curve": which, "left": left, "right": right, "bottom": bottom, "top": top}
    for name, value in ends.items():
        dot.set(f"data-{name}", value if isinstance(value, str) else f"{value:.1f}")
    dot.set("visibility", "hidden")


def _method_view(curve: ThresholdCurve) -> dict[str, Any]:
    marked = {
        "largest F1": _place(curve, curve.best_f1),
        "Youden": _place(curve, curve.youden),
    }
    if curve.probabilities:
        # The lowest threshold that is still at or above one half.
        marked["one half"] = max(sum(threshold >= 0.5 for threshold in curve.thresholds) - 1, 0)
    last = len(curve.thresholds) - 1
    spread = [round(step * last / (TABLE_ROWS - 1)) for step in range(TABLE_ROWS)]
    places = sorted({*spread, *(place for place in marked.values() if place is not None)})
    return {
        "label": curve.label,
        "area": words.number(curve.area),
        "average_precision": words.number(curve.average_precision),
        "positives": curve.positives,
        "negatives": curve.negatives,
        "marked": [(name, place) for name, place in marked.items() if place is not None],
        "first": marked["largest F1"] or 0,
        "data": {
            "thresholds": " ".join(f"{value:.6g}" for value in curve.thresholds),
            "recall": " ".join(f"{value:.6g}" for value in curve.true_positive_rate),
            "fallout": " ".join(f"{value:.6g}" for value in curve.false_positive_rate),
        },
        "rows": [_row(curve, place, [name for name, at in marked.items() if at == place]) for place in places],
    }


def _place(curve: ThresholdCurve, threshold: float | None) -> int | None:
    return curve.thresholds.index(threshold) if threshold in curve.thresholds else None


def _row(curve: ThresholdCurve, place: int, names: list[str]) -> dict[str, Any]:
    found = round(curve.true_positive_rate[place] * curve.positives)
    alarms = round(curve.false_positive_rate[place] * curve.negatives)
    return {
        "threshold": words.significant(curve.thresholds[place]),
        "names": names,
        "recall": f"{100 * curve.true_positive_rate[place]:.1f} %",
        "precision": f"{100 * curve.precision[place]:.1f} %",
        "fallout": f"{100 * curve.false_positive_rate[place]:.1f} %",
        "f1": f"{2 * found / (found + alarms + curve.positives):.3f}",
        "found": found,
        "alarms": alarms,
        "missed": curve.positives - found,
        "rejected": curve.negatives - alarms,
    }
