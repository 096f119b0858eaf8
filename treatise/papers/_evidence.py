"""A published quantity set beside ours, with a verdict that follows from the numbers."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = float | int | str | bool | None


@dataclass(frozen=True)
class Row:
    """One quantity of a paper.

    Make one with :meth:`close`, :meth:`equal`, :meth:`at_most`, :meth:`at_least` or :meth:`unpublished`.
    ``gap`` is empty for a row that should be reached; else it says why it is not, and what was tried.
    """

    quantity: str
    published: Value
    here: Value
    tolerance: str
    verdict: str
    gap: str = ""

    @classmethod
    def close(cls, quantity: str, published: float, here: float, tolerance: float, why: str, gap: str = "") -> "Row":
        """Reached when ``here`` is within ``tolerance`` of the paper; ``why`` gives the tolerance's reason."""
        # A few rounding errors of slack: 0.95 - 0.94 is a little more than 0.01 in floating point.
        slack = 4 * math.ulp(max(abs(here), abs(published))) if math.isfinite(here) else 0.0
        reached = math.isfinite(here) and abs(here - published) <= tolerance + slack
        return cls(quantity, published, here, f"±{tolerance:g} ({why})", _verdict(reached), gap)

    @classmethod
    def equal(cls, quantity: str, published: Value, here: Value, gap: str = "") -> "Row":
        """Reached when both are the same."""
        return cls(quantity, published, here, "exact", _verdict(published == here), gap)

    @classmethod
    def at_most(cls, quantity: str, published: float, here: float, gap: str = "") -> "Row":
        """Reached when ``here`` does not exceed the paper's number (an error, a time, a count)."""
        return cls(quantity, published, here, "at most", _verdict(here <= published), gap)

    @classmethod
    def at_least(cls, quantity: str, published: float, here: float, gap: str = "") -> "Row":
        """Reached when ``here`` is no less than the paper's number (an accuracy)."""
        return cls(quantity, published, here, "at least", _verdict(here >= published), gap)

    @classmethod
    def unpublished(cls, quantity: str, here: Value) -> "Row":
        """A quantity that the paper shows without a number, or that is ours alone."""
        return cls(quantity, None, here, "", "no published number")

    @property
    def failed(self) -> bool:
        """Whether the row should have been reached and was not."""
        return self.verdict == "not reached" and not self.gap

    def plain(self) -> dict[str, Any]:
        """The row as plain data."""
        keys = ("quantity", "published", "here", "tolerance", "verdict", "gap")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True)
class Evidence:
    """What an experiment found: its rows, its figure, and what it had to leave out for want of data."""

    rows: list[Row]
    figure: "Figure | None" = None
    skipped: list[str] = field(default_factory=list)


def _verdict(reached: bool) -> str:
    return "reached" if reached else "not reached"
