"""Variation MW (Hazan & Kale, 2008): multiplicative weights with a second-order correction."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.online.experts._exponential_loops import variation_weights
from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._strategy import ExpertStrategy


def largest_variation(losses):
    """The largest variance, times the round, of the expert who leads then: VAR^max (JMLR 15:1281, Section 1.2).

    Parameters
    ----------
    losses : array-like of shape (n_rounds, n_experts)
        Loss of every expert in every round.

    Returns
    -------
    variation : float
        max_t sum_{s <= t} (loss_s - mean_t)^2 of the expert with the smallest cumulative loss after round t.

    Examples
    --------
    >>> from treatise.online import largest_variation
    >>> largest_variation([[1.0, 0.0], [1.0, 1.0]])
    0.5
    """
    losses = loss_matrix(losses)
    n_rounds = np.arange(1, len(losses) + 1)
    # Subtracting the first row costs no exactness of the deviations and saves digits of the sums.
    shifted = losses - losses[:1]
    deviation = np.cumsum(shifted**2, axis=0) - np.cumsum(shifted, axis=0) ** 2 / n_rounds[:, None]
    leader = np.argmin(np.cumsum(losses - losses.min(axis=1, keepdims=True), axis=0), axis=1)
    return float(np.max(deviation[n_rounds - 1, leader], initial=0.0))


class VariationMW(ExpertStrategy):
    """Exponential weights that also charge an expert for how much its losses vary.

    Its regret grows with the variation of the best expert's losses rather than with the rounds, but that variation
    must be known beforehand; a rival to compare :class:`AdaHedge` with. Losses should lie between 0 and 1. A round
    costs O(n_experts).

    Parameters
    ----------
    variation : float, default=0.0
        Upper limit of the variation of the best expert (:func:`largest_variation`); the rate is
        min(sqrt(log K / (4 variation)), 1/10).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import VariationMW, largest_variation
    >>> losses = np.random.default_rng(0).random((1000, 5))
    >>> strategy = VariationMW(variation=largest_variation(losses))
    >>> bool(strategy.run(losses).regret[-1] <= strategy.regret_bounds(losses)["Hazan and Kale, Theorem 4"])
    True

    References
    ----------
    .. [1] E. Hazan and S. Kale, Extracting certainty from uncertainty: regret bounded by variation in costs,
       COLT 2008, Theorem 4. Compared with in paper v15-1281.
    """

    _parameter_constraints = {"variation": [Interval(Real, 0, None, closed="left")]}

    def __init__(self, variation=0.0):
        self.variation = variation

    def _first_record(self, n_experts):
        return np.zeros(1 + 2 * n_experts)

    def _play_rounds(self, losses, history, course):
        log_experts = np.log(losses.shape[1])
        tuned = np.sqrt(log_experts / (4.0 * self.variation)) if self.variation > 0.0 else np.inf
        rate = float(min(tuned, 0.1))
        variation_weights(losses, rate, self.excess_, self._record, self.weights_, history, course)

    def regret_bounds(self, losses):
        """8 sqrt(variation log K) + 10 log K; infinite where the losses vary more or leave the range 0 to 1.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = loss_matrix(losses)
        log_experts = np.log(losses.shape[1])
        holds = (
            largest_variation(losses) <= self.variation
            and losses.min(initial=0.0) >= 0.0
            and losses.max(initial=0.0) <= 1.0
        )
        bound = 8.0 * np.sqrt(self.variation * log_experts) + 10.0 * log_experts
        return {"Hazan and Kale, Theorem 4": float(bound) if holds else np.inf}
