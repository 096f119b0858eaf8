"""The arguments that a search varies: numbers in a range, by their logarithm or whole where asked for."""

import math
import re
from dataclasses import dataclass

from treatise._core.errors import TreatiseError

KINDS = ("log", "int")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Argument:
    """A number that a program takes: its name, its range, and whether it is whole or spans orders of magnitude."""

    name: str
    low: float
    high: float
    log: bool = False
    integer: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise TreatiseError(f"{self.name!r} is no name of an argument; take letters, digits and underscores")
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise TreatiseError(f"the bounds of {self.name} are {self.low:g} and {self.high:g}; give finite ones")
        if self.low >= self.high:
            raise TreatiseError(f"the bounds of {self.name} cross: {self.low:g} is not below {self.high:g}")
        if self.log and self.low <= 0:
            raise TreatiseError(f"{self.name} starts at {self.low:g}, which has no logarithm; start above 0")
        if self.integer and math.ceil(self.low) > math.floor(self.high):
            raise TreatiseError(f"there is no whole number between {self.low:g} and {self.high:g} for {self.name}")

    def at(self, share: float) -> float | int:
        """The value so far along the range, from 0 to 1; a whole one has as much of it as any other."""
        # Whole numbers have the span up to the next one each.
        low, high = (math.ceil(self.low), math.floor(self.high) + 1) if self.integer else (self.low, self.high)
        value = low * (high / low) ** share if self.log else low + share * (high - low)
        if self.integer:
            return min(max(math.floor(value), low), high - 1)
        return min(max(value, low), high)


def read_argument(text: str) -> Argument:
    """An argument from ``NAME=LOW:HIGH``, with ``:log`` or ``:int`` or both behind it.

    Examples
    --------
    >>> from treatise.search.commands import read_argument
    >>> round(read_argument("rate=1e-4:1:log").at(0.5), 6)
    0.01
    """
    name, equals, span = text.partition("=")
    low, *rest = span.split(":")
    kinds = rest[1:]
    try:
        bounds = float(low), float(rest[0])
    except (ValueError, IndexError):
        raise TreatiseError(f"{text!r} is no range of an argument; write NAME=LOW:HIGH, as in rate=0.001:1") from None
    unknown = [kind for kind in kinds if kind not in KINDS]
    if not equals or unknown:
        what = f"ends with {unknown[0]!r}" if unknown else "has no name"
        raise TreatiseError(f"{text!r} {what}; write NAME=LOW:HIGH, then :log or :int if need be")
    return Argument(name.strip(), *bounds, log="log" in kinds, integer="int" in kinds)
