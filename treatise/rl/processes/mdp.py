"""Finite Markov decision processes."""

import numpy as np
from sklearn.utils import check_random_state

from treatise.rl.processes._sampling_loops import cumulative, walk
from treatise.rl.processes.markov_chain import checked_rows, stationary_distribution
from treatise.rl.processes.trajectory import Trajectory


class FiniteMDP:
    """A decision process of finitely many states and actions, all of whose probabilities are known.

    Use it to compute values exactly, to check an estimator against them, or to draw long runs fast. Do not use it
    where the states cannot be listed: exact values cost states^3, the tables actions x states^2 numbers.

    Parameters
    ----------
    transitions : array-like of shape (n_actions, n_states, n_states)
        Probability of the last index's state after an action in the middle index's state.
    rewards : array-like of shape (n_states,), (n_states, n_actions) or (n_states, n_actions, n_states)
        Earned in a state, by an action in a state, or by reaching a state from another by an action.
    discount : float, default=0.95
        What a reward is worth one step later, in [0, 1].
    start : array-like of shape (n_states,) or None, default=None
        Probability of each state at the beginning; None makes all that are not terminal equally probable.
    terminal : array-like of bool of shape (n_states,) or None, default=None
        States that end an episode; their value is zero whatever their transitions say. None: there are none.

    Attributes
    ----------
    n_states, n_actions : int
        Sizes.
    expected_rewards : ndarray of shape (n_states, n_actions)
        Mean of what an action in a state earns.

    Examples
    --------
    >>> from treatise.rl import FiniteMDP
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> mdp.value([[1.0], [1.0]]).round(6)
    array([0., 2.])
    """

    def __init__(self, transitions, rewards, *, discount=0.95, start=None, terminal=None):
        self.transitions = checked_rows("transitions", transitions)
        if self.transitions.ndim != 3 or self.transitions.shape[1] != self.transitions.shape[2]:
            raise ValueError(
                f"transitions have the shape {self.transitions.shape}; give (n_actions, n_states, n_states)"
            )
        self.n_actions, self.n_states = self.transitions.shape[:2]
        if not 0.0 <= discount <= 1.0:
            raise ValueError(f"discount={discount!r} is not between 0 and 1")
        self.discount = float(discount)
        self.rewards = self._whole_rewards(rewards)
        self.expected_rewards = np.einsum("ast,sat->sa", self.transitions, self.rewards)
        self.terminal = np.zeros(self.n_states, dtype=bool) if terminal is None else np.array(terminal, dtype=bool)
        if self.terminal.shape != (self.n_states,) or self.terminal.all():
            raise ValueError("terminal must have one entry for each state, and leave one that does not end an episode")
        self.start = self._whole_start(start)

    def _whole_rewards(self, rewards):
        rewards = np.asarray(rewards, dtype=np.float64)
        whole = (self.n_states, self.n_actions, self.n_states)
        if rewards.ndim not in (1, 2, 3) or rewards.shape != whole[: rewards.ndim]:
            raise ValueError(f"rewards have the shape {rewards.shape}; give {whole[:1]}, {whole[:2]} or {whole}")
        if not np.isfinite(rewards).all():
            raise ValueError("rewards hold a number that is not finite")
        return np.ascontiguousarray(np.broadcast_to(rewards[(...,) + (None,) * (3 - rewards.ndim)], whole))

    def _whole_start(self, start):
        if start is None:
            return ~self.terminal / np.sum(~self.terminal)
        start = checked_rows("start", start)
        if start.shape != (self.n_states,):
            raise ValueError(f"start has the shape {start.shape}; give one probability for each state")
        if start[self.terminal].any():
            raise ValueError("start puts a probability on a terminal state, in which nothing can begin")
        return start

    def checked_policy(self, policy):
        """The policy as probabilities: a row for each state, a column for each action.

        Parameters
        ----------
        policy : array-like of shape (n_states, n_actions) or (n_states,)
            Probability of each action in each state, or the number of the one action.

        Returns
        -------
        policy : ndarray of shape (n_states, n_actions)
        """
        return checked_policy(policy, self.n_states, self.n_actions, of="state")

    def chain(self, policy):
        """Transitions and mean rewards of the states when actions follow a policy.

        Parameters
        ----------
        policy : array-like of shape (n_states, n_actions) or (n_states,)
            Probability of each action in each state, or the number of the one action.

        Returns
        -------
        transitions : ndarray of shape (n_states, n_states)
        rewards : ndarray of shape (n_states,)
        """
        policy = self.checked_policy(policy)
        return np.einsum("sa,ast->st", policy, self.transitions), (policy * self.expected_rewards).sum(axis=1)

    def stationary(self, policy):
        """How often each state is met in the long run when actions follow a policy.

        Parameters
        ----------
        policy : array-like of shape (n_states, n_actions) or (n_states,)
            Probability of each action in each state, or the number of the one action.

        Returns
        -------
        distribution : ndarray of shape (n_states,)
        """
        return stationary_distribution(self.chain(policy)[0])

    def value(self, policy):
        """Expected discounted reward from each state on when actions follow a policy.

        Parameters
        ----------
        policy : array-like of shape (n_states, n_actions) or (n_states,)
            Probability of each action in each state, or the number of the one action.

        Returns
        -------
        values : ndarray of shape (n_states,)
        """
        transitions, rewards = self.chain(policy)
        live = ~self.terminal
        values = np.zeros(self.n_states)
        system = np.eye(live.sum()) - self.discount * transitions[np.ix_(live, live)]
        try:
            values[live] = np.linalg.solve(system, rewards[live])
        except np.linalg.LinAlgError:
            values[:] = np.inf
        if self.discount == 1.0 and not _leads_to(self.terminal, transitions).all():
            values[:] = np.inf  # the system is singular, though rounding may hide it from the solver
        if not np.isfinite(values).all() or np.abs(system @ values[live] - rewards[live]).max(initial=0.0) > 1e-6 * (
            1.0 + np.abs(rewards).max(initial=0.0)
        ):
            raise ValueError(
                f"discount={self.discount:g} gives no finite value: some state goes on earning for ever; "
                "use a discount below 1, or states that end the episode"
            )
        return values

    def action_value(self, policy):
        """Expected discounted reward of each action in each state when the policy is followed afterwards.

        Parameters
        ----------
        policy : array-like of shape (n_states, n_actions) or (n_states,)
            Probability of each action in each state, or the number of the one action.

        Returns
        -------
        values : ndarray of shape (n_states, n_actions)
        """
        return self._look_ahead(self.value(policy))

    def _look_ahead(self, values):
        ahead = self.expected_rewards + self.discount * np.einsum("ast,t->sa", self.transitions, values)
        ahead[self.terminal] = 0.0
        return ahead

    def optimal(self):
        """A policy that none excels, by policy iteration, and the values of its states.

        Needs a discount below 1. Of actions that are equally good the one kept longest, then the first, is taken.

        Returns
        -------
        policy : ndarray of int of shape (n_states,)
        values : ndarray of shape (n_states,)
        """
        if self.discount == 1.0:
            raise ValueError("discount=1 leaves optimal values undefined; give a discount below 1")
        policy = self.expected_rewards.argmax(axis=1)
        while True:
            values = self.value(policy)
            ahead = self._look_ahead(values)
            held = ahead[np.arange(self.n_states), policy]
            # A better action must be better beyond rounding, or the iteration could go in circles.
            better = ahead.max(axis=1) > held + 1e-12 * np.abs(ahead).max()
            if not better.any():
                return policy, values
            policy = np.where(better, ahead.argmax(axis=1), policy)

    def sample(self, policy, n_steps, *, horizon=None, random_state=None):
        """One run of a policy.

        Parameters
        ----------
        policy : array-like of shape (n_states, n_actions) or (n_states,)
            Probability of each action in each state, or the number of the one action.
        n_steps : int
            Steps, over all episodes.
        horizon : int or None, default=None
            Steps after which an episode is cut off and another begins; None cuts none.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.

        Returns
        -------
        trajectory : Trajectory
        """
        policy = self.checked_policy(policy)
        check_lengths(n_steps, horizon)
        states, actions, following = np.empty((3, n_steps), dtype=np.int64)
        earned = np.empty(n_steps)
        starts, ends = np.empty((2, n_steps), dtype=bool)
        walk(
            generator(random_state), cumulative(self.start), cumulative(policy), cumulative(self.transitions),
            self.rewards, self.terminal, horizon or -1, states, actions, earned, following, starts, ends,
        )  # fmt: skip
        return Trajectory(states, actions, earned, following, starts, ends)


