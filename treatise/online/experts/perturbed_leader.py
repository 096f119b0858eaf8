"""Follow the perturbed leader with losses without bounds: the algorithm PROT (V'yugin, JMLR 12:241)."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise.online.experts._loss_matrix import loss_matrix
from treatise.online.experts._perturbed_base import PerturbedStrategy, legendre_rule
from treatise.online.experts._perturbed_loops import infeasible_leader


@dataclass(frozen=True)
class GameVolume:
    """How large the losses of a game are, and how much of that came in each round.

    Attributes
    ----------
    volume : ndarray of shape (n_rounds,)
        The initial volume and the largest absolute losses up to each round.
    growth : ndarray of shape (n_rounds,)
        The largest absolute loss of each round.
    fluctuation : ndarray of shape (n_rounds,)
        growth / volume.
    """

    volume: np.ndarray
    growth: np.ndarray
    fluctuation: np.ndarray


def game_volume(losses, initial_volume=0.0):
    """Volume and scaled fluctuation of a game (Section 2).

    Parameters
    ----------
    losses : array-like of shape (n_rounds, n_experts)
        Loss of every expert in every round.
    initial_volume : float, default=0.0
        Volume before the first round.

    Returns
    -------
    volume : GameVolume

    Examples
    --------
    >>> from treatise.online import game_volume
    >>> game_volume([[1.0, -2.0], [0.5, 2.0]], initial_volume=1.0).fluctuation
    array([0.66666667, 0.4       ])
    """
    if not 0.0 <= initial_volume < np.inf:
        raise ValueError(f"initial_volume={initial_volume!r} must be a finite number from 0 on")
    growth = np.abs(loss_matrix(losses)).max(axis=1)
    volume = initial_volume + np.cumsum(growth)
    fluctuation = np.divide(growth, volume, out=np.zeros_like(growth), where=volume > 0.0)
    return GameVolume(volume, growth, fluctuation)


class PerturbedLeader(PerturbedStrategy):
    """Follows the perturbed leader where single losses may be huge, of either sign and of unknown growth (PROT).

    The perturbation grows with the volume of the game, the sum of the largest absolute losses. The regret is small
    against that volume as long as a single round's share of it, the fluctuation, stays below gamma(t). Use it for
    gains of traders and other heavy-tailed losses; with losses of moderate size :class:`AdaHedge` needs no gamma and
    has the smaller regret. A round costs O(n_experts) with draws and O(n_experts^2) with exact probabilities,
    O(n_experts) from 128 experts on.

    Parameters
    ----------
    gamma : float or callable, default=0.5
        Limit of the fluctuation in round t = 1, 2, ...: a number d means t**-d, a function takes an array of
        rounds. It must not grow, nor exceed 1.
    a : float, default=10.0
        Tightness of the constants; they are least for a large one.
    signed : bool, default=True
        False where no loss is ever negative: perturbations are half as large.
    initial_volume : float, default=0.0
        Volume before the first round. With 0 the first round's fluctuation is 1, which a number ``gamma`` allows.
    perturbation : {"exact", "fresh", "frozen"}, default="exact"
        "exact" plays the probabilities of leading as weights; "fresh" puts all weight on a leader drawn anew in
        each round, as adaptive opponents demand; "frozen" draws the perturbations once.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import PerturbedLeader
    >>> losses = np.random.default_rng(0).standard_t(2, (500, 3)) + [0.0, 0.5, 1.0]
    >>> play = PerturbedLeader(initial_volume=10.0).run(losses)
    >>> round(float(play.regret[-1]), 2)
    192.39

    References
    ----------
    .. [1] Paper v12-0241, Figure 2, Equations 6 and 7, Theorem 2.
    """

    _parameter_constraints = {
        **PerturbedStrategy._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither"), callable],
        "a": [Interval(Real, 0, None, closed="neither")],
        "signed": ["boolean"],
        "initial_volume": [Interval(Real, 0, None, closed="left")],
    }
    _by_volume = True

    def __init__(self, gamma=0.5, *, a=10.0, signed=True, initial_volume=0.0, perturbation="exact", random_state=None):
        self.gamma = gamma
        self.a = a
        self.signed = signed
        self.initial_volume = initial_volume
        self.perturbation = perturbation
        self.random_state = random_state

    def perturbation_scale(self, rounds, n_experts):
        """The factor mu_t of the volume by which draws are multiplied (Equation 6).

        Parameters
        ----------
        rounds : array-like of int
            Numbers of rounds, from 1.
        n_experts : int
            Number of experts.

        Returns
        -------
        scale : ndarray
        """
        return np.sqrt(self._constant() / (1.0 + np.log(n_experts)) * self._limit(rounds))

    def regret_bounds(self, losses):
        """The bound of Theorem 2; infinite where the fluctuation exceeds gamma in some round.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
        """
        losses = loss_matrix(losses)
        if self.first_violation(losses) is not None:
            return {"Theorem 2": np.inf}
        return {"Theorem 2": float(self.bound_curve(losses)[-1]) if len(losses) else 0.0}

    def bound_curve(self, losses):
        """The right side of Theorem 2 after each round, whether its condition holds or not.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bound : ndarray of shape (n_rounds,)
        """
        losses = loss_matrix(losses)
        limit = self._limit(np.arange(1, len(losses) + 1))
        factor = 2.0 * np.sqrt(self._constant() * (1.0 + np.log(losses.shape[1])))
        return factor * np.cumsum(np.sqrt(limit) * game_volume(losses).growth)

    def first_violation(self, losses):
        """The first round whose losses break the condition of Theorem 2.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        round : int or None
            Its number, from 1: the first with a fluctuation above gamma, or a negative loss though ``signed=False``.
        """
        losses = loss_matrix(losses)
        limit = self._limit(np.arange(1, len(losses) + 1))
        # The theorem asks for gamma below 1, and the paper's own t**-d is 1 in round 1. Its proof does without: with
        # P <= exp(b) Q for the chances of leading, the loss exceeds that of the infeasible leader by at most
        # 2 (1 - exp(-b)) growth <= 2 b growth, whatever gamma is, and in a first round without a volume by 2 growth.
        broken = game_volume(losses, self.initial_volume).fluctuation > limit
        if not self.signed:
            broken |= losses.min(axis=1) < 0.0
        return int(np.argmax(broken)) + 1 if broken.any() else None

    def infeasible_losses(self, losses):
        """Expected losses of the infeasible leader (IFPL, Figure 3), who sees each round before choosing.

        A yardstick and no strategy: by Lemma 4 it loses hardly more than the best expert, and by Lemma 3 this
        strategy hardly more than it.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        expected : ndarray of shape (n_rounds,)
        """
        losses = loss_matrix(losses)
        n_rounds, n_experts = losses.shape
        expected = np.empty(n_rounds)
        rates = self._rates(1, n_rounds, n_experts)
        infeasible_leader(losses, rates, float(self.initial_volume), *legendre_rule(n_experts), expected)
        return expected

    def _limit(self, rounds):
        rounds = np.asarray(rounds, dtype=float)
        if not callable(self.gamma):
            return rounds**-self.gamma
        limit = np.asarray(self.gamma(rounds), dtype=float)
        if limit.shape != rounds.shape or not np.all((limit > 0.0) & (limit <= 1.0)):
            raise ValueError("gamma must give a number above 0 and at most 1 for every round of the array it is given")
        return limit

    def _constant(self):
        if self.signed:
            return 2.0 * self.a * np.expm1(4.0 / self.a)
        return self.a * np.expm1(2.0 / self.a)

    def _rates(self, first, n_rounds, n_experts):
        return 1.0 / self.perturbation_scale(np.arange(first, first + n_rounds), n_experts)

    def _first_volume(self):
        return float(self.initial_volume)
