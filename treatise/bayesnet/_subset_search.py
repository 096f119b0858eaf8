"""Dynamic programming over all subsets of the variables (Silander & Myllymaki, 2006), for comparison."""

import numpy as np

from treatise.bayesnet._part_search import PartSearch
from treatise.bayesnet._set_lists import SetLists
from treatise.bayesnet._subset_loops import best_last, best_within

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
