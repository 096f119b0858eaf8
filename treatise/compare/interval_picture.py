"""A picture of scores with their intervals, the best on top."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.figures import verbatim
from treatise._core.files import replacing

SHOWN = 40
"""Rows of a picture."""


def draw_intervals(table: pl.DataFrame, name: str, value: str, path: Path, *, title: str) -> None:
    """Draw the first rows of a table with the columns ``name``, ``value``, "low" and "high" into a file.

    Parameters
    ----------
    table : polars.DataFrame
        Sorted, the best first; intervals may be null.
    name, value : str
        Columns of the names and of the scores.
    path : Path
        The picture.
    title : str
        What is drawn, and how sure.
    """
    from matplotlib.figure import Figure

    shown = table.head(SHOWN)
    figure = Figure(figsize=(8.0, 1.2 + 0.26 * shown.height), layout="constrained")
    axes: Any = figure.subplots()
    place, centre = np.arange(shown.height), shown[value].to_numpy()
    if shown["low"].null_count() == 0:
        ends = np.abs(np.stack([centre - shown["low"].to_numpy(), shown["high"].to_numpy() - centre]))
        axes.errorbar(centre, place, xerr=ends, fmt="o", markersize=4, elinewidth=1.2, capsize=2)
    else:
        axes.plot(centre, place, "o", markersize=4)
    axes.set_yticks(place, [verbatim(label) for label in shown[name]])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(value)
    rest = "" if shown.height == table.height else f", the first {shown.height} of {table.height}"
    axes.set_title(title + rest)
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150, format="png")
