"""Tabular Q-learning with traces (Watkins' Q(lambda)), as fast as a compiled loop allows."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise._core.progress import progress
from treatise.rl.environments.gymnasium import as_environment
from treatise.rl.processes._sampling_loops import cumulative
from treatise.rl.processes.mdp import FiniteMDP, generator
from treatise.rl.tabular._loops import empty_traces, finite_episodes, forget, learn

LEAST_ALPHA = 1e-5
MOST_LOST = 0.01
"""Share of what lies between the worst and the best policy that a policy may lose and still count as converged."""


class QLambda(BaseEstimator):
    """Values of actions in listed states, learned from episodes, with credit for the steps before (Watkins' Q(lambda)).

    Behaviour is greedy but for a share of random actions; a trace ends where such an action is not greedy, so that
    values are those of the greedy policy. Training goes in rounds: where the greedy policy of a round hardly differs
    from that of the round before, or no longer less than before, the step is halved; training ends when it is tiny.

    Use it where states can be listed and a model or simulator is fast; millions of steps a second are learned from. Do
    not use it for states that must be approximated. A step costs as many updates as there are live traces; for a finite
    process the policy is compared with the best one at the end, which costs a few systems of n_states equations.

    Parameters
    ----------
    gamma : float, default=0.95
        Discount, from 0 to below 1.
    lam : float, default=0.8
        How far credit reaches back, from 0 (one step) to 1.
    alpha : float, default=0.2
        Step at the beginning.
    epsilon : float, default=0.01
        Share of random actions.
    n_rounds : int, default=300
        Rounds at most.
    episodes_per_round, steps_per_episode : int, default=100 and 1000
        Episodes of a round, and steps of an episode at most.
    threshold : float, default=0.01
        Mean squared difference of the numbers of greedy actions below which the step is halved.
    patience : int, default=5
        Rounds without a smaller difference after which it is halved too: states that are hardly met keep changing.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed.

    Attributes
    ----------
    q_ : ndarray of shape (n_states, n_actions)
        Values of actions.
    policy_ : ndarray of int of shape (n_states,)
        The best action in each state.
    history_ : ndarray of shape (n_rounds_, 3)
        Step, mean reward of a step and difference of policies, of each round.
    loss_ : float
        What the policy loses against the best one at the beginning of an episode, as a share of what lies between the
        worst and the best; exact for a finite process, NaN for a simulator, which offers nothing to compare with.
    converged_ : bool
        Whether the step became tiny before the rounds were over, and the loss, where it is known, is at most 0.01. A
        tiny step alone is no proof: actions that are hardly tried, or whose reward comes late, may still be misjudged.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, QLambda
    >>> left, right = np.eye(4)[[0, 0, 1, 3]], np.eye(4)[[1, 2, 3, 3]]
    >>> corridor = FiniteMDP([left, right], [-1, -1, -1, 0], terminal=[False, False, False, True])
    >>> QLambda(steps_per_episode=20, random_state=0).fit(corridor).policy_[:3].tolist()
    [1, 1, 1]

    References
    ----------
    .. [1] Paper v15-0655, section 3.
    """

    _parameter_constraints: dict = {
        "gamma": [Interval(Real, 0, 1, closed="left")],
        "lam": [Interval(Real, 0, 1, closed="both")],
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "epsilon": [Interval(Real, 0, 1, closed="both")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "episodes_per_round": [Interval(Integral, 1, None, closed="left")],
        "steps_per_episode": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, gamma=0.95, *, lam=0.8, alpha=0.2, epsilon=0.01, n_rounds=300, episodes_per_round=100,
        steps_per_episode=1000, threshold=0.01, patience=5, random_state=None,
    ):  # fmt: skip
        self.gamma = gamma
        self.lam = lam
        self.alpha = alpha
        self.epsilon = epsilon
        self.n_rounds = n_rounds
        self.episodes_per_round = episodes_per_round
        self.steps_per_episode = steps_per_episode
        self.threshold = threshold
        self.patience = patience
        self.random_state = random_state

    def fit(self, world, y=None, *, show_progress=None):
        """Learn.

        Parameters
        ----------
        world : FiniteMDP, Environment, gymnasium.Env or an object with ``learning_episodes``
            A finite process; a world with numbered states and actions, each step of which goes through Python; or a
            simulator with ``n_states``, ``n_actions`` and a compiled loop of its own, as
            :class:`treatise.rl.PropofolControl`.
        y : None
            Not used.
        show_progress : bool or None, default=None
            None shows a bar on a terminal.

        Returns
        -------
        self
        """
        self._validate_params()
        rng = generator(self.random_state)
        episodes, size = learned_from(world)
        Q, traces = np.zeros(size), empty_traces(*size)
        alpha, before, history = float(self.alpha), Q.argmax(axis=1), []
        self.converged_, least, idle = False, np.inf, 0
        with progress("learning", self.n_rounds, show=show_progress) as done:
            for _ in range(self.n_rounds):
                mean = episodes(
                    rng, float(self.gamma), float(self.gamma * self.lam), alpha, float(self.epsilon),
                    int(self.episodes_per_round), int(self.steps_per_episode), Q, traces,
                )  # fmt: skip
                policy = Q.argmax(axis=1)
                change = float(np.mean((policy - before) ** 2.0))
                history.append((alpha, mean, change))
                before = policy
                done(1)
                if not np.isfinite(Q).all():
                    raise ValueError(f"values grew beyond all bounds with alpha={self.alpha!r}; give a smaller one")
                idle, least = (0, change) if change < least else (idle + 1, least)
                if change <= self.threshold or idle >= self.patience:
                    alpha, least, idle = 0.5 * alpha, np.inf, 0
                    if alpha <= LEAST_ALPHA:
                        self.converged_ = True
                        break
        self.q_, self.policy_, self.history_ = Q, before, np.array(history)
        self.loss_ = loss_of(before, world, self.gamma) if isinstance(world, FiniteMDP) else np.nan
        if not self.converged_:
            self._warn(f"the step is still {alpha:.2g} after n_rounds={self.n_rounds}; give more rounds")
        elif self.loss_ > MOST_LOST:
            self.converged_ = False
            self._warn(
                f"the policy settled on loses {self.loss_:.2g} of what lies between the worst and the best; give more "
                "random actions (epsilon), more episodes_per_round or a smaller threshold"
            )
        return self

    def _warn(self, message):
        warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def predict(self, states):
        """The best action in each of some states.

        Parameters
        ----------
        states : array-like of int of shape (n,)
            Numbers of states.

        Returns
        -------
        actions : ndarray of int of shape (n,)
        """
        check_is_fitted(self)
        states = np.asarray(states)
        if states.size and not (states.min() >= 0 and states.max() < len(self.policy_)):
            raise ValueError(f"states go from {states.min()} to {states.max()}; there are {len(self.policy_)}, from 0")
        return self.policy_[states]

    def _invariants(self):
        yield "values are finite numbers", is_array(self.q_, np.floating, None, None) and finite(self.q_)
        yield "every state has an action", is_array(self.policy_, np.integer, len(self.q_))


def loss_of(policy, mdp, gamma):
    """What a policy loses at the beginning, as a share of what lies between the worst policy and the best."""

    def judged(rewards):
        return FiniteMDP(mdp.transitions, rewards, discount=gamma, start=mdp.start, terminal=mdp.terminal)

    problem = judged(mdp.rewards)
    best, worst = mdp.start @ problem.optimal()[1], -mdp.start @ judged(-mdp.rewards).optimal()[1]
    lost = best - mdp.start @ problem.value(policy)
    rounding = 1e-12 * (1.0 + abs(best) + abs(worst))
    return float(max(lost, 0.0) / (best - worst)) if best - worst > rounding else 0.0


def learned_from(world):
    """A function that learns from episodes in a world, and how many states and actions there are."""
    if hasattr(world, "learning_episodes"):
        return world.learning_episodes, (world.n_states, world.n_actions)
    if isinstance(world, FiniteMDP):
        return finite_world(world), (world.n_states, world.n_actions)
    world = as_environment(world)
    if world.state_numbers is None or world.n_actions is None:
        raise ValueError("states and actions must be numbered for a table of values, and this world has vectors")
    return numbered_world(world), (len(world.state_numbers), world.n_actions)


def finite_world(mdp):
    """Episodes in a finite process, which begin anywhere that its start allows."""
    tables = cumulative(mdp.start), cumulative(mdp.transitions), mdp.rewards, mdp.terminal

    def episodes(rng, gamma, decay, alpha, epsilon, count, steps, Q, traces):
        return finite_episodes(rng, *tables, gamma, decay, alpha, epsilon, count, steps, Q, *traces)

    return episodes


def numbered_world(world):
    """Episodes in a world that can only be acted in, step by step; one that cuts an episode off begins anew."""

    def place(state):
        number = int(state[0])
        if number not in world.state_numbers:
            raise ValueError(f"the world shows state {number}, which is none of {world.state_numbers}")
        return number - world.state_numbers.start

    def episodes(rng, gamma, decay, alpha, epsilon, count, steps, Q, traces):
        earned, done = 0.0, 0
        steps = min(steps, world.max_steps or steps)
        for _ in range(count):
            state, live = place(world.reset(rng)), 0
            for _ in range(steps):
                action = best = int(Q[state].argmax())
                if rng.random() < epsilon:
                    action = int(rng.integers(world.n_actions))
                if Q[state, action] < Q[state, best]:
                    live = forget(*traces[:2], traces[3], live)
                after, reward, ended = world.step(action)
                if not np.isfinite(reward):
                    raise ValueError(f"the world gives the reward {reward}; give finite ones")
                after = place(after)
                ahead = 0.0 if ended else Q[after].max()
                delta = reward + gamma * ahead - Q[state, action]
                live = learn(Q, state, action, delta, alpha, decay, *traces, live)
                earned, done, state = earned + reward, done + 1, after
                if ended or world.cut_off:
                    break
            forget(*traces[:2], traces[3], live)
        return earned / max(done, 1)

    return episodes
