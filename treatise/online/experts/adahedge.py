"""AdaHedge: exponential weights that find their own learning rate (JMLR 15:1281, Section 2)."""

import numpy as np

from treatise.online.experts._exponential_loops import adahedge
from treatise.online.experts._game_statistics import GameStatistics
from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._strategy import ExpertStrategy


class AdaHedge(ExpertStrategy):
    """Exponential weights whose learning rate falls only as fast as the losses force it to.

    Nothing to tune: neither the number of rounds nor the range or the sign of the losses need be known, and the
    weights do not change when losses are scaled or shifted. First choice for weighting forecasters whose losses are
    all seen. Not for bandits, where only the chosen loss is seen, nor for a best expert that keeps changing. A round
    costs O(n_experts) time and memory.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import AdaHedge
    >>> losses = np.random.default_rng(0).random((1000, 5)) + [0.0, 0.1, 0.1, 0.1, 0.1]
    >>> play = AdaHedge().run(losses)
    >>> round(float(play.regret[-1]), 2)
    3.25
    >>> ada = AdaHedge().start(2)
    >>> for loss in ([1.0, 0.0], [1.0, 0.0], [0.0, 1.0]):
    ...     paid = ada.update(loss)
    >>> ada.weights_.round(3)
    array([0.255, 0.745])

    References
    ----------
    .. [1] Paper v15-1281, Equation 8 and Figure 1.
    """

    def _first_record(self, n_experts):
        return [0.0, 0.0, n_experts, 1.0]

    def _play_rounds(self, losses, history, course):
        adahedge(losses, self.excess_, self._record, self.weights_, history, course)

    def regret_bounds(self, losses):
        """The bounds of Lemma 3, Theorem 6, Theorem 8 and its corollaries.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = loss_matrix(losses)
        play, game = self.run(losses, keep_weights=True), GameStatistics.of(losses)
        above = losses - play.losses[:, None]
        variance = float(np.sum(play.weights * above**2))
        most, log_experts = game.largest_range, game.log_experts
        few, many = most * (4.0 / 3.0 * log_experts + 2.0), most * (16.0 / 3.0 * log_experts + 2.0)
        return {
            "Lemma 3": 2.0 * float(play.gaps.sum()),
            "Theorem 6": 2.0 * np.sqrt(variance * log_experts) + few,
            "Theorem 8": 2.0 * np.sqrt(most * game.spread * log_experts) + many,
            "Corollary 9, squared ranges": np.sqrt(game.squared_ranges * log_experts) + few,
            "Corollary 9, small losses": 2.0 * np.sqrt(most * game.above_lowest * log_experts) + many,
            "Corollary 9, large losses": 2.0 * np.sqrt(most * game.below_highest * log_experts) + many,
        }
