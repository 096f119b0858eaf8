"""What the tables say of a default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

POINTS = 0.02
FAR = 0.1


@dataclass(frozen=True)
class Verdict:
    """On how many tables a default loses more than two points to the estimator's own best setting.

    ``far`` counts those on which it is more than ten points behind the obvious estimator, which tells of a poor default
    where the search space has nothing better, or is empty.
    """

    lost: int
    judged: int
    far: int = 0

    @property
    def holds(self) -> bool:
        """Whether it was judged, and does not lose on most tables."""
        return 0 < self.judged >= 2 * self.lost

    def __str__(self) -> str:
        if not self.judged:
            return "not judged: no fit ended in time"
        parts = ["holds"] * self.holds
        if self.lost:
            parts.append(f"loses more than two points to its own best setting on {self.lost} of {self.judged} tables")
        if self.far:
            parts.append(f"more than ten points behind scikit-learn's on {self.far}")
        return "; ".join(parts)


def loses(row: Mapping[str, Any]) -> bool:
    """Whether a default falls behind on a table: by more than two points, or because it fails where others do not."""
    return row["best"] is not None and (row["default"] is None or row["best"] - row["default"] > POINTS)


def record(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One estimator's rows, each with whether it loses, and what they say of its default."""
    found = verdict(rows)
    about = {"estimator": rows[0]["estimator"], "paper": rows[0]["paper"]}
    tables = [{**row, "loses": loses(row)} for row in rows]
    return {**about, "holds": found.holds, "verdict": str(found), "tables": tables}


def verdict(rows: Sequence[Mapping[str, Any]]) -> Verdict:
    """Of one estimator's rows."""
    judged = [row for row in rows if row["default"] is not None or row["best"] is not None]
    return Verdict(sum(loses(row) for row in judged), len(judged), sum(_is_far_behind(row) for row in judged))


def _is_far_behind(row: Mapping[str, Any]) -> bool:
    return None not in (row["default"], row["obvious"]) and row["obvious"] - row["default"] > FAR
