"""Dynamic programming over all subsets of the variables (Silander & Myllymaki, 2006), for comparison."""

import numpy as np

from treatise._core.jit import compiled
from treatise.bayesnet.structure._part_search import PartSearch
from treatise.bayesnet.structure._set_lists import SetLists

MOST_VARIABLES = 22
"""Variables of one part: at 22 the tables take 400 MB."""


class SubsetSearch(PartSearch):
    """The best network, all at once: O(n^2 2^n) time and O(n 2^n) memory, whatever the scores.

    Parameters
    ----------
    lists, random_state
        As in :class:`PartSearch`; at most ``MOST_VARIABLES`` variables.
    """

    def __init__(self, lists: SetLists, random_state: np.random.RandomState) -> None:
        if len(lists) > MOST_VARIABLES:
            raise ValueError(
                f"{len(lists)} variables can form cycles with one another, and dynamic programming over their subsets "
                f"takes at most {MOST_VARIABLES}; use method='cutting-planes' or 'branch-and-bound'"
            )
        super().__init__(lists, random_state)

    def advance(self, seconds: float | None) -> None:
        lists, n = self.lists, len(self.lists)
        within = np.empty((n, 1 << n), np.int32)
        for vertex in range(n):
            best_within(lists.starts, lists.masks, vertex, n, within[vertex])
        best, last = np.empty(1 << n), np.empty(1 << n, np.int8)
        best_last(n, within, lists.scores, best, last)
        self.n_steps += 1 << n
        if np.isfinite(best[-1]):
            choice, left = np.empty(n, np.int64), (1 << n) - 1
            while left:
                vertex = int(last[left])
                left ^= 1 << vertex
                choice[vertex] = within[vertex, left]
            self.take(float(best[-1]), choice)
        self.upper_bound = self.score


@compiled
def best_within(starts, masks, vertex, n, out):
    """For every set of variables, the best parent set of a vertex inside it (its number, -1 for none).

    Best sets come first, so that a set's own number and those of its subsets compare by being smaller.
    """
    for subset in range(1 << n):
        out[subset] = -1
    for at in range(starts[vertex + 1] - 1, starts[vertex] - 1, -1):
        out[np.int64(masks[at, 0])] = at
    for member in range(n):
        bit = 1 << member
        for subset in range(1 << n):
            if subset & bit:
                without = out[subset ^ bit]
                if without >= 0 and (out[subset] < 0 or without < out[subset]):
                    out[subset] = without


@compiled
def best_last(n, choices, scores, best, last):
    """Best network over every set of variables, by its last variable in some order: O(n 2^n).

    ``choices[v]`` is what :func:`best_within` gave for v; ``last[S]`` gets the variable that comes last in S.
    """
    best[0] = 0.0
    for subset in range(1, 1 << n):
        best[subset], last[subset] = -np.inf, -1
        for vertex in range(n):
            bit = 1 << vertex
            if subset & bit:
                at = choices[vertex, subset ^ bit]
                if at >= 0 and best[subset ^ bit] + scores[at] > best[subset]:
                    best[subset], last[subset] = best[subset ^ bit] + scores[at], vertex
