"""Hedge with a fixed or a falling learning rate (Freund & Schapire, 1997; as in JMLR 15:1281, Section 2)."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.online.experts._exponential_loops import given_rates
from treatise.online.experts._game_statistics import GameStatistics
from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._strategy import ExpertStrategy

_LEAST_RANGE = 1e-150
"""Ranges of losses whose squares are numbers lie between this and its inverse."""


def safe_rate(n_rounds, n_experts, loss_range=1.0):
    """Learning rate of Hedge with the best worst-case bound, sqrt(8 log K / (S^2 T)) (Equation 7).

    Parameters
    ----------
    n_rounds, n_experts : int
        Size of the game.
    loss_range : float, default=1.0
        Largest difference between the losses of two experts in one round.

    Returns
    -------
    rate : float

    Examples
    --------
    >>> from treatise.online import safe_rate
    >>> round(safe_rate(1000, 2), 4)
    0.0745
    """
    finite = np.isfinite([n_rounds, n_experts, loss_range]).all()
    if not finite or n_rounds < 1 or n_experts < 1 or not _LEAST_RANGE < loss_range < 1.0 / _LEAST_RANGE:
        raise ValueError(
            f"n_rounds={n_rounds} and n_experts={n_experts} must be at least 1, loss_range={loss_range} "
            f"between {_LEAST_RANGE:g} and {1.0 / _LEAST_RANGE:g}, and all finite"
        )
    return float(np.sqrt(8.0 * np.log(n_experts) / (loss_range**2 * n_rounds)))


class Hedge(ExpertStrategy):
    """Exponential weights with a learning rate fixed beforehand.

    Use it where the number of rounds and the range of losses are known (:func:`safe_rate`), or where the rate is
    that of a Bayesian mixture (rate 1 with logarithmic loss). Else :class:`AdaHedge` finds the rate itself. A round
    costs O(n_experts).

    Parameters
    ----------
    rate : float, default=1.0
        Learning rate; infinity follows the leader.

    Examples
    --------
    >>> from treatise.online import Hedge
    >>> hedge = Hedge(rate=0.5).start(2)
    >>> hedge.update([1.0, 0.0])
    0.5
    >>> hedge.weights_.round(3)
    array([0.378, 0.622])

    References
    ----------
    .. [1] Paper v15-1281, Equation 3 and Section 2.1.
    """

    _parameter_constraints = {"rate": [Interval(Real, 0, None, closed="right")]}

    def __init__(self, rate=1.0):
        self.rate = rate

    def _first_record(self, n_experts):
        return [n_experts]

    def _play_rounds(self, losses, history, course):
        rates = np.full(len(losses) + 1, float(self.rate))
        given_rates(losses, rates, 0.0, self.excess_, self._record, self.weights_, history, course)

    def regret_bounds(self, losses):
        """Hoeffding's bound log K / rate + rate sum_t s_t^2 / 8 (Equation 7).

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        game = GameStatistics.of(loss_matrix(losses))
        # Where all losses are alike an infinite rate costs nothing.
        learning = self.rate * game.squared_ranges / 8.0 if game.squared_ranges > 0.0 else 0.0
        return {"Equation 7": game.log_experts / self.rate + learning}


class DecreasingHedge(ExpertStrategy):
    """Exponential weights whose rate falls with the square root of the round, sqrt(8 log K / t) / range.

    Needs the range of losses but not the number of rounds. A simple standard to compare with; :class:`AdaHedge`
    needs neither. A round costs O(n_experts).

    Parameters
    ----------
    loss_range : float, default=1.0
        Largest difference between the losses of two experts in one round.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import DecreasingHedge
    >>> losses = np.random.default_rng(0).random((1000, 5))
    >>> play = DecreasingHedge().run(losses)
    >>> bool(play.regret[-1] <= DecreasingHedge().regret_bounds(losses)["Cesa-Bianchi and Lugosi, Theorem 2.3"])
    True

    References
    ----------
    .. [1] N. Cesa-Bianchi and G. Lugosi, Prediction, Learning, and Games, 2006, Theorem 2.3.
    """

    _parameter_constraints = {"loss_range": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, loss_range=1.0):
        self.loss_range = loss_range

    def _first_record(self, n_experts):
        return [n_experts]

    def _play_rounds(self, losses, history, course):
        rounds = np.arange(self.n_rounds_ + 1, self.n_rounds_ + len(losses) + 2)
        n_experts = losses.shape[1]
        rates = (
            safe_rate(1, n_experts, self.loss_range) / np.sqrt(rounds)
            if n_experts > 1
            else np.full(len(rounds), np.inf)
        )
        given_rates(losses, rates, 0.0, self.excess_, self._record, self.weights_, history, course)

    def regret_bounds(self, losses):
        """range * (2 sqrt(T log K / 2) + sqrt(log K / 8)), infinite where the losses leave the range.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = loss_matrix(losses)
        game = GameStatistics.of(losses)
        bound = self.loss_range * np.sqrt(game.log_experts) * (np.sqrt(2.0 * len(losses)) + np.sqrt(0.125))
        within = game.largest_range <= self.loss_range
        return {"Cesa-Bianchi and Lugosi, Theorem 2.3": float(bound) if within else np.inf}
