"""FlipFlop: follow the leader if you can, hedge if you must (JMLR 15:1281, Section 3)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.online.experts._exponential_loops import flipflop
from treatise.online.experts._game_statistics import GameStatistics
from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._strategy import ExpertStrategy
from treatise.online.experts.follow_the_leader import FollowTheLeader


class FlipFlop(ExpertStrategy):
    """Switches between following the leader and AdaHedge, and is never much worse than either.

    Its regret is at most 5.64 times that of :class:`FollowTheLeader` plus 3.73 ranges, and at most 2.82 times the
    worst-case bound of :class:`AdaHedge` to leading order. Choose it over AdaHedge where one expert is probably
    best all along; where losses are truly adversarial AdaHedge has the smaller constant. A round costs O(n_experts).

    Parameters
    ----------
    phi : float, default=2.37
        How much larger each spell of a regime may grow; more than one.
    alpha : float, default=1.243
        How large the gap of hedging may grow, as a multiple of that of following. Both defaults are the paper's.
    tolerance : float, default=0.0
        How far behind the smallest cumulative loss an expert still ties with the leader, where it is followed.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import AdaHedge, FlipFlop
    >>> losses = np.array([[1.0, 0.0], [1.0, 0.0]] + [[0.0, 1.0], [1.0, 0.0]] * 499)
    >>> round(float(AdaHedge().run(losses).regret[-1]), 2), float(FlipFlop().run(losses).regret[-1])
    (13.38, 0.5)

    References
    ----------
    .. [1] Paper v15-1281, Definition 11, Figure 2, Theorem 15 and Corollary 16.
    """

    _parameter_constraints = {
        "phi": [Interval(Real, 1, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, phi=2.37, alpha=1.243, *, tolerance=0.0):
        self.phi = phi
        self.alpha = alpha
        self.tolerance = tolerance

    def _first_record(self, n_experts):
        return [0.0, 0.0, n_experts, 0.0]

    def _play_rounds(self, losses, history, course):
        flipflop(
            losses, float(self.phi), float(self.alpha), float(self.tolerance), self.excess_, self._record,
            self.weights_, history, course,
        )  # fmt: skip

    def regret_bounds(self, losses):
        """The two bounds of Theorem 15: against following the leader, and in the worst case.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = loss_matrix(losses)
        game, log_experts = GameStatistics.of(losses), np.log(losses.shape[1])
        phi, alpha, most = self.phi, self.alpha, game.largest_range
        leader = float(FollowTheLeader(self.tolerance).run(losses).gaps.sum())
        grown = phi / (phi - 1.0)
        c1 = grown + phi / alpha + 2.0
        rest = c1 * most * ((c1 + 2.0 / 3.0) * log_experts + np.sqrt(log_experts) + 1.0) + most
        return {
            "Theorem 15, leader": (grown * alpha + 2.0 * alpha + 1.0) * leader + most * (grown + 2.0),
            "Theorem 15, worst case": c1 * np.sqrt(most * game.spread * log_experts) + rest,
        }
