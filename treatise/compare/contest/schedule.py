"""Who runs next: every method once before any runs twice, and all within the budget.

The schedule sees nothing but candidates, the size of the data and records; whoever wants another order of folds
replaces this class.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from treatise.compare.candidates import Candidate
from treatise.compare.inputs import Size
from treatise.report.record import FoldRecord, LeaderboardEntry

MOST_REPEATS = 10
# Shares of the budget: what tuning may take of one pass over the folds, and the least and most that the end keeps.
TUNING_SHARE = 0.4
ENDING_SHARE_LEAST = 0.03
ENDING_SHARE_MOST = 0.35
ENDING_SECONDS = 2.5
LEAST_SECONDS = 1.0


@dataclass
class Clock:
    """The time a run has: seconds spent in earlier sittings count."""

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


@dataclass
class Schedule:
    """The order of folds, the time each may take, and when to stop."""

    clock: Clock
    candidates: list[Candidate]
    k: int
    jobs: int

    def __post_init__(self) -> None:
        self.durations: dict[str, list[float]] = {}
        self.best_fit_seconds = 0.0
        passes = max(1, len(self.candidates)) * self.k
        self.tuning_seconds = TUNING_SHARE * max(0.0, self.clock.left) * self.jobs / passes

    def saw(self, records: Iterable[FoldRecord], board: Sequence[LeaderboardEntry]) -> None:
        """Hear of folds that were done, now or in an earlier sitting, and of the board after them."""
        for record in records:
            self.durations.setdefault(record.key, []).append(record.seconds)
        if board:
            self.best_fit_seconds = board[0].fit_seconds or 0.0

    @property
    def ending_seconds(self) -> float:
        """What the final fit, the feature effects and the report will take, as far as it can be told."""
        least = ENDING_SECONDS + ENDING_SHARE_LEAST * self.clock.budget
        wanted = least + self.tuning_seconds + 2.5 * self.best_fit_seconds
        return min(wanted, max(least, ENDING_SHARE_MOST * self.clock.budget))

    @property
    def folds_left(self) -> float:
        """Seconds until no fold may run any more."""
        return self.clock.left - self.ending_seconds

    def expected(self, key: str) -> float | None:
        """Seconds that a fold of a method takes, from those it had."""
        seen = self.durations.get(key)
        return sum(seen) / len(seen) if seen else None

    def waves(self) -> Iterator[tuple[int, int]]:
        """Repeats and folds in the order in which every method takes them."""
        for repeat in range(MOST_REPEATS):
            for fold in range(self.k):
                yield repeat, fold

    def staying(self, running: list[Candidate], board: Sequence[LeaderboardEntry]) -> list[Candidate]:
        """Who goes on after a whole repeat: methods that are behind beyond chance leave their time to the others."""
        beaten = {entry.key for entry in board if entry.standing == "behind"}
        left = [c for c in running if c.key not in beaten]
        return left if len(left) > 1 else []

    def turns(self, waiting: list[Candidate], size: Size) -> Iterator[tuple[Candidate, float]]:
        """The methods of one wave with the seconds each may take, until the time is up.

        In the first wave the cheapest come first and whoever comes shares the time left evenly with those
        still waiting, so that none is left without a turn. Later the longest come first, which leaves the
        fewest idle at the wave's end, and one that would not finish in time is passed over.
        """
        new = [c for c in waiting if self.expected(c.key) is None]
        known = [c for c in waiting if self.expected(c.key) is not None]
        new.sort(key=lambda c: (c.compare.seconds.at(*size), c.key))
        known.sort(key=lambda c: (-(self.expected(c.key) or 0.0), c.key))
        for place, candidate in enumerate(new):
            share = self.folds_left * min(1.0, self.jobs / (len(new) - place))
            if self.folds_left <= 0:
                return
            yield candidate, max(LEAST_SECONDS, share)
        for candidate in known:
            if self.folds_left > (self.expected(candidate.key) or 0.0):
                yield candidate, self.folds_left

    def estimate_left(self, running: list[str]) -> float:
        """Seconds until the end: all folds that are planned, or the budget if it ends sooner."""
        waiting = [MOST_REPEATS * self.k - len(self.durations.get(key, ())) for key in running]
        work = sum(folds * (self.expected(key) or 0.0) for key, folds in zip(running, waiting))
        return max(0.0, min(self.clock.left, work / self.jobs + self.ending_seconds))
