"""Coordinate ascent of the bound, and merges of segments that lift it over a valley.

From k-means with all sticks, ascent alone ends with several sticks for one segment: each step that would join them
lowers the bound before it raises it. A merge is tried outright, with a few cycles to settle, and kept if the bound is
higher than before.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from typing import NamedTuple

import numpy as np

from treatise.bayes.stick_breaking._atoms import Atoms
from treatise.bayes.stick_breaking._sticks import Sticks

_TRIAL_CYCLES = 20
"""After ten, some merges that raise the bound by tens of nats in the end still lie below it."""
_MOST_TRIALS = 4
"""Merges that may fail, the most promising first, before the search ends."""
_CYCLES_BETWEEN_WIDTHS = 5
LEAST_ROWS = 0.5
"""Sticks with fewer rows in all are empty."""


class Widths(NamedTuple):
    """How kernel widths are chosen: ``"map"``, ``"sample"`` or ``"fixed"``, with what draws them."""

    update: str
    rng: np.random.Generator


class Climber(metaclass=ABCMeta):
    """A variational posterior that climbs its bound."""

    n_cycles = 0
    widths: Widths

    @abstractmethod
    def cycle(self) -> float:
        """Update all factors once; gives the bound."""

    @abstractmethod
    def n_used(self) -> int:
        """Segments that have rows."""

    @abstractmethod
    def merged(self) -> Iterator["Climber"]:
        """Copies with two segments made one, the most promising first."""


def widths_are_due(model: Climber) -> bool:
    """Whether this cycle chooses widths anew."""
    return model.widths.update != "fixed" and model.n_cycles % _CYCLES_BETWEEN_WIDTHS == 0


class Climb(NamedTuple):
    """Where a climb ended."""

    model: "Climber"
    trace: list[float]
    converged: bool


def climb(model: Climber, max_iter: int, least_rise: float, advance: Callable[[int], None]) -> Climb:
    """Cycles until one raises the bound by less than ``least_rise``."""
    trace = [model.cycle()]
    advance(1)
    while len(trace) < max_iter:
        trace.append(model.cycle())
        advance(1)
        if trace[-1] - trace[-2] < least_rise:
            return Climb(model, trace, True)
    return Climb(model, trace, False)


def climb_with_merges(model: Climber, max_iter: int, least_rise: float, advance: Callable[[int], None]) -> Climb:
    """A climb, merges as long as any raises the bound, and a climb from there.

    The trace is that of the way kept; a merge stands in it with the bound after its trial.
    """
    found = climb(model, max(max_iter // 4, 1), least_rise, advance)
    model, trace = found.model, found.trace
    while (better := _better_merge(model, trace[-1], least_rise, advance)) is not None:
        model = better.model
        trace.append(better.trace[-1])
    last = climb(model, max_iter, least_rise, advance)
    return Climb(last.model, trace + last.trace, last.converged)


def _better_merge(model, bound, least_rise, advance):
    for trial, candidate in enumerate(model.merged()):
        if trial == _MOST_TRIALS:
            return None
        found = climb(candidate, _TRIAL_CYCLES, least_rise, advance)
        # Rows may flow back to a stick that was emptied: then the cycles raised the bound, and the merge did not.
        if found.trace[-1] > bound and found.model.n_used() < model.n_used():
            return found
    return None


class OneSet(Climber):
    """Segments of one data set.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, d)
        Features.
    atoms : Atoms
        Their distributions in the segments.
    sticks : Sticks
        Where the segments are.
    shares : ndarray of shape (n_rows, n_sticks)
        Of the rows in each segment, at first.
    widths : Widths
        How kernel widths are chosen.
    """

    def __init__(self, Y: np.ndarray, atoms: Atoms, sticks: Sticks, shares: np.ndarray, widths: Widths) -> None:
        self.Y, self.atoms, self.sticks, self.shares, self.widths = Y, atoms, sticks, shares, widths
        self.sticks.believe(shares)

    def cycle(self):
        """Atoms, regressions and shares by turns; the bound after."""
        self.n_cycles += 1
        self.atoms.update(self.Y, self.shares)
        if widths_are_due(self):
            self.sticks.choose_widths(self.shares, self.widths.rng if self.widths.update == "sample" else None)
        self.sticks.learn(self.shares)
        self.shares, rows = self.sticks.assign(self.atoms.log_likelihood(self.Y))
        return rows - float(self.atoms.penalty.sum()) - self.sticks.penalty()

    def n_used(self):
        """Segments that have rows."""
        return len(used_columns(self.shares))

    def merged(self):
        """Copies with the later of two segments joined to the earlier, by what the rows' evidence gains."""
        for first, second in pairs_by_evidence(self.atoms, self.Y, self.shares):
            other = copy(self)
            shares = self.shares.copy()
            shares[:, first] += shares[:, second]
            shares = np.hstack([np.delete(shares, second, axis=1), np.zeros((len(shares), 1))])
            other.atoms, other.sticks, other.shares = copy(self.atoms), self.sticks.without([second]), shares
            yield other


def used_columns(shares: np.ndarray) -> np.ndarray:
    """Segments that have rows, by their shares."""
    return np.flatnonzero(shares.sum(axis=0) > LEAST_ROWS)


def pairs_by_evidence(atoms: Atoms, Y: np.ndarray, shares: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of segments with rows, those first whose rows lose the least evidence as one."""
    used = used_columns(shares)
    pairs = [(int(i), int(j)) for at, i in enumerate(used) for j in used[at + 1 :]]
    if not pairs:
        return []
    trial = copy(atoms)
    trial.update(Y, shares)
    apart = trial.evidence
    trial.update(Y, np.column_stack([shares[:, i] + shares[:, j] for i, j in pairs]))
    gain = trial.evidence - np.array([apart[i] + apart[j] for i, j in pairs])
    return [pairs[at] for at in np.argsort(-gain, kind="stable")]
