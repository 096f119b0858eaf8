"""Finite worlds of the surveys of policy evaluation, with their features."""

import numpy as np

from treatise.rl.environments.base import Environment
from treatise.rl.processes._sampling_loops import cumulative
from treatise.rl.processes.mdp import FiniteMDP, generator


class FiniteWorld(Environment):
    """A finite process as a world to act in, which shows the number of its state.

    Parameters
    ----------
    mdp : FiniteMDP
        The process.
    max_steps : int or None, default=None
        Steps after which an episode is cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, FiniteWorld
    >>> world = FiniteWorld(FiniteMDP([np.eye(2)[[1, 1]]], [1.0, 0.0], terminal=[False, True]))
    >>> world.reset(np.random.default_rng(0)), world.step(0)
    (array([0.]), (array([1.]), 1.0, True))
    """

    def __init__(self, mdp, max_steps=None):
        self.mdp, self.max_steps = mdp, max_steps
        self.n_actions, self.state_numbers = mdp.n_actions, range(mdp.n_states)
        self._start, self._moves = cumulative(mdp.start), cumulative(mdp.transitions)

    def reset(self, rng):
        """Draw a state.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance until the next call.

        Returns
        -------
        state : ndarray of shape (1,)
        """
        self._rng, self._state = rng, drawn_place(rng, self._start)
        return np.array([float(self._state)])

    def step(self, action):
        """Act.

        Parameters
        ----------
        action : int
            What to do.

        Returns
        -------
        state : ndarray of shape (1,)
        reward : float
        done : bool
            Whether the state is a terminal one.
        """
        before, self._state = self._state, drawn_place(self._rng, self._moves[action, self._state])
        reward = float(self.mdp.rewards[before, action, self._state])
        return np.array([float(self._state)]), reward, bool(self.mdp.terminal[self._state])


def drawn_place(rng, sums):
    """A place by cumulative probabilities."""
    return int(np.searchsorted(sums, rng.random(), side="right"))


def garnet(n_states=30, n_actions=2, branching=2, *, discount=0.95, random_state=None):
    """A random world in which each action leads to a few states (Garnet).

    Use it to compare methods on problems without structure; ``garnet(30, 2, 2)`` and ``garnet(100, 4, 3)`` are the
    small and the big one of JMLR 15:289.

    Parameters
    ----------
    n_states, n_actions : int, default=30 and 2
        Sizes.
    branching : int, default=2
        States that an action may lead to: drawn without replacement, their probabilities the gaps between uniform cuts.
    discount : float, default=0.95
        What a reward is worth one step later.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    mdp : FiniteMDP
        With rewards of the states that are uniform between 0 and 1.

    Examples
    --------
    >>> from treatise.rl.environments import garnet
    >>> (garnet(10, 3, 2, random_state=0).transitions > 0).sum(axis=2).tolist() == [[2] * 10] * 3
    True
    """
    if not 1 <= branching <= n_states:
        raise ValueError(f"branching={branching!r}: give from 1 to the {n_states} states")
    rng = generator(random_state)
    transitions = np.zeros((n_actions, n_states, n_states))
    for action in range(n_actions):
        for state in range(n_states):
            reached = rng.permutation(n_states)[:branching]
            transitions[action, state, reached] = _gaps(rng, branching)
    return FiniteMDP(transitions, rng.random(n_states), discount=discount)


def random_policy(n_states, n_actions, *, random_state=None):
    """A policy whose probabilities are the gaps between uniform cuts of the unit interval.

    Parameters
    ----------
    n_states, n_actions : int
        Sizes.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    policy : ndarray of shape (n_states, n_actions)

    Examples
    --------
    >>> from treatise.rl.environments import random_policy
    >>> random_policy(3, 2, random_state=0).sum(axis=1)
    array([1., 1., 1.])
    """
    rng = generator(random_state)
    return np.array([_gaps(rng, n_actions) for _ in range(n_states)])


def _gaps(rng, pieces):
    return np.diff(np.concatenate([[0.0], np.sort(rng.random(pieces - 1)), [1.0]]))


