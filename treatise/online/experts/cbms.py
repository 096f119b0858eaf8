"""The variance-tuned rate of Cesa-Bianchi, Mansour and Stoltz (2007), which AdaHedge refines."""

import numpy as np

from treatise._core.invariants import within
from treatise.online.experts._exponential_loops import variance_tuned
from treatise.online.experts._strategy import ExpertStrategy


class CBMSHedge(ExpertStrategy):
    """Exponential weights tuned by the variance of the losses under them; a rival of :class:`AdaHedge`.

    Here to compare with: it behaves much like AdaHedge and has the larger constant in its bound. Its weights are
    invariant to shifts of the losses, but to scalings by powers of two only. A round costs O(n_experts).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import CBMSHedge
    >>> losses = np.random.default_rng(0).random((1000, 5)) + [0.0, 0.1, 0.1, 0.1, 0.1]
    >>> bool(CBMSHedge().run(losses).regret[-1] < 10)
    True

    References
    ----------
    .. [1] N. Cesa-Bianchi, Y. Mansour and G. Stoltz, Improved second-order bounds for prediction with expert
       advice, Machine Learning 66, 2007, Equation 16. Compared with in paper v15-1281.
    """

    def _first_record(self, n_experts):
        return [0.0, 0.0, n_experts]

    def _invariants(self):
        yield "the range and the variance that were seen are finite", within(self._record[:2], 0.0, np.inf)

    def _play_rounds(self, losses, history, course):
        variance_tuned(losses, self.excess_, self._record, self.weights_, history, course)
