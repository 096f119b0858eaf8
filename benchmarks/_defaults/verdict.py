"""What the tables say of a default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

POINTS = 0.02


@dataclass(frozen=True)
class Verdict:
    """On how many tables a default loses more than two points to the estimator's own best setting."""

    lost: int
    judged: int

    @property
    def holds(self) -> bool:
        """Whether it does not lose on most of them."""
        return 2 * self.lost <= self.judged

    def __str__(self) -> str:
        if not self.judged:
            return "not judged: no fit ended in time"
        loses = f"loses more than two points to its own best setting on {self.lost} of {self.judged} tables"
        return loses if not self.holds else f"holds; {loses}" if self.lost else "holds"


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
    return Verdict(sum(loses(row) for row in judged), len(judged))
