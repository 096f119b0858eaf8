"""Survival of held-out rows in thirds by prediction: observed curves, and predicted ones on them."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from treatise.report._panels import UNIT, panel
from treatise.report._scales import linear_axis
from treatise.report._svg import add, drawing, markup, titled
from treatise.report._words import count
from treatise.report.record import SurvivalCurves


def survival_view(groups: Sequence[SurvivalCurves]) -> dict[str, Any] | None:
    """The figure, its keys, and how far apart the thirds are in the end."""
    if not groups:
        return None
    last = [group.observed[-1] for group in groups if group.observed and group.observed[-1] is not None]
    words = f"At {groups[0].times[-1]:.4g}, the last time judged, {_shares(last)} were alive."
    return {"figure": survival_panel(groups), "labels": [group.label for group in groups], "words": words}


def _shares(shares: Sequence[float]) -> str:
    if len(shares) < 2:
        return f"{shares[0]:.0%} of the rows" if shares else "no rows"
    return (
        f"{shares[0]:.0%} of the rows with the shortest predicted lives and {shares[-1]:.0%} of those with the longest"
    )


def survival_panel(groups: Sequence[SurvivalCurves]) -> Markup:
    """Share alive against time, a line for each group as observed, dots as predicted."""
    root = drawing(440, 420, "Observed and predicted survival against time", "chart panel")
    times = [time for group in groups for time in group.times if time is not None]
    x, y = panel(root, 440, linear_axis([0.0, *times], 5), UNIT, "share alive", "time")
    for place, group in enumerate(groups):
        points = [(0.0, 1.0), *_known(group.times, group.observed)]
        path = "L".join(f"{x(time):.1f} {y(share):.1f}" for time, share in points)
        add(titled(root, f"{group.label}: {count(group.rows, 'row')}"), "path", d="M" + path, class_=f"line-{place}")
        for time, share in _known(group.times, group.predicted)[::3]:
            dot = titled(root, f"{group.label}, time {time:.4g}: predicted {share:.2f}")
            add(dot, "circle", cx=x(time), cy=y(share), r=3.5, class_=f"dot-{place}")
    return markup(root)


def _known(times: Sequence[float | None], shares: Sequence[float | None]) -> list[tuple[float, float]]:
    return [(time, share) for time, share in zip(times, shares) if time is not None and share is not None]
