"""What the perturbed leaders share: probabilities played exactly, or one expert drawn in each round."""

from abc import abstractmethod
from functools import cache

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from treatise._core.invariants import is_array
from treatise.online.experts._perturbed_loops import leading_probabilities, perturbed_leader
from treatise.online.experts._strategy import ExpertStrategy

# Beyond twice as many experts the nodes are dense enough for a smooth integrand without an exact rule.
_MOST_NODES = 64


@cache
def legendre_rule(n_experts):
    """Nodes and weights on 0 to 1 that integrate the products of up to 128 experts exactly."""
    nodes, weights = np.polynomial.legendre.leggauss(min((n_experts + 1) // 2, _MOST_NODES))
    return 0.5 * (nodes + 1.0), 0.5 * weights


def perturbed_leader_probabilities(losses, rate):
    """Probability of every expert to lead once exponential perturbations are taken from the cumulative losses.

    Parameters
    ----------
    losses : array-like of shape (n_experts,)
        Cumulative loss of every expert.
    rate : float
        Learning rate: expert i leads when losses[i] - draw[i] / rate is least, the draws exponential with mean one.

    Returns
    -------
    probabilities : ndarray of shape (n_experts,)

    Examples
    --------
    >>> from treatise.online import perturbed_leader_probabilities
    >>> perturbed_leader_probabilities([1.0, 1.5, 3.0], rate=0.8).round(4)
    array([0.609 , 0.3126, 0.0784])

    References
    ----------
    .. [1] Paper v12-0241, Section 5 (derandomised FPL); the integral in closed form is ours.
    """
    losses = np.asarray(losses, dtype=float)
    if losses.ndim != 1 or len(losses) == 0 or not np.all(np.isfinite(losses)):
        raise ValueError(f"losses must be one finite number for each expert, got {losses!r}")
    if not 0.0 <= rate < np.inf:
        raise ValueError(f"rate={rate!r} must be finite and not negative")
    probabilities = np.empty(len(losses))
    leading_probabilities(float(rate), losses - losses.min(), *legendre_rule(len(losses)), probabilities)
    return probabilities


class PerturbedStrategy(ExpertStrategy):
    """Follows the leader after the cumulative losses were perturbed.

    A concrete strategy names the rates of the rounds (``_rates``), and whether they are divided by the volume of the
    game.
    """

    _parameter_constraints = {
        "perturbation": [StrOptions({"exact", "fresh", "frozen"})],
        "random_state": ["random_state"],
    }
    _by_volume = False

    @abstractmethod
    def _rates(self, first, n_rounds, n_experts):
        """Rates of the rounds from number ``first`` on."""

    def _first_volume(self):
        return 0.0

    def _first_record(self, n_experts):
        self._rng = check_random_state(self.random_state)
        self._frozen = self._rng.standard_exponential((1, n_experts))
        if self.perturbation != "exact":
            self.weights_ = np.eye(n_experts)[np.argmax(self._frozen)]
        volume = self._first_volume()
        rate = float(self._rates(1, 1, n_experts)[0])
        if self._by_volume:
            rate = rate / volume if volume > 0.0 else np.inf
        return [volume, rate]

    def _invariants(self):
        yield "experts have a draw", is_array(self._frozen, np.float64, 1, len(self.weights_))

    def _play_rounds(self, losses, history, course):
        n_rounds, n_experts = losses.shape
        if self.perturbation == "exact":
            draws = self._unkept
        elif self.perturbation == "fresh":
            draws = self._rng.standard_exponential((n_rounds, n_experts))
        else:
            draws = np.broadcast_to(self._frozen, (n_rounds, n_experts)).copy()
        rates = self._rates(self.n_rounds_ + 2, n_rounds, n_experts)
        perturbed_leader(
            losses, rates, self._by_volume, draws, *legendre_rule(n_experts), self.excess_, self._record,
            self.weights_, history, course,
        )  # fmt: skip
