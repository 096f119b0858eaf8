"""Inverse reinforcement learning where states are hidden (Choi & Kim, JMLR 12:691)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import within
from treatise.rl.inverse._base import InverseLearner
from treatise.rl.inverse.apprenticeship import max_margin, max_margin_values, projection
from treatise.rl.inverse.conditions import controller_conditions
from treatise.rl.inverse.expectations import checked_features, expert_of_pomdp
from treatise.rl.planning import solve_pomdp
from treatise.rl.processes.controller import FiniteStateController
from treatise.rl.processes.mdp import generator

FROM_CONTROLLER = ("witness", "dp", "q")


class POMDPInverseRL(InverseLearner, BaseEstimator):
    """Rewards that explain an expert who does not see the states, from its controller or from recorded runs.

    From a controller, a linear program looks for the sparse reward with the largest margins between the expert and
    controllers that differ from it by a step. From runs, rewards and the policies that are best for them alternate
    until these earn the expert's features. Use it with known dynamics and sensors of tens to a hundred states. Do not
    use it where the model is unknown, and do not read the reward as *the* expert's: many rewards explain one behaviour,
    and the conditions from a controller are necessary, not sufficient, as they look at the beliefs alone that the
    expert meets.

    The program has 2 x states x actions unknowns and a row for each belief and distinct change; from runs a planning
    problem is solved in each round, which takes nearly all of the time.

    Parameters
    ----------
    method : {"witness", "dp", "q", "mmv", "mmfe", "prj"}, default="witness"
        From a controller: "witness" (W-IRL) compares with nodes that differ in what follows one observation, "dp"
        (D-IRL) with all nodes, "q" (Q-IRL) with all changes of each node; the latter two grow exponentially with the
        observations. From runs, or from a controller's exact expectations: "mmv" by margins between values, "mmfe" by
        margins between feature expectations, "prj" by projections.
    r_max : float, default=1.0
        Largest size of a reward, from a controller.
    lam : float or "auto", default="auto"
        Penalty on the sum of the rewards' sizes. "auto" tries several and keeps the sparsest reward that is not zero;
        "mmv", whose answer hangs on it, takes a twentieth of what would leave no reward, in each round: with none it
        misses the expert's policy on Tiger and Heaven/Hell, with a fifth on others.
    max_iter : int, default=50
        Rounds at most, from runs.
    eps : float, default=1e-3
        Distance from the expert at which rounds end.
    max_beliefs : int, default=500
        Beliefs at most in each planning problem, as for :func:`treatise.rl.solve_pomdp`.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the first weights or, for "mmv", of the first policy.

    Attributes
    ----------
    reward_ : ndarray of shape (n_states, n_actions)
        The reward.
    alpha_ : ndarray of shape (n_features,)
        Weights of the features.
    policy_ : FiniteStateController
        What is best for the reward.
    margin_ : float
        Summed margins, from a controller; how far the policy is from the expert, from runs: the distance of their
        features, or for "mmv" the largest difference of their values.
    lam_ : float
        The penalty; 0 for methods without one.
    slack_ : float
        Least condition on the reward: not below zero but for rounding.
    n_comparisons_, n_constraints_ : int
        Nodes that the controller was compared with, and distinct conditions that this made; rounds, from runs.
    distances_ : ndarray of shape (n_rounds,)
        By which the rounds end.
    converged_ : bool
        Whether the reward is not zero, or the last distance came below ``eps``.

    Examples
    --------
    >>> from treatise.rl import FiniteStateController, POMDPInverseRL, tiger
    >>> heard = [[1, 2], [3, 0], [0, 4], [0, 0], [0, 0]]
    >>> expert = FiniteStateController([0, 0, 0, 2, 1], heard)
    >>> model = POMDPInverseRL(r_max=100, lam=30).fit(tiger(), expert)
    >>> model.reward_.round(2)
    array([[   0.  , -100.  ,    6.75],
           [   0.  ,    6.75, -100.  ]])
    >>> round(model.policy_.value(tiger()), 4), model.n_comparisons_
    (1.9334, 39)

    References
    ----------
    .. [1] Paper v12-0691, Tables 2 and 3 (from controllers), Algorithms 4 to 6 (from runs).
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({*FROM_CONTROLLER, "mmv", "mmfe", "prj"})],
        "r_max": [Interval(Real, 0, None, closed="neither")],
        "lam": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, None, closed="left")],
        "max_beliefs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self, method="witness", *, r_max=1.0, lam="auto", max_iter=50, eps=1e-3, max_beliefs=500, random_state=None
    ):
        self.method = method
        self.r_max = r_max
        self.lam = lam
        self.max_iter = max_iter
        self.eps = eps
        self.max_beliefs = max_beliefs
        self.random_state = random_state

    def fit(self, pomdp, expert, features=None):
        """Look for a reward.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process; its own rewards are not looked at.
        expert : FiniteStateController or list of (actions, observations)
            Who is to be explained: a controller, or runs from the process' start, each with the numbers of the actions
            and of what was seen after each of them.
        features : array-like of shape (n_states, n_actions, n_features) or None, default=None
            The reward is a weighted sum of these numbers from 0 to 1; None has one for each action in each state. For
            "mmv", "mmfe" and "prj".

        Returns
        -------
        self
        """
        self._validate_params()
        self._size = pomdp.n_states, pomdp.n_actions
        if self.method in FROM_CONTROLLER:
            if not isinstance(expert, FiniteStateController):
                raise ValueError(f"method={self.method!r} needs a FiniteStateController; runs go with 'mmfe' or 'prj'")
            if features is not None:
                raise ValueError(f"method={self.method!r} takes no features; they go with 'mmv', 'mmfe' and 'prj'")
            self._keep_conditions(controller_conditions(expert, pomdp, self.method))
            self.policy_ = self._best(pomdp, self.reward_)
        else:
            self._fit_expectations(pomdp, expert, checked_features(features, pomdp))
        return self

    def _best(self, pomdp, reward):
        return solve_pomdp(pomdp, rewards=reward, max_beliefs=self.max_beliefs).controller

    def _fit_expectations(self, pomdp, expert, features):
        told = expert_of_pomdp(pomdp, expert, features)
        rng = generator(self.random_state)
        rounds = {"eps": float(self.eps), "max_iter": int(self.max_iter)}
        if self.method == "mmv":
            by_feature = np.moveaxis(features, 2, 0)

            def best_nodes(controller, reward):
                """Features that follow from each belief on, in the node that is best there (Equation 20)."""
                nodes = (told.beliefs @ controller.values(pomdp, reward).T).argmax(axis=1)
                followed = controller.values(pomdp, by_feature)[:, nodes]
                return np.einsum("bs,fbs->bf", told.beliefs, followed)

            def plan_values(alpha):
                controller = self._best(pomdp, features @ alpha)
                return controller, best_nodes(controller, features @ alpha)

            first = random_controller(pomdp, rng)
            start = best_nodes(first, features @ rng.uniform(-1.0, 1.0, features.shape[2]))
            search = max_margin_values(told.expected, plan_values, start, features, lam=self.lam, **rounds)
        else:

            def plan(alpha):
                controller = self._best(pomdp, features @ alpha)
                return controller, controller.feature_expectation(pomdp, features)

            alternate = max_margin if self.method == "mmfe" else projection
            search = alternate(told.expected[0], plan, rng.uniform(-1.0, 1.0, features.shape[2]), **rounds)
        self._keep_search(search, features)

    def _invariants(self):
        yield from super()._invariants()
        yield "the policy is a controller", isinstance(self.policy_, FiniteStateController)
        yield "its actions have rewards", within(self.policy_.actions, 0, self.reward_.shape[1])


def random_controller(pomdp, rng):
    """As many nodes as there are actions, with random actions and ways between them."""
    count = pomdp.n_actions
    return FiniteStateController(
        rng.integers(count, size=count), rng.integers(count, size=(count, pomdp.n_observations))
    )
