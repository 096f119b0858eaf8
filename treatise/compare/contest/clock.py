"""The time that a run has."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_source: list[Callable[[], float]] = [time.monotonic]


def now() -> float:
    """Seconds on the clock that budgets are kept by: that of the wall unless :func:`kept_by` says otherwise."""
    return _source[-1]()


@contextmanager
def kept_by(source: Callable[[], float]) -> Iterator[None]:
    """Keep the budgets of runs by another clock, such as one of processor time, for a measurement or a test.

    It must not go backwards, and stands still at most while nothing runs.
    """
    _source.append(source)
    try:
        yield
    finally:
        _source.remove(source)


@dataclass
class Clock:
    """Seconds of a budget: those spent in earlier sittings count."""

    budget: float
    spent_before: float = 0.0
    now: Callable[[], float] = field(default=now)

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
