"""Several targets: how well each is predicted."""

from collections.abc import Sequence
from typing import Any

from treatise.report._bars import share_bar
from treatise.report.record import TargetScore


def targets_view(scores: Sequence[TargetScore]) -> dict[str, Any] | None:
    """A row for each target, the best predicted first, with a bar as long as its score."""
    if not scores:
        return None
    rows = [
        {
            "target": each.target,
            "score": f"{each.score:.4f}",
            "interval": "" if each.low is None or each.high is None else f"{each.low:.4f} to {each.high:.4f}",
            "figure": share_bar(min(1.0, max(0.0, each.score)), f"{each.measure} {each.score:.4f}"),
        }
        for each in sorted(scores, key=lambda each: -each.score)
    ]
    return {"measure": scores[0].measure, "rows": rows}
