"""Inverse reinforcement learning where states are seen (Ng & Russell 2000; Abbeel & Ng 2004)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.rl.inverse._base import InverseLearner
from treatise.rl.inverse.apprenticeship import max_margin, max_margin_values, projection
from treatise.rl.inverse.conditions import policy_conditions
from treatise.rl.inverse.expectations import checked_features, expert_of_mdp, is_list_of_runs, policy_expectation
from treatise.rl.processes.mdp import FiniteMDP, generator


class MDPInverseRL(InverseLearner, BaseEstimator):
    """Rewards that explain an expert who sees the states, from its policy or from recorded runs.

    Use it with known transitions and up to some hundreds of states. Do not read the reward as *the* expert's: many
    explain one behaviour. From a policy the conditions are necessary and sufficient. A linear program of 2 x states x
    actions unknowns with a row for each state and action; from runs a decision process is solved in each round.

    Parameters
    ----------
    method : {"lp", "max_margin", "projection"}, default="lp"
        "lp" is the sparse reward with the largest margins from a policy, or margins between values from runs; the
        others look for a policy with the expert's feature expectations.
    r_max : float, default=1.0
        Largest size of a reward, from a policy.
    lam : float or "auto", default="auto"
        Penalty on the sum of the rewards' sizes. "auto" tries several and keeps the sparsest reward that is not zero;
        from runs "lp" takes a twentieth of what would leave no reward, in each round.
    max_iter : int, default=50
        Rounds at most, from runs.
    eps : float, default=1e-3
        Distance from the expert at which rounds end.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the first weights or policy.

    Attributes
    ----------
    reward_ : ndarray of shape (n_states, n_actions)
        The reward.
    alpha_ : ndarray of shape (n_features,)
        Weights of the features.
    policy_ : ndarray of int of shape (n_states,)
        What is best for the reward.
    margin_ : float
        Summed margins, from a policy; how far the policy is from the expert, from runs.
    lam_ : float
        The penalty; 0 for methods without one.
    slack_ : float
        Least condition on the reward: not below zero but for rounding.
    n_comparisons_, n_constraints_ : int
        Changes that the policy was compared with, and distinct conditions that this made; rounds, from runs.
    distances_ : ndarray of shape (n_rounds,)
        By which the rounds end.
    converged_ : bool
        Whether the reward is not zero, or the last distance came below ``eps``.

    Examples
    --------
    A corridor whose walker always goes right, and what it must be after.

    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, MDPInverseRL
    >>> left, right = np.eye(4)[[0, 0, 1, 2]], np.eye(4)[[1, 2, 3, 3]]
    >>> corridor = FiniteMDP([left, right], np.zeros(4), discount=0.9)
    >>> MDPInverseRL().fit(corridor, [1, 1, 1, 1]).reward_
    array([[0., 0.],
           [0., 0.],
           [0., 0.],
           [0., 1.]])

    References
    ----------
    .. [1] Paper v12-0691, section 3: Table 1, Algorithms 1 to 3.
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"lp", "max_margin", "projection"})],
        "r_max": [Interval(Real, 0, None, closed="neither")],
        "lam": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(self, method="lp", *, r_max=1.0, lam="auto", max_iter=50, eps=1e-3, random_state=None):
        self.method = method
        self.r_max = r_max
        self.lam = lam
        self.max_iter = max_iter
        self.eps = eps
        self.random_state = random_state

    def fit(self, mdp, expert, features=None):
        """Look for a reward.

        Parameters
        ----------
        mdp : FiniteMDP
            The process, without terminal states and with a discount below one; its own rewards are not looked at.
        expert : array-like of int of shape (n_states,) or list of (states, actions)
            Who is to be explained: the action in each state, or runs from the process' start.
        features : array-like of shape (n_states, n_actions, n_features) or None, default=None
            The reward is a weighted sum of these numbers from 0 to 1; None has one for each action in each state. Not
            for "lp" from a policy.

        Returns
        -------
        self
        """
        self._validate_params()
        if mdp.terminal.any() or mdp.discount >= 1.0:
            raise ValueError("give a process without terminal states and with a discount below 1")
        self._size = mdp.n_states, mdp.n_actions
        runs = is_list_of_runs(expert)
        if self.method == "lp" and not runs:
            if features is not None:
                raise ValueError("method='lp' takes no features with a policy; they go with runs")
            mdp.checked_policy(expert)
            if np.ndim(expert) != 1:
                raise ValueError("method='lp' needs a policy with one action for each state, as their numbers")
            self._keep_conditions(policy_conditions(mdp, np.asarray(expert)))
            self.policy_ = self._best(mdp, self.reward_)
        else:
            self._fit_expectations(mdp, expert, checked_features(features, mdp))
        return self

    def _best(self, mdp, reward):
        return FiniteMDP(mdp.transitions, reward, discount=mdp.discount, start=mdp.start).optimal()[0]

    def _fit_expectations(self, mdp, expert, features):
        told = expert_of_mdp(mdp, expert, features)
        rng = generator(self.random_state)
        rounds = {"eps": float(self.eps), "max_iter": int(self.max_iter)}

        def plan(alpha):
            policy = self._best(mdp, features @ alpha)
            return policy, policy_expectation(mdp, policy, features)

        if self.method == "lp":

            def plan_value(alpha):
                policy, expected = plan(alpha)
                return policy, expected[np.newaxis]

            first = policy_expectation(mdp, rng.integers(mdp.n_actions, size=mdp.n_states), features)[np.newaxis]
            search = max_margin_values(
                told[np.newaxis], plan_value, first, features, lam=self.lam, **rounds
            )  # fmt: skip
        else:
            alternate = max_margin if self.method == "max_margin" else projection
            search = alternate(told, plan, rng.uniform(-1.0, 1.0, features.shape[2]), **rounds)
        self._keep_search(search, features)
