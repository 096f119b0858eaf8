"""What both inverse learners have in common."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.rl.inverse.reward_program import sparse_reward


class InverseLearner:
    """Keeps what was found."""

    def _keep_conditions(self, conditions):
        """The sparse reward under conditions, with its certificate."""
        solution = sparse_reward(conditions, float(self.r_max), self.lam)
        self.reward_ = solution.reward.reshape(self._size)
        self.alpha_ = solution.reward
        self.lam_, self.margin_, self.slack_ = solution.lam, solution.margin, solution.slack
        self.n_comparisons_, self.n_constraints_ = conditions.n_comparisons, len(conditions.rows)
        self.distances_, self.converged_ = np.empty(0), bool(self.reward_.any())
        if not self.converged_:
            self._warn(f"the reward is zero everywhere at lam={solution.lam:g}; give a smaller penalty, or lam='auto'")

    def _keep_search(self, search, features):
        """The best reward of an alternation."""
        self.alpha_ = search.best.alpha
        self.reward_ = features @ search.best.alpha
        self.policy_ = search.best.policy
        self.lam_, self.margin_, self.slack_ = search.best.lam, search.best.distance, 0.0
        self.n_comparisons_, self.n_constraints_ = len(search.distances), len(search.distances)
        self.distances_, self.converged_ = search.distances, bool(search.converged)
        if not self.converged_:
            self._warn(
                f"the expert is still {search.distances[-1]:.2g} away after {len(search.distances)} rounds; give a "
                f"larger max_iter or eps, or features that can tell its rewards"
            )

    def _warn(self, message):
        warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def predict(self, states):
        """Learned rewards of all actions in some states.

        Parameters
        ----------
        states : array-like of int of shape (n,)
            Numbers of states.

        Returns
        -------
        rewards : ndarray of shape (n, n_actions)
        """
        check_is_fitted(self)
        states = np.asarray(states)
        if states.size and not (states.min() >= 0 and states.max() < len(self.reward_)):
            raise ValueError(f"states go from {states.min()} to {states.max()}; there are {len(self.reward_)}, from 0")
        return self.reward_[states]

    def _invariants(self):
        yield "rewards are finite numbers", is_array(self.reward_, np.floating, None, None) and finite(self.reward_)
