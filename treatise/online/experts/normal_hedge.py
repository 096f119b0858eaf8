"""NormalHedge (Chaudhuri, Freund & Hsu, 2009)."""

from treatise.online.experts._normal_hedge_loops import normal_hedge
from treatise.online.experts._strategy import ExpertStrategy


class NormalHedge(ExpertStrategy):
    """Weights from a normal potential of the regrets; experts ahead of which the learner is get none.

    Nothing to tune, excellent in practice, and good where many experts are nearly best; its guarantee is for
    quantiles of experts and is not computed here. Weights do not change when losses are scaled or shifted. A round
    costs O(n_experts) times the few steps of a one-dimensional search.

    Examples
    --------
    >>> from treatise.online import NormalHedge
    >>> normal = NormalHedge().fit([[1.0, 0.0, 0.5], [0.0, 0.3, 0.2]])
    >>> normal.weights_.round(3)
    array([0.   , 0.966, 0.034])

    References
    ----------
    .. [1] K. Chaudhuri, Y. Freund and D. Hsu, A parameter-free hedging algorithm, NIPS 2009. Compared with in
       paper v15-1281.
    """

    def _first_record(self, n_experts):
        return [0.0, 0.0]

    def _play_rounds(self, losses, history, course):
        normal_hedge(losses, self.excess_, self._record, self.weights_, history, course)
