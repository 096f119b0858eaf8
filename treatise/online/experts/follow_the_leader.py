"""Follow the leader: all weight on the expert with the smallest loss so far (JMLR 15:1281, Section 3)."""

import numpy as np

from treatise.online.experts._exponential_kernels import given_rates
from treatise.online.experts._game_statistics import GameStatistics
from treatise.online.experts._strategy import ExpertStrategy


class FollowTheLeader(ExpertStrategy):
    """All weight on the expert with the smallest cumulative loss; experts that tie share it.

    Hard to beat where one expert is best on average, as with independent rounds; arbitrarily bad where two experts
    take turns, so use :class:`FlipFlop`, which has the best of both. Ties are exact equality of the sums. A round
    costs O(n_experts).

    Examples
    --------
    >>> from treatise.online import FollowTheLeader
    >>> leader = FollowTheLeader().fit([[1.0, 0.0], [0.0, 1.0]])
    >>> leader.weights_
    array([0.5, 0.5])
    >>> leader.regret_
    0.5

    References
    ----------
    .. [1] Paper v15-1281, Section 3 and Lemma 10.
    """

    def _first_record(self, n_experts):
        return [n_experts]

    def _play_rounds(self, losses, history, course):
        rates = np.full(len(losses) + 1, np.inf)
        given_rates(losses, rates, self.excess_, self._record, self.weights_, history, course)

    def regret_bounds(self, losses):
        """The largest range times the number of rounds in which the leaders changed (Lemma 10).

        A round changes the leaders when some expert who led before it leads no more after it.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = self._matrix(losses)
        changes = np.count_nonzero(self.run(losses).gaps > 0.0)
        return {"Lemma 10": GameStatistics.of(losses).largest_range * changes}
