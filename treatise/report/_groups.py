"""Groups without a target: the rows in a plane, the groups with what sets them apart, and how they overlap."""

from typing import Any

from markupsafe import Markup

from treatise.report._panels import panel
from treatise.report._scales import linear_axis
from treatise.report._svg import add, drawing, markup, titled
from treatise.report._words import count
from treatise.report.record import GroupsFound

COLOURS = 8
MOST_MAPPED = 12
SHADES = (0.001, 0.01, 0.1, 0.3)
"""Probabilities from which on a cell of the map is darker."""


def groups_view(found: GroupsFound | None) -> dict[str, Any] | None:
    """The figure, a line for each group, and the map of overlaps."""
    if found is None:
        return None
    rows = [
        {
            "number": group.number,
            "class": _class_of(group.number),
            "rows": f"{group.rows:,}",
            "share": f"{group.share:.0%}",
            "traits": [
                {"column": trait.column, "words": trait.words, "arrow": "↑" if trait.higher else "↓"}
                for trait in group.traits
            ],
        }
        for group in found.groups
    ]
    mapped = found.overlap if 2 <= len(found.names) <= MOST_MAPPED else ()
    cells = [
        {
            "number": name,
            "cells": [
                None if i == j else {"text": _probability(value), "shade": sum(value >= shade for shade in SHADES)}
                for j, value in enumerate(line)
            ],
        }
        for i, (name, line) in enumerate(zip(found.names, mapped))
    ]
    return {
        "figure": groups_panel(found),
        "rows": rows,
        "noise": found.noise,
        "total": found.rows,
        "thing": found.thing,
        "single": len(found.groups) < 2,
        "map": cells,
        "names": found.names,
    }


def groups_panel(found: GroupsFound) -> Markup:
    """The rows in two dimensions, a colour for each group; every group is named in its middle."""
    shown = [(x, y, g) for x, y, g in zip(found.across, found.up, found.of) if x is not None and y is not None]
    root = drawing(440, 420, f"{count(len(shown), found.thing)} in two dimensions, by group", "chart panel")
    x, y = panel(
        root, 440, linear_axis([a for a, _, _ in shown], 4), linear_axis([b for _, b, _ in shown], 4),
        found.axes[1], found.axes[0],
    )  # fmt: skip
    layer = add(root, "g", class_="cloud-of-groups")
    for across, up, number in shown:
        add(layer, "circle", cx=x(across), cy=y(up), r=2.6, class_=_class_of(number))
    for group in found.groups if len(found.groups) > 1 else ():
        own = sorted((a, b) for a, b, number in shown if number == group.number)
        if own:
            middle = own[len(own) // 2][0], sorted(b for _, b in own)[len(own) // 2]
            badge = titled(root, f"group {group.number}: {count(group.rows, found.thing)}")
            add(badge, "circle", cx=x(middle[0]), cy=y(middle[1]), r=10, class_="badge")
            add(badge, "text", str(group.number), x=x(middle[0]), y=y(middle[1]) + 4.5, text_anchor="middle",
                class_="label leading")  # fmt: skip
    return markup(root)


def _class_of(number: int) -> str:
    return f"group-{(number - 1) % COLOURS + 1 if number > 0 else 0}"


def _probability(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
