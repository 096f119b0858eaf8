"""Follow the leader: all weight on the expert with the smallest loss so far (JMLR 15:1281, Section 3)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.online.experts._exponential_loops import given_rates
from treatise.online.experts._game_statistics import GameStatistics
from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._strategy import ExpertStrategy


class FollowTheLeader(ExpertStrategy):
    """All weight on the expert with the smallest cumulative loss; experts that tie share it.

    Hard to beat where one expert is best on average, as with independent rounds; arbitrarily bad where two experts
    take turns, so use :class:`FlipFlop`, which has the best of both. A round costs O(n_experts).

    Parameters
    ----------
    tolerance : float, default=0.0
        How far behind the smallest cumulative loss an expert still ties. Zero, the paper's, suits losses whose sums
        are exact, such as 0 and 1; with others, 0.1 say, rounding breaks ties that a tolerance of 1e-9 keeps.

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

    _parameter_constraints = {"tolerance": [Interval(Real, 0, None, closed="left")]}

    def __init__(self, tolerance=0.0):
        self.tolerance = tolerance

    def _first_record(self, n_experts):
        return [n_experts]

    def _play_rounds(self, losses, history, course):
        rates = np.full(len(losses) + 1, np.inf)
        given_rates(losses, rates, float(self.tolerance), self.excess_, self._record, self.weights_, history, course)

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
        losses = loss_matrix(losses)
        changes = np.count_nonzero(self.run(losses).gaps > 0.0)
        return {"Lemma 10": GameStatistics.of(losses).largest_range * changes}
