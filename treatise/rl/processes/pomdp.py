"""Finite decision processes whose states are hidden."""

import numpy as np

from treatise.rl.processes._sampling_loops import cumulative, observed_walk
from treatise.rl.processes.markov_chain import checked_rows
from treatise.rl.processes.mdp import FiniteMDP, check_lengths, checked_policy, generator
from treatise.rl.processes.trajectory import Trajectory


class FinitePOMDP(FiniteMDP):
    """A finite decision process in which one sees an observation instead of the state.

    Use it for planning, for learning from what is seen, or to recover rewards, with tens to hundreds of states.

    Parameters
    ----------
    transitions : array-like of shape (n_actions, n_states, n_states)
        Probability of the last index's state after an action in the middle index's state.
    observations : array-like of shape (n_actions, n_states, n_observations) or (n_states, n_observations)
        Probability of what is seen in a state that an action has reached; two axes where the action does not matter.
    rewards : array-like of shape (n_states,), (n_states, n_actions) or (n_states, n_actions, n_states)
        Earned in a state, by an action in a state, or by reaching a state from another by an action.
    discount : float, default=0.95
        What a reward is worth one step later, in [0, 1].
    start : array-like of shape (n_states,) or None, default=None
        The belief at the beginning; None makes all states equally probable.

    Attributes
    ----------
    n_states, n_actions, n_observations : int
        Sizes.
    expected_rewards : ndarray of shape (n_states, n_actions)
        Mean of what an action in a state earns.

    Examples
    --------
    The door with the tiger: listening is right 85 times of 100.

    >>> import numpy as np
    >>> from treatise.rl import FinitePOMDP
    >>> listen, anew = np.eye(2), np.full((2, 2), 0.5)
    >>> heard = [[0.85, 0.15], [0.15, 0.85]]
    >>> tiger = FinitePOMDP([listen, anew, anew], [heard, anew, anew], [[-1, -100, 10], [-1, 10, -100]], discount=0.75)
    >>> tiger.belief_update(tiger.start, action=0, observation=0).round(2)
    array([0.85, 0.15])
    """

    def __init__(self, transitions, observations, rewards, *, discount=0.95, start=None):
        super().__init__(transitions, rewards, discount=discount, start=start)
        observations = checked_rows("observations", observations)
        if observations.ndim == 2:
            observations = np.broadcast_to(observations, (self.n_actions, *observations.shape))
        if observations.ndim != 3 or observations.shape[:2] != (self.n_actions, self.n_states):
            raise ValueError(
                f"observations have the shape {observations.shape}; give ({self.n_actions}, {self.n_states}, "
                f"n_observations), or ({self.n_states}, n_observations) where actions do not matter"
            )
        self.observations = np.ascontiguousarray(observations)
        self.n_observations = observations.shape[2]

    def observation_probabilities(self, belief, action):
        """Probability of each observation after an action.

        Parameters
        ----------
        belief : array-like of shape (n_states,)
            Probability of each state before the action.
        action : int
            What is done.

        Returns
        -------
        probabilities : ndarray of shape (n_observations,)
        """
        return (belief @ self.transitions[action]) @ self.observations[action]

    def belief_update(self, belief, action, observation):
        """The belief after an action and what was then seen, by Bayes' rule.

        Parameters
        ----------
        belief : array-like of shape (n_states,)
            Probability of each state before the action.
        action, observation : int
            What was done and what was seen.

        Returns
        -------
        belief : ndarray of shape (n_states,)
        """
        belief = np.asarray(belief, dtype=np.float64)
        checked_rows("belief", belief)
        if belief.shape != (self.n_states,):
            raise ValueError(
                f"belief has the shape {belief.shape}; give a probability for each of {self.n_states} states"
            )
        if not (0 <= action < self.n_actions and 0 <= observation < self.n_observations):
            raise ValueError(
                f"action {action} or observation {observation} is not known; there are {self.n_actions} and "
                f"{self.n_observations}, counted from 0"
            )
        joint = (belief @ self.transitions[action]) * self.observations[action][:, observation]
        total = joint.sum()
        if total <= 0.0:
            raise ValueError(f"observation {observation} cannot follow action {action} from this belief")
        return joint / total

    def sample(self, policy, n_steps, *, horizon=None, first_sight=None, random_state=None):
        """One run of a policy that acts on the last observation alone.

        Parameters
        ----------
        policy : array-like of shape (n_observations, n_actions) or (n_observations,)
            Probability of each action after each observation, or the number of the one action.
        n_steps : int
            Steps, over all episodes.
        horizon : int or None, default=None
            Steps after which an episode is cut off and another begins; None cuts none.
        first_sight : array-like of shape (n_states, n_observations) or None, default=None
            What is seen before the first action of an episode; None takes the observations of action 0.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.

        Returns
        -------
        trajectory : Trajectory
            With states and observations.
        """
        policy = checked_policy(policy, self.n_observations, self.n_actions, of="observation")
        check_lengths(n_steps, horizon)
        first_sight = self.observations[0] if first_sight is None else checked_rows("first_sight", first_sight)
        if first_sight.shape != (self.n_states, self.n_observations):
            raise ValueError(
                f"first_sight has the shape {first_sight.shape}; give ({self.n_states}, {self.n_observations})"
            )
        states, actions, following, seen, seen_after = np.empty((5, n_steps), dtype=np.int64)
        earned, starts = np.empty(n_steps), np.empty(n_steps, dtype=bool)
        observed_walk(
            generator(random_state), cumulative(self.start), cumulative(policy), cumulative(self.transitions),
            cumulative(self.observations), cumulative(first_sight), self.rewards, horizon or -1,
            states, actions, earned, following, starts, seen, seen_after,
        )  # fmt: skip
        return Trajectory(states, actions, earned, following, starts, np.zeros(n_steps, dtype=bool), seen, seen_after)
