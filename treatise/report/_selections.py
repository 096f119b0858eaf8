"""Selectors: which columns they keep, and in how many of the folds."""

from collections.abc import Sequence
from typing import Any

from treatise.report._bars import share_bar
from treatise.report.explained import Selection


def selections_view(selections: Sequence[Selection]) -> list[dict[str, Any]]:
    """For each selector a sentence on its stability, and its columns with a bar for the share of folds."""
    return [
        {
            "label": each.label,
            "words": _words(each),
            "unlisted": each.ever_kept - len(each.columns),
            "rows": [
                {
                    "column": row.column,
                    "share": f"{row.share:.0%}",
                    "figure": share_bar(row.share, f"kept in {row.share:.0%} of the folds"),
                }
                for row in each.columns
            ],
        }
        for each in selections
    ]


def _words(selection: Selection) -> str:
    kept = f"Keeps {selection.kept:.3g} of {selection.offered:,} columns on average over {selection.folds} folds"
    if selection.stability is None:
        return f"{kept}, always all of them or none."
    interval = "" if selection.low is None else f", 95 % interval {selection.low:.2f} to {selection.high:.2f}"
    return f"{kept}; stability {selection.stability:.2f}{interval} (1: always the same columns, 0: as if by chance)."
