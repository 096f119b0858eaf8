"""What all strategies for games with experts share: the books of a game, one round or many at a time."""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, is_count, is_number, within
from treatise.online.experts._loss_matrix import check_values, loss_matrix
from treatise.online.experts._play import Play
from treatise.online.experts._round_loops import GAP, N_COLUMNS, PAID, RATE, REGIME, REGRET


class ExpertStrategy(BaseEstimator, ABC):
    """Weights on experts, set before each round and revised when all experts' losses are seen.

    A concrete strategy says what it remembers (``_first_record``) and how it plays rounds (``_play_rounds``).
    The same compiled loop serves one round and many, so that a game played round by round and one played at once
    give the same numbers. Gains are played as negative losses.

    Attributes
    ----------
    weights_ : ndarray of shape (n_experts,)
        Weights for the coming round.
    excess_ : ndarray of shape (n_experts,)
        Cumulative loss of every expert above that of the leader.
    loss_ : float
        Cumulative loss of the learner.
    regret_ : float
        Cumulative loss of the learner less that of the best expert so far.
    n_rounds_ : int
        Rounds played.
    """

    _parameter_constraints: dict = {}

    @abstractmethod
    def _first_record(self, n_experts):
        """The numbers that the strategy remembers besides the excess, before the first round."""

    @abstractmethod
    def _play_rounds(self, losses, history, course):
        """Play rounds: change ``excess_``, ``_record`` and ``weights_`` in place, fill history and course."""

    @_fit_context(prefer_skip_nested_validation=True)
    def start(self, n_experts):
        """Begin a game with this many experts, all weights alike.

        Parameters
        ----------
        n_experts : int
            Number of experts, at least one.

        Returns
        -------
        self : object
        """
        if n_experts < 1:
            raise ValueError(f"n_experts={n_experts} leaves nobody to follow; a game needs at least one expert")
        self.weights_ = np.full(n_experts, 1.0 / n_experts)
        self.excess_ = np.zeros(n_experts)
        self.loss_ = self.regret_ = 0.0
        self.n_rounds_ = 0
        self._record = np.asarray(self._first_record(n_experts), dtype=float)
        self._round, self._unkept = np.empty((1, N_COLUMNS)), np.empty((0, n_experts))
        return self

    def update(self, losses):
        """Play one round: pay the weighted loss and revise the weights.

        Parameters
        ----------
        losses : array-like of shape (n_experts,)
            Loss of every expert in this round. The first round starts the game if :meth:`start` did not.

        Returns
        -------
        loss : float
            What the learner paid.
        """
        losses = np.array(losses, dtype=np.float64, ndmin=2)
        if not hasattr(self, "weights_"):
            self.start(losses.shape[1])
        self._check_experts(losses)
        check_values(losses)
        if len(losses) != 1:
            raise ValueError(f"update plays one round, got losses of {len(losses)}; use partial_fit for several")
        self._play_rounds(losses, self._unkept, self._round)
        paid = float(self._round[0, PAID])
        self.n_rounds_ += 1
        self.loss_ += paid
        self.regret_ += float(self._round[0, REGRET])
        return paid

    def fit(self, losses):
        """Forget everything and play a whole game.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        self : object
        """
        losses = loss_matrix(losses)
        self.start(losses.shape[1])
        self._go(losses, self._unkept)
        return self

    def partial_fit(self, losses):
        """Play further rounds.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        self : object
        """
        losses = loss_matrix(losses)
        if not hasattr(self, "weights_"):
            self.start(losses.shape[1])
        self._check_experts(losses)
        self._go(losses, self._unkept)
        return self

    def run(self, losses, *, keep_weights=False):
        """Play a fresh game on a matrix of losses; what this object has learnt stays as it is.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.
        keep_weights : bool, default=False
            Keep the weights of every round, as much memory again as the losses.

        Returns
        -------
        play : Play
            Loss, regret, learning rate and mixability gap of every round.
        """
        losses = loss_matrix(losses)
        fresh = clone(self).start(losses.shape[1])
        history = np.empty_like(losses) if keep_weights else fresh._unkept
        course = fresh._go(losses, history)
        return Play(
            course[:, PAID].copy(), np.cumsum(course[:, REGRET]), course[:, RATE].copy(), course[:, GAP].copy(),
            course[:, REGIME].astype(int), history if keep_weights else None,
        )  # fmt: skip

    def predict(self, advice):
        """Mix the experts' predictions with the current weights.

        Parameters
        ----------
        advice : array-like of shape (n_experts,) or (n_samples, n_experts)
            What each expert predicts.

        Returns
        -------
        mixed : float or ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        advice = np.asarray(advice, dtype=float)
        if advice.ndim not in (1, 2) or advice.shape[-1] != len(self.weights_):
            raise ValueError(
                f"advice of shape {advice.shape}, but the game has {len(self.weights_)} experts: a number for each "
                "needed, or a row of them for each sample"
            )
        return advice @ self.weights_

    def regret_bounds(self, losses):
        """Guarantees on the regret of this strategy in a game, computed from its losses.

        Parameters
        ----------
        losses : array-like of shape (n_rounds, n_experts)
            Loss of every expert in every round.

        Returns
        -------
        bounds : dict of str to float
            Value of each bound by its source; empty for a strategy without one that can be computed.
        """
        return {}

    def _invariants(self):
        n_experts = len(self.weights_)
        for name in ("weights_", "excess_"):
            values = getattr(self, name)
            yield f"{name} has a number for each expert", is_array(values, np.float64, n_experts) and finite(values)
        yield "there are experts", n_experts >= 1
        yield "weights are shares", within(self.weights_, 0.0, 1.0 + 1e-6)
        fresh = clone(self).start(n_experts)
        for name in ("_record", "_round", "_unkept"):
            expected = getattr(fresh, name)
            yield f"{name} has the shape of a game", is_array(getattr(self, name), np.float64, *expected.shape)
        sums = self._record[(fresh._record > 0.0) & np.isfinite(fresh._record)]
        yield "sums of weights in it are above zero, and finite", within(sums, np.nextafter(0.0, 1.0), np.inf)
        yield "rounds are counted", is_count(self.n_rounds_)
        yield "losses are summed", is_number(self.loss_) and is_number(self.regret_)

    def _go(self, losses, history):
        course = np.empty((len(losses), N_COLUMNS))
        self._play_rounds(losses, history, course)
        self.n_rounds_ += len(losses)
        self.loss_ += float(course[:, PAID].sum())
        self.regret_ += float(course[:, REGRET].sum())
        return course

    def _check_experts(self, losses):
        if losses.ndim != 2 or losses.shape[1] != len(self.weights_):
            raise ValueError(f"losses of {losses.shape[-1]} experts, but the game has {len(self.weights_)}")
