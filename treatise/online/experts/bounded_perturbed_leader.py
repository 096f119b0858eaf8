"""Follow the perturbed leader with bounded losses: a fixed rate, or one that falls with the rounds."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.online.experts._game_statistics import GameStatistics
from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._perturbed_base import PerturbedStrategy


class FixedPerturbedLeader(PerturbedStrategy):
    """Follows the leader after exponential draws divided by a fixed rate were taken from the losses.

    For losses between 0 and 1; needs a rate, which :class:`PerturbedLeader` does not. A round costs as much as
    with :class:`PerturbedLeader`.

    Parameters
    ----------
    rate : float, default=0.1
        Learning rate; the perturbations are draws / rate.
    perturbation : {"exact", "fresh", "frozen"}, default="exact"
        "exact" plays the probabilities of leading as weights; "fresh" draws a leader in each round; "frozen"
        draws the perturbations once.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Examples
    --------
    >>> from treatise.online import FixedPerturbedLeader
    >>> FixedPerturbedLeader(rate=1.0).fit([[1.0, 0.0]]).weights_.round(3)
    array([0.184, 0.816])

    References
    ----------
    .. [1] A. Kalai and S. Vempala, Efficient algorithms for online decisions, 2003. Compared with in paper
       v12-0241, Section 1.
    """

    _parameter_constraints = {
        **PerturbedStrategy._parameter_constraints,
        "rate": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, rate=0.1, *, perturbation="exact", random_state=None):
        self.rate = rate
        self.perturbation = perturbation
        self.random_state = random_state

    def _rates(self, first, n_rounds, n_experts):
        return np.full(n_rounds, float(self.rate))


class DecreasingPerturbedLeader(PerturbedStrategy):
    """Follows the perturbed leader with a rate that falls with the rounds, sqrt(log K / (2 t)) / largest loss.

    For losses between 0 and a known largest one; :class:`PerturbedLeader` does without. A round costs as much
    as with :class:`PerturbedLeader`.

    Parameters
    ----------
    largest_loss : float, default=1.0
        Upper limit of the losses, which must not be negative.
    perturbation : {"exact", "fresh", "frozen"}, default="exact"
        "exact" plays the probabilities of leading as weights; "fresh" draws a leader in each round; "frozen"
        draws the perturbations once.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import DecreasingPerturbedLeader
    >>> losses = np.random.default_rng(0).random((1000, 5))
    >>> strategy = DecreasingPerturbedLeader()
    >>> bool(strategy.run(losses).regret[-1] <= strategy.regret_bounds(losses)["Hutter and Poland"])
    True

    References
    ----------
    .. [1] M. Hutter and J. Poland, Adaptive online prediction by following the perturbed leader, JMLR 6, 2005.
       Compared with in paper v12-0241, Section 1.
    """

    _parameter_constraints = {
        **PerturbedStrategy._parameter_constraints,
        "largest_loss": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, largest_loss=1.0, *, perturbation="exact", random_state=None):
        self.largest_loss = largest_loss
        self.perturbation = perturbation
        self.random_state = random_state

    def regret_bounds(self, losses):
        """2 sqrt(2 T log K) times the largest loss; infinite where losses are negative or larger.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = loss_matrix(losses)
        holds = losses.min(initial=0.0) >= 0.0 and losses.max(initial=0.0) <= self.largest_loss
        log_experts = GameStatistics.of(losses).log_experts
        bound = 2.0 * self.largest_loss * np.sqrt(2.0 * len(losses) * log_experts)
        return {"Hutter and Poland": float(bound) if holds else np.inf}

    def _rates(self, first, n_rounds, n_experts):
        rounds = np.arange(first, first + n_rounds)
        return np.sqrt(np.log(n_experts) / (2.0 * rounds)) / self.largest_loss
