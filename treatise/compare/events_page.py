"""The page and the picture of ranked entities."""

from typing import TYPE_CHECKING

import numpy as np

from treatise._core.figures import verbatim
from treatise.compare.plain_page import html_table, plain_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from treatise.compare.events import RankedEntities

MOST_ROWS, MOST_FEATURES, MOST_BARS = 200, 40, 12


def events_picture(found: "RankedEntities") -> "Figure":
    """Scores by rank, those with the label marked, and the features that add most."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
    scores = found.table["score"].to_numpy()
    ranks = np.arange(1, len(scores) + 1)
    left.plot(ranks, scores, color="0.6", lw=1.5)
    if found.label is not None:
        marked = (found.table[found.label] == found.positive).fill_null(False).to_numpy()
        known = f"known as {verbatim(found.positive)}"
        left.scatter(ranks[marked], scores[marked], s=18, color="#c0392b", zorder=3, label=known)
        unknown = found.table[found.label].is_null().to_numpy()
        if unknown.any():
            left.scatter(ranks[unknown], scores[unknown], s=8, color="#2b6cb0", zorder=2, label="without a label")
        left.legend(loc="upper right")
    left.set(xlabel="rank", ylabel="risk" if found.label is not None else "oddity", ylim=(0, None))
    if len(ranks) > 50:
        left.set_xscale("log")
    shown = found.importance.head(MOST_BARS)
    names = [verbatim(name if len(name) <= 34 else name[:33] + "…") for name in shown["feature"]][::-1]
    right.barh(range(len(names)), shown["share"].to_numpy()[::-1], color="#2b6cb0")
    right.set_yticks(range(len(names)), names, fontsize=8)
    right.set(xlabel="share of what features add to the score")
    return figure


def events_words(found: "RankedEntities") -> str:
    """What the ranking is, and how far it is to be trusted."""
    facts = found.facts
    size = f"{facts['entities']:,} entities with {facts['events']:,} events"
    if found.label is None:
        return (
            f"{size}, the oddest first: those whose behaviour lies farthest in the tails of all. Odd is not guilty; "
            "with labels (--label) the ranking learns what is meant."
        )
    return (
        f"{size}, those most like {found.label} {found.positive!r} first. {facts['positives']:,} of "
        f"{facts['labelled']:,} labelled entities have this label. Each was scored by forests that had not seen its "
        f"own: average precision {facts['average precision']:.3f}, by chance {facts['chance']:.3f}. Behaviour drifts: "
        "judge by a later log before you rely on it."
    )


def events_page(found: "RankedEntities", picture: bytes) -> str:
    """A page that holds the picture, the ranking with its reasons, and the features that matter."""
    table = found.table.head(MOST_ROWS)
    heads = [(name, dtype.is_numeric() and name != found.entity) for name, dtype in table.schema.items()]
    ranking = html_table(heads, ([_word(cell) for cell in row] for row in table.iter_rows()))
    rest = found.table.height - MOST_ROWS
    ranking += f"<p>{rest:,} further entities are in entities.csv.</p>" if rest > 0 else ""
    top = found.importance.head(MOST_FEATURES)
    features = html_table(
        [(name, dtype.is_numeric()) for name, dtype in top.schema.items()],
        ([_word(cell) for cell in row] for row in top.iter_rows()),
    )
    title = "Odd entities first" if found.label is None else f"Most like {found.positive} first"
    sections = {"Entities": ranking, "Features that add most": features}
    return plain_page(title, events_words(found), picture, sections, found.notes)


def _word(cell: object) -> str:
    return "" if cell is None else f"{cell:.3g}" if isinstance(cell, float) else str(cell)
