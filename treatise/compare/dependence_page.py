"""The page and the picture of what depends on what."""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from treatise._core.figures import verbatim
from treatise.compare.plain_page import plain_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from treatise.compare.dependence import Dependence

MOST_NAMES, MOST_ROWS, MOST_BARS = 60, 500, 40


def dependence_picture(found: "Dependence") -> "Figure":
    """A heat map of strengths, those that may be chance left white; of a target, bars."""
    return _bars(found) if found.target is not None else _heat_map(found)


def _heat_map(found: "Dependence") -> "Figure":
    from matplotlib.figure import Figure
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    strength, adjusted = found.matrix(), found.matrix("adjusted")
    clear = np.where(adjusted <= found.level, strength, 0.0)
    order = np.arange(len(strength))
    if len(order) > 2:
        apart = 1.0 - clear
        np.fill_diagonal(apart, 0.0)
        order = leaves_list(linkage(squareform(apart, checks=False), "average", optimal_ordering=len(order) <= 100))
    shown = clear[np.ix_(order, order)]
    np.fill_diagonal(shown, np.nan)
    side = float(np.clip(2.5 + 0.28 * len(order), 5.0, 14.0))
    figure = Figure(figsize=(side + 1.2, side), layout="constrained")
    ax = figure.subplots()
    ax.set_facecolor("0.85")  # seen where a column meets itself
    image = ax.imshow(np.ma.masked_invalid(shown), cmap="Blues", vmin=0.0, vmax=1.0)
    if len(order) <= MOST_NAMES:
        names = [verbatim(found.columns[place][:28]) for place in order]
        size = 8 if len(order) <= 30 else 6
        ax.set_xticks(range(len(order)), names, rotation=90, fontsize=size)
        ax.set_yticks(range(len(order)), names, fontsize=size)
    else:
        ax.set(xlabel="columns, those alike beside each other", xticks=[], yticks=[])
    figure.colorbar(image, ax=ax, shrink=0.8, label="distance correlation; white: may be chance")
    return figure


def _bars(found: "Dependence") -> "Figure":
    from matplotlib.figure import Figure

    rows = found.table.head(MOST_BARS).to_dicts()[::-1]
    figure = Figure(figsize=(8, 1.2 + 0.28 * len(rows)), layout="constrained")
    ax = figure.subplots()
    colours = ["#2b6cb0" if row["adjusted"] <= found.level else "0.8" for row in rows]
    names = [row["first"] if row["second"] == found.target else row["second"] for row in rows]
    ax.barh(range(len(rows)), [row["strength"] for row in rows], color=colours)
    ax.set_yticks(range(len(rows)), [verbatim(name[:40]) for name in names], fontsize=8)
    ax.set(xlim=(0, 1), xlabel=f"distance correlation with {verbatim(found.target)}; grey: may be chance")
    return figure


def dependence_page(found: "Dependence", picture: bytes) -> str:
    """A page that holds the picture, the pairs, the statistics used and what was decided."""
    title = "What depends on what" if found.target is None else f"What {found.target} depends on"
    clear, pairs = found.found.height, found.table.height
    lead = (
        f"{clear:,} of {pairs:,} pairs of {len(found.columns):,} columns depend on each other. The chance that any of "
        f"them is a false one is at most {100 * found.level:g}%: {found.n_permutations} permutations of "
        f"{found.n_rows:,} rows, corrected for the number of pairs step down by the largest statistic of each "
        "permutation (Westfall and Young). It is used rather than Holm's or Benjamini and Yekutieli's because those "
        f"need p-values as small as the level divided by {pairs:,}, that is "
        f"{int(np.ceil(pairs / found.level)):,} permutations. Strength is the distance correlation less what chance "
        "gives, from 0 to 1."
    )
    return plain_page(title, lead, picture, {"Pairs": _pair_rows(found), "Statistics": _statistics(found)}, found.notes)


def _pair_rows(found: "Dependence") -> str:
    rows = [
        f'<tr class="{"yes" if row["adjusted"] <= found.level else "no"}"><td>{escape(row["first"])}</td>'
        f"<td>{escape(row['second'])}</td><td>{row['first_kind']}, {row['second_kind']}</td>"
        f'<td class="n">{row["strength"]:.3f}</td><td class="n">{_number(row["rank_correlation"])}</td>'
        f'<td class="n">{row["p_value"]:.3g}</td><td class="n">{row["adjusted"]:.3g}</td></tr>'
        for row in found.table.head(MOST_ROWS).iter_rows(named=True)
    ]
    rest = found.table.height - len(rows)
    more = f"<p>{rest:,} further pairs are in the table dependence.csv.</p>" if rest > 0 else ""
    head = (
        '<th>column</th><th>column</th><th>kinds</th><th class="n">strength</th><th class="n">rank correlation</th>'
        '<th class="n">p-value</th><th class="n">corrected</th>'
    )
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>{more}'


def _statistics(found: "Dependence") -> str:
    from treatise.compare.dependence import WHY

    used = {
        (min(kinds), max(kinds)): None for kinds in found.table.select("first_kind", "second_kind").unique().iter_rows()
    }
    rows = "".join(
        f"<tr><td>{first} with {second}</td><td>{escape(WHY[first, second][0])}</td>"
        f"<td>{escape(WHY[first, second][1])}</td></tr>"
        for first, second in sorted(used)
    )
    return f'<div class="wide"><table><tr><th>kinds</th><th>statistic</th><th>why</th></tr>{rows}</table></div>'


def _number(value: Any) -> str:
    return "" if value is None else f"{value:+.2f}"
