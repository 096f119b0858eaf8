"""Factors: quantities with a low and a high level, and how coded levels become values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

CENTRE = "centre"


@dataclass(frozen=True)
class Factor:
    """A quantity that a design varies between a low level, coded -1, and a high one, coded +1.

    Parameters
    ----------
    low, high : float
        The two levels.
    log : bool, default=False
        Whether the levels are spread by their logarithm.
    integer : bool, default=False
        Whether values are rounded to whole numbers.
    limits : (float, float), default=(-inf, inf)
        Values that are never left, however far a search may go beyond the levels.
    default : object, default="centre"
        Value where the factor is not varied; ``"centre"`` is the middle of the levels. It need not be a number.
    choices : tuple, default=()
        Values in their order, for a factor that is no number; the levels are then the first and the last.

    Examples
    --------
    >>> from treatise.search import Factor
    >>> cost = Factor(0.01, 100.0, log=True)
    >>> [round(cost.at(x), 3) for x in (-1, 0, 0.5, 2)]
    [0.01, 1.0, 10.0, 10000.0]
    >>> Factor.of(["gini", "entropy", "log_loss"]).at(0.1)
    'entropy'
    """

    low: float
    high: float
    log: bool = False
    integer: bool = False
    limits: tuple[float, float] = (-math.inf, math.inf)
    default: Any = CENTRE
    choices: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not all(_is_number(value) and math.isfinite(value) for value in (self.low, self.high)):
            raise ValueError(f"the levels {self.low!r} and {self.high!r} must be finite numbers")
        if not self.low < self.high:
            raise ValueError(f"the low level {self.low!r} is not below the high level {self.high!r}")
        if self.log and self.low <= 0:
            raise ValueError(f"the low level {self.low!r} has no logarithm; give one above 0")
        if self.integer and math.ceil(self.low) >= math.floor(self.high):
            raise ValueError(f"there are no two whole numbers from {self.low!r} to {self.high!r}")
        if not (self.limits[0] <= self.low and self.high <= self.limits[1]):
            raise ValueError(f"the levels {self.low!r} and {self.high!r} lie outside of the limits {self.limits}")

    @classmethod
    def of(cls, levels: Any) -> "Factor":
        """A factor from what a user writes.

        Parameters
        ----------
        levels : Factor, tuple, list or array
            ``(low, high)``, with ``"log"``, ``"int"`` or both behind, or a list of choices in a sensible order; an
            array is a list.
        """
        if isinstance(levels, Factor):
            return levels
        if isinstance(levels, np.ndarray) and levels.ndim == 1:
            levels = levels.tolist()
        if isinstance(levels, list):
            if len(levels) < 2:
                raise ValueError(f"{levels!r} leaves nothing to choose; give two values or more")
            return cls(0, len(levels) - 1, integer=True, limits=(0, len(levels) - 1), choices=tuple(levels))
        if not isinstance(levels, tuple) or len(levels) < 2:
            raise ValueError(f"{levels!r} are no levels; write (low, high), (low, high, 'log', 'int') or [a, b, c]")
        low, high, *kinds = levels
        unknown = [kind for kind in kinds if kind not in ("log", "int", "linear")]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no kind of level; write 'log', 'int' or both behind (low, high)")
        return cls(low, high, log="log" in kinds, integer="int" in kinds)

    def at(self, coded: float) -> Any:
        """The value at a coded level."""
        if self.log:
            centre, half = math.log(self.low * self.high) / 2, math.log(self.high / self.low) / 2
            value = math.exp(min(centre + half * coded, 700.0))
        else:
            value = (self.low + self.high) / 2 + (self.high - self.low) / 2 * coded
        # The levels themselves are exact.
        value = self.low if coded == -1 else self.high if coded == 1 else value
        value = min(max(value, self.limits[0]), self.limits[1])
        if self.integer:
            value = math.floor(value + 0.5)  # 7.5 is 8, as in Figure 10 of the paper
            value += value < self.limits[0]
            value -= value > self.limits[1]
        return self.choices[int(value)] if self.choices else int(value) if self.integer else float(value)

    @property
    def usual(self) -> Any:
        """The value where the factor is not varied."""
        return self.at(0.0) if isinstance(self.default, str) and self.default == CENTRE else self.default

    def coded(self, value: Any) -> float:
        """The coded level of a value; NaN for one that is none, such as ``"auto"``."""
        if self.choices:
            value = next((i for i, choice in enumerate(self.choices) if _same(choice, value)), None)
        if not _is_number(value) or (self.log and value <= 0):
            return math.nan
        if self.log:
            return (2 * math.log(value) - math.log(self.low * self.high)) / math.log(self.high / self.low)
        return (2 * value - self.low - self.high) / (self.high - self.low)

    @property
    def coded_limits(self) -> tuple[float, float]:
        """The limits as coded levels."""
        low, high = self.limits
        if self.choices:
            return -1.0, 1.0
        return (
            self.coded(low) if math.isfinite(low) and (low > 0 or not self.log) else -math.inf,
            self.coded(high) if math.isfinite(high) else math.inf,
        )


def read_factors(factors: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> dict[str, Factor]:
    """Factors by name, each with its default where one is known."""
    if not isinstance(factors, Mapping) or not factors:
        raise ValueError("factors must be a dictionary of names and levels, as {'C': (0.01, 100, 'log')}, not empty")
    found = {}
    for name, levels in factors.items():
        try:
            factor = Factor.of(levels)
        except ValueError as wrong:
            raise ValueError(f"factor {name!r}: {wrong}") from None
        if defaults is not None and isinstance(factor.default, str) and factor.default == CENTRE and name in defaults:
            factor = replace(factor, default=defaults[name])
        found[name] = factor
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _same(choice: Any, value: Any) -> bool:
    try:
        return choice is value or (type(choice) is type(value) and bool(choice == value))
    except (TypeError, ValueError):
        return False
