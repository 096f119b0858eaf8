"""The time that a run has."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Clock:
    """Seconds of a budget: those spent in earlier sittings count."""

    budget: float
    spent_before: float = 0.0
    now: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.start = self.now()

    @property
    def elapsed(self) -> float:
        """Seconds spent, earlier sittings included."""
        return self.spent_before + self.now() - self.start

    @property
    def left(self) -> float:
        """Seconds until the budget is used up."""
        return self.budget - self.elapsed
