"""The random backward search, and two plans for its batches: relevant features known in number, or searched for."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from treatise.selection.variable_elimination.schedule import EliminationSchedule, success_probability

SLACK = 1e-12
"""Rounding of a mean score: a rise of the loss by less is none."""
BAD_LUCK = 1e-7
"""Chance of so many failures in a row, were the number of relevant features right, at which to give up."""


@dataclass
class Trace:
    """Every subset that was fitted, in order: its size, the batch left out, the guess of r, its loss, and its fate."""

    sizes: list[int] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    guesses: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    accepted: list[bool] = field(default_factory=list)

    def add(self, size: int, batch: int, guess: int, loss: float, accepted: bool) -> None:
        """Note one more."""
        self.sizes.append(size)
        self.batches.append(batch)
        self.guesses.append(guess)
        self.losses.append(loss)
        self.accepted.append(accepted)


class KnownNumber:
    """Batches for r relevant features (Table 2 of the paper)."""

    def __init__(self, schedule: EliminationSchedule) -> None:
        self.schedule, self.guess, self.gave_up = schedule, schedule.n_relevant, False
        self.failures = 0

    def batch(self, n: int) -> int:
        """Features to leave out next of n; zero to stop."""
        return 0 if self.gave_up else int(self.schedule.batch_sizes[n])

    def note(self, n: int, k: int, accepted: bool) -> None:
        """Learn what became of a batch of k of n."""
        self.failures = 0 if accepted else self.failures + 1
        chance = success_probability(n, self.guess, k)
        # The paper goes on for ever where more features matter than it was told.
        self.gave_up = self.failures * math.log1p(-chance) < math.log(BAD_LUCK) if chance < 1.0 else not accepted

    def tried_each(self, n: int) -> bool:
        """Whether the search is over at its aim, once each single feature was found to matter."""
        return n == self.guess


class SearchedNumber:
    """Batches for a number of relevant features that is searched for on the way (Table 3 of the paper).

    The printed table has two slips, mended here: the first condition compares n, not r, with its least value, and the
    last one is that of going on, negated. Where the range is two neighbours, rounding the middle down would never leave
    the lower one: a failure there moves to the upper. At the end r is the number of features left, whichever way the
    range closed, and they are doubted one by one: so the fits are as many as in Table 4, and else there are fewer.
    """

    def __init__(
        self, schedule_of: Callable[[int, int], EliminationSchedule], least: int, most: int, c1: float, c2: float
    ) -> None:
        self.schedule_of, self.floor, self.c1, self.c2 = schedule_of, least, c1, c2
        self.schedules: dict[int, EliminationSchedule] = {}
        self.low, self.high, self.guess = least, most, (least + most) // 2
        self.successes = self.failures = 0
        self.over = False

    def batch(self, n: int) -> int:
        """Features to leave out next of n; zero to stop."""
        if self.over or n <= self.floor:
            return 0
        # With as many features left as are thought relevant, one of them is doubted.
        if self.guess >= n - 1:
            return 1
        if self.guess not in self.schedules:
            self.schedules[self.guess] = self.schedule_of(n, self.guess)
        return int(self.schedules[self.guess].batch_sizes[n])

    def note(self, n: int, k: int, accepted: bool) -> None:
        """Learn what became of a batch of k of n."""
        self.failures = 0 if accepted else self.failures + 1
        self.successes = self.successes + 1 if accepted else 0
        chance = success_probability(n, min(self.guess, n - 1), k)
        expected = (1.0 - chance) / chance
        too_many = self.failures >= max(1, math.ceil(self.c1 * expected))
        left = n - k if accepted else n
        if left <= self.low or (too_many and self.low >= self.high):
            self._settle(left)
        elif too_many:
            # Harder than expected: more features matter.
            self.low = self.guess if self.guess > self.low else self.high
            self._guess_anew()
        elif self.low < self.high and self.successes >= max(1.0, self.c2 * (self.guess - expected)):
            self.high = self.guess
            self._guess_anew()

    def _guess_anew(self) -> None:
        self.guess = (self.low + self.high) // 2
        self.successes = self.failures = 0

    def _settle(self, n: int) -> None:
        """All that is left is taken for relevant, and doubted one by one."""
        if self.low == self.high == self.guess == n:
            self.over = self.failures >= max(1, math.ceil(self.c1 * (n - 1)))
        else:
            self.low = self.high = self.guess = n
            self.successes = self.failures = 0

    def tried_each(self, n: int) -> bool:
        """Whether the search is over at its aim, once each single feature was found to matter."""
        return True


@dataclass(frozen=True)
class Elimination:
    """What is left, and how it came to that."""

    kept: np.ndarray
    best: np.ndarray
    """The subset of the least loss among those that were kept on the way; of equals the last, which is smallest."""
    trace: Trace
    end: str
    """``"done"``, ``"stuck"`` short of the known number, or ``"limit"``."""


def eliminate(
    loss_of: Callable[[np.ndarray], float], n_features: int, plan: KnownNumber | SearchedNumber,
    rng: np.random.RandomState, *, tolerance: float, from_best: bool, redraw: bool, max_fits: float = math.inf,
) -> Elimination:  # fmt: skip
    """Leave out random batches for as long as the loss does not rise.

    Parameters
    ----------
    loss_of : callable
        Loss of an array of feature numbers, in increasing order.
    from_best : bool
        Whether a loss is set beside the least one so far, and not beside that of the features kept now.
    redraw : bool
        Whether a single feature that was found to matter may be drawn again before another one went.
    """
    kept, trace = np.arange(n_features), Trace()
    loss = least = loss_of(kept)
    best = kept
    trace.add(n_features, 0, plan.guess, loss, True)
    singles = rng.permutation(n_features)
    while k := plan.batch(len(kept)):
        if len(trace.sizes) >= max_fits:
            return Elimination(kept, best, trace, "limit")
        if k == 1 and not redraw:
            if not len(singles):
                return Elimination(kept, best, trace, "done" if plan.tried_each(len(kept)) else "stuck")
            batch, singles = singles[-1:], singles[:-1]
        else:
            batch = rng.choice(len(kept), k, replace=False)
        n, guess, tried = len(kept), plan.guess, np.delete(kept, batch)
        new_loss = loss_of(tried)
        accepted = new_loss - (least if from_best else loss) <= tolerance + SLACK
        trace.add(len(tried), k, guess, new_loss, accepted)
        if accepted:
            kept, loss = tried, new_loss
            singles = rng.permutation(len(kept))
            if loss <= least:
                best, least = kept, loss
        plan.note(n, k, accepted)
    stuck = isinstance(plan, KnownNumber) and plan.gave_up
    return Elimination(kept, best, trace, "stuck" if stuck else "done")