def random_mdp(n_states=400, n_actions=10, *, discount=0.95, random_state=None):
    """A world in which every action may lead to every state, with uniform probabilities and rewards of actions.

    Parameters
    ----------
    n_states, n_actions : int, default=400 and 10
        Sizes.
    discount : float, default=0.95
        What a reward is worth one step later.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    mdp : FiniteMDP

    Examples
    --------
    >>> from treatise.rl.environments import random_mdp
    >>> random_mdp(5, 2, random_state=0).n_states
    5
    """
    rng = generator(random_state)
    start = rng.random(n_states) + 1e-5
    transitions = rng.random((n_actions, n_states, n_states)) + 1e-5
    return FiniteMDP(
        transitions / transitions.sum(axis=2, keepdims=True), rng.random((n_states, n_actions)), discount=discount,
        start=start / start.sum(),
    )  # fmt: skip


def boyan_chain(n_states=14, *, discount=0.95):
    """Boyan's chain: one or two states forward with equal chance, three points lost a step, two at the last one.

    The last state is left never, and earns nothing. Cut episodes off after some steps (the survey's have 20).

    Parameters
    ----------
    n_states : int, default=14
        Length of the chain.
    discount : float, default=0.95
        What a reward is worth one step later.

    Returns
    -------
    mdp : FiniteMDP
        With one action.

    Examples
    --------
    >>> from treatise.rl.environments import boyan_chain
    >>> boyan_chain(4).value([[1.0]] * 4).round(4)
    array([-5.8262, -3.95  , -2.    ,  0.    ])
    """
    if n_states < 3:
        raise ValueError(f"n_states={n_states!r}: the chain has at least three states")
    transitions = np.zeros((1, n_states, n_states))
    for state in range(n_states - 2):
        transitions[0, state, [state + 1, state + 2]] = 0.5
    transitions[0, -2, -1] = transitions[0, -1, -1] = 1.0
    rewards = np.full(n_states, -3.0)
    rewards[-2:] = -2.0, 0.0
    start = np.zeros(n_states)
    start[0] = 1.0
    return FiniteMDP(transitions, rewards, discount=discount, start=start)


def boyan_features(n_states=14, n_features=4):
    """Triangles along Boyan's chain, each of which reaches its neighbours' peaks.

    Parameters
    ----------
    n_states, n_features : int, default=14 and 4
        Sizes.

    Returns
    -------
    features : ndarray of shape (n_states, n_features)

    Examples
    --------
    >>> from treatise.rl.environments import boyan_features
    >>> boyan_features(5, 3)
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ],
           [0. , 1. , 0. ],
           [0. , 0.5, 0.5],
           [0. , 0. , 1. ]])
    """
    if not 2 <= n_features <= n_states:
        raise ValueError(f"n_features={n_features!r}: give from 2 to the {n_states} states")
    places, peaks = np.arange(1, n_states + 1), np.linspace(1, n_states, n_features)
    return np.maximum(1.0 - np.abs(places[:, np.newaxis] - peaks) * (n_features - 1) / (n_states - 1), 0.0)


def baird_star(n_corners=7, *, discount=0.99):
    """Baird's star, where TD diverges: the first action goes to a corner, the second to the centre; no rewards.

    The survey's behaviour takes the first action with probability n_corners / (n_corners + 1); its target never does.

    Parameters
    ----------
    n_corners : int, default=7
        Corners; the centre is the last state.
    discount : float, default=0.99
        What a reward is worth one step later.

    Returns
    -------
    mdp : FiniteMDP

    Examples
    --------
    >>> from treatise.rl.environments import baird_star
    >>> baird_star(3).transitions[1, 0]
    array([0., 0., 0., 1.])
    """
    n = n_corners + 1
    transitions = np.zeros((2, n, n))
    transitions[0, :, :n_corners] = 1.0 / n_corners
    transitions[1, :, n_corners] = 1.0
    return FiniteMDP(transitions, np.zeros(n), discount=discount)


def baird_features(n_corners=7):
    """Features of Baird's star: twice its own for a corner and one that all share; the centre has that one twice.

    Parameters
    ----------
    n_corners : int, default=7
        Corners of the star.

    Returns
    -------
    features : ndarray of shape (n_corners + 1, n_corners + 2)

    Examples
    --------
    >>> from treatise.rl.environments import baird_features
    >>> baird_features(2)
    array([[2., 0., 0., 1.],
           [0., 2., 0., 1.],
           [0., 0., 1., 2.]])
    """
    features = np.zeros((n_corners + 1, n_corners + 2))
    features[np.arange(n_corners), np.arange(n_corners)] = 2.0
    features[:n_corners, -1] = 1.0
    features[n_corners, -2:] = 1.0, 2.0
    return features
