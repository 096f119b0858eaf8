"""What every search for the best network of one part of a problem offers, and where all of them start."""

from abc import ABC, abstractmethod

import numpy as np

from treatise.bayesnet.structure._order_loops import choose_for_order, search_orders
from treatise.bayesnet.structure._set_lists import SetLists

_KICKS, _SWAPS = 50, 3


class PartSearch(ABC):
    """The best network of a part so far, and a bound on what is possible.

    Starts from orders of the variables: the best parent sets for an order are quickly found (Section 5 of JMLR 12:663),
    and an order is improved by moving variables, from a random one on.

    Parameters
    ----------
    lists : SetLists
        Parent sets.
    random_state : RandomState
        For the orders.

    Attributes
    ----------
    score : float
        Of the best network known; -inf while there is none.
    choice : ndarray of int64
        Its parent sets, as rows of ``lists``.
    upper_bound : float
        No network of this part scores more.
    slack : float
        A bound that exceeds the score by no more proves it to be the best.
    """

    relative_slack = 1e-10

    def __init__(self, lists: SetLists, random_state: np.random.RandomState) -> None:
        self.lists, self._random = lists, random_state
        self._order = random_state.permutation(len(lists)).astype(np.int64)
        self.score, self.choice = -np.inf, np.full(len(lists), -1, np.int64)
        self.upper_bound = float(lists.scores[lists.starts[:-1]].sum())
        self.slack = self.relative_slack * max(1.0, abs(self.upper_bound))
        self.n_steps = 0
        self.try_order(self._order)

    @property
    def finished(self) -> bool:
        """Whether the best network is proved to be the best."""
        return self.upper_bound <= self.score + self.slack

    @abstractmethod
    def advance(self, seconds: float | None) -> None:
        """Work for a while, on one processor, and for no more than so many seconds if they are given."""

    def try_order(self, order: np.ndarray) -> bool:
        """Improve an order, and keep its network if it is better; returns whether it was."""
        lists, n = self.lists, len(self.lists)
        swaps = self._random.randint(n, size=(_KICKS, _SWAPS, 2))
        order = search_orders(lists.starts, lists.masks, lists.scores, order, swaps)
        choice = np.full(n, -1, np.int64)
        score = choose_for_order(lists.starts, lists.masks, lists.scores, order, choice)
        return self.take(score, choice)

    def take(self, score: float, choice: np.ndarray) -> bool:
        """Keep a network if it is better than the best known."""
        if score > self.score:
            self.score, self.choice = float(score), choice
            return True
        return False