def checked_policy(policy, n_rows, n_actions, *, of):
    """A policy as probabilities, from probabilities or from numbers of actions; ``of`` names what its rows are."""
    policy = np.asarray(policy)
    if policy.shape == (n_rows,) and np.issubdtype(policy.dtype, np.integer):
        unknown = policy[(policy < 0) | (policy >= n_actions)]
        if unknown.size:
            raise ValueError(f"the policy names action {unknown[0]}; there are {n_actions}, counted from 0")
        return np.eye(n_actions)[policy]
    if policy.shape != (n_rows, n_actions):
        raise ValueError(
            f"the policy has the shape {policy.shape}; give probabilities ({n_rows}, {n_actions}), a row for each "
            f"{of}, or {n_rows} whole numbers of actions"
        )
    return checked_rows("the policy's probabilities", policy)


def _leads_to(goal, transitions):
    """States from which a chain can reach a set of states; the set is among them."""
    reached = goal
    while True:
        wider = reached | (transitions[:, reached] > 0.0).any(axis=1)
        if (wider == reached).all():
            return reached
        reached = wider


def check_lengths(n_steps, horizon):
    """Refuse a run without steps, and episodes without any."""
    if n_steps < 1:
        raise ValueError(f"n_steps={n_steps!r}: a run has at least one step")
    if horizon is not None and horizon < 1:
        raise ValueError(f"horizon={horizon!r}: an episode has at least one step")


def generator(random_state):
    """A NumPy generator, which compiled loops can draw from, by scikit-learn's rules of seeds."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1, size=4))
