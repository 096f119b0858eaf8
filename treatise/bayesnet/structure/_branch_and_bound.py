"""Branch and bound for the best acyclic choice of parent sets (JMLR 12:663, Section 5)."""

import time

import numpy as np

from treatise.bayesnet.structure._branch_loops import (
    BOTTOM_PLACE,
    CHOICE,
    HEAD,
    OPEN,
    PREVIOUS,
    SPARE,
    SPARE_LINKS,
    STATE,
    STEPS,
    TAIL,
    TOP,
    USED,
    WAITING,
    explore,
)
from treatise.bayesnet.structure._part_search import PartSearch
from treatise.bayesnet.structure._set_lists import SetLists

_STEPS_AT_ONCE, _STEPS_A_LOOK = 20_000, 500
_ROOM = 4096
_MOST_WAITING = 4_000_000
"""Cases that may wait (half a gigabyte) before the search turns to depth first."""


class BranchAndBound(PartSearch):
    """Splits the graphs that the best parent sets make by the ways of breaking a cycle, highest bound first.

    Parameters
    ----------
    lists, random_state
        As in :class:`PartSearch`.
    bottom_every : int
        Of so many cases one is taken from the bottom of the queue: small ones, likely to be acyclic.
    """

    def __init__(self, lists: SetLists, random_state: np.random.RandomState, bottom_every: int) -> None:
        super().__init__(lists, random_state)
        self._bottom_every = bottom_every
        self._marks = np.empty((2, len(lists), lists.masks.shape[1]), np.uint64)
        for vertex, (begin, end) in enumerate(zip(lists.starts, lists.starts[1:])):
            self._marks[0, vertex] = np.bitwise_and.reduce(lists.masks[begin:end])
            self._marks[1, vertex] = ~np.bitwise_or.reduce(lists.masks[begin:end])
        self._links, self._bounds = np.zeros((_ROOM, BOTTOM_PLACE + 1), np.int32), np.zeros(_ROOM)
        self._heaps = np.zeros((SPARE_LINKS + 1, _ROOM), np.int32)
        self._counters = np.zeros(STEPS + 1, np.int64)
        # The first case has no link above it and marks no arc.
        self._links[0, [PREVIOUS, TAIL, HEAD, CHOICE]], self._links[0, STATE] = -1, OPEN
        self._bounds[0], self._counters[[USED, WAITING]] = self.upper_bound, 1

    @property
    def bytes_a_case(self) -> float:
        """Memory in use for each case that waits."""
        bytes_a_link = sum(array[..., :1].nbytes for array in (self._bounds, self._heaps)) + self._links[0].nbytes
        return float(bytes_a_link * (self._counters[USED] - self._counters[SPARE]) / max(1, self._counters[WAITING]))

    def advance(self, seconds: float | None) -> None:
        started, target = time.perf_counter(), self.n_steps + _STEPS_AT_ONCE
        best, choice = np.array([self.score]), np.full(len(self.lists), -1, np.int64)
        while not self.finished and self.n_steps < target:
            short = explore(
                self.lists.starts, self.lists.masks, self.lists.scores, self._marks, self._links, self._bounds,
                self._heaps, self._counters, best, choice, self.slack, self._bottom_every, _MOST_WAITING, _STEPS_A_LOOK,
            )  # fmt: skip
            if short:
                self._links = np.concatenate([self._links, np.zeros_like(self._links)])
                self._bounds = np.concatenate([self._bounds, np.zeros_like(self._bounds)])
                self._heaps = np.concatenate([self._heaps, np.zeros_like(self._heaps)], axis=1)
            self.n_steps = int(self._counters[STEPS])
            self.take(best[0], choice.copy())
            waiting = self._bounds[self._heaps[TOP, 0]] if self._counters[WAITING] else -np.inf
            self.upper_bound = max(self.score, float(waiting))
            if seconds is not None and time.perf_counter() - started > seconds:
                return
