"""Counting rows: kinds apart, and of each what was reached."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from treatise.papers._evidence import Kind, Row, Verdict


@dataclass(frozen=True)
class Tally:
    """How many rows of one kind came out how; what was not reached is ``missed`` or ``uncertain``."""

    rows: int = 0
    reached: int = 0
    missed: int = 0
    uncertain: int = 0
    failed: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        mine, theirs = asdict(self), asdict(other)
        return Tally(**{name: mine[name] + theirs[name] for name in mine})


def tally(rows: Iterable[Row]) -> dict[Kind, Tally]:
    """The count of each kind, zero where there is none."""
    counts = {kind: Tally() for kind in Kind}
    for row in rows:
        counts[row.kind] += Tally(
            rows=1,
            reached=row.verdict is Verdict.REACHED,
            missed=row.verdict is Verdict.MISSED,
            uncertain=row.verdict is Verdict.UNCERTAIN,
            failed=row.failed,
        )
    return counts
