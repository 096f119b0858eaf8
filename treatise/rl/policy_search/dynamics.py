"""A simulator learned from episodes: linear models of the next state and of the reward (section 4.3 of JMLR 15:253)."""

import warnings
from typing import NamedTuple

import numpy as np

from treatise.rl.policy_search import _loops as loops
from treatise.rl.policy_search.terms import StateTerms
from treatise.rl.processes.mdp import generator

ROOM = 4.5
"""Widths of the range of the states seen that a simulated state may leave it by, on either side."""
MOSTLY = 0.5
"""Share of roll-outs that leave all experience from which on the model is said to diverge."""


class EndRule(NamedTuple):
    """When a simulated episode is over: where a linear function of terms of the state exceeds its limit."""

    terms: StateTerms
    """Features of a state."""
    weights: np.ndarray
    """Of shape (n_rules, n_terms): an episode ends where any rule holds."""
    limits: np.ndarray
    """Of shape (n_rules,)."""


class LinearDynamics:
    """World learned from episodes: next state and reward are linear in terms, the first states those that were seen.

    A model need not be right to be of use: :class:`PolicyBO` weighs what it says by how well it told the returns of
    the policies tried. Fitting costs steps x terms^2; a simulated step costs (state + 1) x terms.

    Parameters
    ----------
    transition : StateTerms
        Features of a state and an action, side by side.
    reward : StateTerms
        Features of a state, an action and the next state, side by side.
    action_values : array-like of shape (n_actions, n_numbers) or None, default=None
        The numbers that stand for each numbered action in the features; None is an indicator of each. Of no use where
        actions are vectors.
    end : EndRule or None, default=None
        When an episode is over; None never ends one before its last step. Rules are known rather than learned: no
        number of failures tells where success lies.
    ridge : float, default=1e-8
        Penalty of the squared weights, in units of a feature's mean square.
    max_steps : int or None, default=None
        Steps of a simulated episode; None is the longest that was seen.

    Attributes
    ----------
    transition_coef_ : ndarray of shape (n_terms, state_size)
        Weights of the next state.
    reward_coef_ : ndarray of shape (n_terms,)
        Weights of the reward.
    clipped_ : float
        Share of the roll-outs of the last call that left ten times the range of the states seen, and were put back.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import GaussianControl, LinearDynamics, LinearQuadratic, StateTerms, run_policy
    >>> world = LinearQuadratic([[0.9]], [[0.5]], [[-1.0]], [[-0.1]], start=[1.0])
    >>> policy = GaussianControl(1, StateTerms(1), deviation=0.5)
    >>> run = run_policy(world, policy, [0.0], max_steps=50, random_state=0)
    >>> model = LinearDynamics(StateTerms(2), StateTerms(2, degree=2)).fit(run, policy)
    >>> model.transition_coef_.ravel().round(6)
    array([0.9, 0.5])

    References
    ----------
    .. [1] Paper v15-0253, section 4.3 and Table 1.
    """

    def __init__(self, transition, reward, *, action_values=None, end=None, ridge=1e-8, max_steps=None):
        if not ridge >= 0.0:
            raise ValueError(f"ridge={ridge!r}; give 0 or more")
        if max_steps is not None and max_steps < 1:
            raise ValueError(f"max_steps={max_steps!r}: an episode has at least one step")
        self.transition, self.reward, self.end = transition, reward, end
        self.action_values = None if action_values is None else np.array(action_values, dtype=np.float64)
        self.ridge, self.max_steps = float(ridge), max_steps

    def fit(self, trajectory, policy):
        """Learn from episodes.

        Parameters
        ----------
        trajectory : Trajectory
            Episodes in a row.
        policy : ControlPolicy
            How actions are made: numbered or vectors.

        Returns
        -------
        self
        """
        states, after = trajectory.states, trajectory.next_states
        actions = self._numbers(policy)[trajectory.actions] if policy.n_actions else trajectory.actions
        steps = np.hstack([states, actions, after])
        self.transition.check_width(states.shape[1] + actions.shape[1])
        self.transition_coef_ = self._least_squares(self.transition(steps), after)
        self.reward_coef_ = self._least_squares(self.reward(steps), trajectory.rewards)
        self.starts_ = states[trajectory.starts]
        low, high = np.minimum(states, after).min(axis=0), np.maximum(states, after).max(axis=0)
        # Wide enough for success that no episode has seen yet, narrow enough for numbers that stay numbers.
        self.low_, self.high_ = low - ROOM * (high - low), high + ROOM * (high - low)
        self.longest_ = int(np.diff(np.append(np.flatnonzero(trajectory.starts), len(states))).max())
        return self

    def _numbers(self, policy):
        if not policy.n_actions:
            return np.empty((0, 0))
        values = np.eye(policy.n_actions) if self.action_values is None else self.action_values
        if values.ndim != 2 or len(values) != policy.n_actions:
            raise ValueError(
                f"action_values has the shape {values.shape}; give a row for each of {policy.n_actions} actions"
            )
        return values

    def _least_squares(self, features, targets):
        scale = np.sqrt(np.mean(features**2, axis=0))
        scale[scale == 0.0] = 1.0
        features = features / scale
        if self.ridge == 0.0:
            found = np.linalg.lstsq(features, targets, rcond=None)[0]
        else:
            penalty = np.sqrt(self.ridge * len(features)) * np.eye(features.shape[1])
            padded = np.concatenate([targets, np.zeros((features.shape[1], *targets.shape[1:]))])
            found = np.linalg.lstsq(np.vstack([features, penalty]), padded, rcond=None)[0]
        return np.ascontiguousarray((found.T / scale).T)

    def returns(self, policy, thetas, n_rollouts=20, *, random_state=None):
        """Mean simulated return of each of many parameter vectors; all of them meet the same chance.

        Parameters
        ----------
        policy : ControlPolicy
            How to act.
        thetas : array-like of shape (n, policy.size)
            Parameters.
        n_rollouts : int, default=20
            Episodes of each.
        random_state : int, RandomState instance, Generator or None, default=None
            Seed of the first states and of the policy's chance.

        Returns
        -------
        returns : ndarray of shape (n,)
        """
        rng = generator(random_state)
        starts = self.starts_[rng.integers(len(self.starts_), size=n_rollouts)]
        n_steps = self.max_steps or self.longest_
        draws = np.stack([policy.draws(rng, n_steps) for _ in range(n_rollouts)])
        weights = policy.weights(np.atleast_2d(thetas))
        end = self.end or EndRule(StateTerms(0, products=[()]), np.empty((0, 1)), np.empty(0))
        found, clipped = np.empty(len(weights)), np.zeros(len(weights), dtype=np.int64)
        loops.simulated_returns(
            policy._kind, policy.terms._tables, weights, policy._deviation, self._numbers(policy),
            self.transition._tables, self.transition_coef_, self.reward._tables, self.reward_coef_, end.terms._tables,
            np.asarray(end.weights, dtype=np.float64), np.asarray(end.limits, dtype=np.float64), self.low_, self.high_,
            starts, draws, found, clipped,
        )  # fmt: skip
        self.clipped_ = float(clipped.mean() / n_rollouts)
        return found


def warn_of_divergence(share):
    """Say that a learned world leaves all experience in most roll-outs.

    Parameters
    ----------
    share : float
        Share of the roll-outs.
    """
    if share > MOSTLY:
        warnings.warn(
            f"{share:.0%} of the learned model's roll-outs leave ten times the range of the states seen; its features "
            "do not suit this world, and its returns are weighed down only as far as they disagree with those seen",
            stacklevel=3,
        )
