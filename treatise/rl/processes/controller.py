"""Finite-state controllers: policies for hidden states that remember by being in a node."""

from collections import deque
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from treatise._core.invariants import is_array, is_count, within
from treatise.rl.processes._sampling_loops import controlled_walk, cumulative
from treatise.rl.processes.mdp import check_lengths, generator

SAME_BELIEF = 6
"""Decimals to which two beliefs are one."""


def belief_key(belief):
    """What beliefs that count as one have in common."""
    return (np.round(belief, SAME_BELIEF) + 0.0).tobytes()


class VisitedBeliefs(NamedTuple):
    """Where a controller can be: entry i is a node and a belief that it can have there."""

    nodes: np.ndarray
    """Of shape (n_visits,)."""
    beliefs: np.ndarray
    """Of shape (n_visits, n_states)."""

    @property
    def n_beliefs(self) -> int:
        """Different beliefs, whatever the node."""
        return len({belief_key(belief) for belief in self.beliefs})


class FiniteStateController:
    """A policy for hidden states: it acts by the node it is in, and what is then seen leads to the next node.

    Its values are linear in the rewards, and are had from one sparse factorisation of size nodes x states.

    Parameters
    ----------
    actions : array-like of int of shape (n_nodes,)
        What is done in each node.
    successors : array-like of int of shape (n_nodes, n_observations)
        The node after each observation.
    start : int, default=0
        The first node.

    Examples
    --------
    Listen until the tiger was heard twice more on one side, then open the other door.

    >>> from treatise.rl import FiniteStateController, tiger
    >>> listen, open_left, open_right = 0, 1, 2
    >>> heard = [[1, 2], [3, 0], [0, 4], [0, 0], [0, 0]]
    >>> controller = FiniteStateController([listen, listen, listen, open_right, open_left], heard)
    >>> round(controller.value(tiger()), 7)
    1.933439

    References
    ----------
    .. [1] Paper v12-0691, section 2.2.
    """

    def __init__(self, actions, successors, start=0):
        self.actions = np.array(actions, dtype=np.int64)
        self.successors = np.array(successors, dtype=np.int64)
        self.start = int(start)
        if self.actions.ndim != 1 or not len(self.actions) or self.successors.ndim != 2:
            raise ValueError("actions must have one entry for each node, successors a row; there must be a node")
        if len(self.successors) != len(self.actions):
            raise ValueError(f"there are {len(self.actions)} actions and {len(self.successors)} rows of successors")
        if not all(holds for _, holds in self._invariants()):
            raise ValueError(f"an action is negative, or a node is named that is not among the {self.n_nodes}, from 0")

    def _invariants(self):
        # Compiled walks follow both arrays without looking.
        nodes = is_array(self.actions, np.int64, None) and len(self.actions) > 0
        yield "every node has an action", nodes and self.actions.min() >= 0
        led = is_array(self.successors, np.int64, len(self.actions), None)
        yield "nodes lead to nodes", led and within(self.successors, 0, len(self.actions))
        yield "the first node is one of them", is_count(self.start) and self.start < len(self.actions)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.actions)

    def __repr__(self) -> str:
        return f"FiniteStateController({self.actions.tolist()}, {self.successors.tolist()}, start={self.start})"

    def values(self, pomdp, rewards=None):
        """Expected discounted reward from each node and state on.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process, with a discount below one.
        rewards : array-like of shape (n_states, n_actions) or (n_rewards, n_states, n_actions) or None, default=None
            Mean rewards of actions in states in place of the process' own; all are evaluated by one factorisation.

        Returns
        -------
        values : ndarray of shape (n_nodes, n_states) or (n_rewards, n_nodes, n_states)
        """
        self._fits(pomdp)
        rewards = pomdp.expected_rewards if rewards is None else np.asarray(rewards, dtype=np.float64)
        if rewards.shape[-2:] != (pomdp.n_states, pomdp.n_actions):
            raise ValueError(f"rewards have the shape {rewards.shape}; they end in {pomdp.expected_rewards.shape}")
        earned = np.moveaxis(rewards[..., self.actions], -1, -2)
        right = earned.reshape(-1, self.n_nodes * pomdp.n_states).T
        values = self._factor(pomdp).solve(np.ascontiguousarray(right))
        return np.ascontiguousarray(values.T).reshape(earned.shape)

    def value(self, pomdp, rewards=None):
        """Expected discounted reward from the first node and the first belief on.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process, with a discount below one.
        rewards : array-like of shape (n_states, n_actions) or None, default=None
            Mean rewards of actions in states in place of the process' own.

        Returns
        -------
        value : float
        """
        return float(self.values(pomdp, rewards)[self.start] @ pomdp.start)

    def reward_values(self, pomdp):
        """Values as a linear function of the rewards.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process, whose rewards do not matter.

        Returns
        -------
        linear : ndarray of shape (n_nodes, n_states, n_states, n_actions)
            ``np.tensordot(linear, rewards)`` are the values for rewards of shape (n_states, n_actions).
        """
        n_states, n_actions = pomdp.n_states, pomdp.n_actions
        columns = self._factor(pomdp).solve(np.eye(self.n_nodes * n_states))
        columns = columns.reshape(self.n_nodes, n_states, self.n_nodes, n_states)
        linear = np.zeros((self.n_nodes, n_states, n_states, n_actions))
        for node, action in enumerate(self.actions):
            linear[..., action] += columns[:, :, node, :]
        return linear

    def occupancy(self, pomdp):
        """Expected discounted number of visits of each state in each node.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process.

        Returns
        -------
        visits : ndarray of shape (n_nodes, n_states)
        """
        first = np.zeros((self.n_nodes, pomdp.n_states))
        first[self.start] = pomdp.start
        return self._factor(pomdp).solve(first.ravel(), trans="T").reshape(first.shape)

    def feature_expectation(self, pomdp, features):
        """Expected discounted sum of features.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process.
        features : array-like of shape (n_states, n_actions, n_features)
            Features of actions in states.

        Returns
        -------
        expectation : ndarray of shape (n_features,)

        References
        ----------
        .. [1] Paper v12-0691, section 6.2.
        """
        features = np.asarray(features, dtype=np.float64)
        return np.einsum("ns,snf->f", self.occupancy(pomdp), features[:, self.actions])

    def visited_beliefs(self, pomdp, *, limit=100_000):
        """All beliefs that the controller can have in each of its nodes, breadth first from its start.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process.
        limit : int, default=100_000
            Most pairs of a node and a belief; more are refused, as there may be infinitely many.

        Returns
        -------
        visits : VisitedBeliefs
            Beliefs that agree to six decimals are one.
        """
        visits = list(islice(self.walk_beliefs(pomdp), limit + 1))
        if len(visits) > limit:
            raise ValueError(f"the controller meets more than limit={limit} beliefs; give a larger limit")
        nodes, beliefs = zip(*visits)
        return VisitedBeliefs(np.array(nodes), np.array(beliefs))

    def walk_beliefs(self, pomdp):
        """Nodes, and beliefs that the controller can have in them, one after the other; perhaps without end.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process.

        Yields
        ------
        node : int
        belief : ndarray of shape (n_states,)
        """
        self._fits(pomdp)
        waiting, known = deque([(self.start, pomdp.start)]), {(self.start, belief_key(pomdp.start))}
        while waiting:
            node, belief = waiting.popleft()
            yield node, belief
            action = self.actions[node]
            joint = (belief @ pomdp.transitions[action])[:, np.newaxis] * pomdp.observations[action]
            seen = joint.sum(axis=0)
            for observation in np.flatnonzero(seen > 0.0):
                after, reached = joint[:, observation] / seen[observation], int(self.successors[node, observation])
                key = (reached, belief_key(after))
                if key not in known:
                    known.add(key)
                    waiting.append((reached, after))

    def visited_nodes(self, pomdp):
        """The nodes that the controller can come to, in order.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process.

        Returns
        -------
        nodes : ndarray of int
        """
        chain, size = self._chain(pomdp), self.n_nodes * pomdp.n_states
        first = np.zeros(size)
        first[self.start * pomdp.n_states : (self.start + 1) * pomdp.n_states] = pomdp.start
        # One place before all others leads to the first ones.
        graph = sparse.block_array([[chain, None], [sparse.csr_array(first[np.newaxis]), sparse.csr_array((1, 1))]])
        places = breadth_first_order(sparse.csr_array(graph), size, return_predecessors=False)
        return np.unique(places[places < size] // pomdp.n_states)

    def sample(self, pomdp, n_runs, horizon, *, random_state=None):
        """Runs from the start.

        Parameters
        ----------
        pomdp : FinitePOMDP
            The process.
        n_runs, horizon : int
            Runs, and steps of each.
        random_state : int, RandomState instance, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        runs : list of (ndarray of int, ndarray of int), each of shape (horizon,)
            Actions and what was seen after each of them.
        """
        self._fits(pomdp)
        check_lengths(n_runs, horizon)
        actions, seen = np.empty((2, n_runs, horizon), dtype=np.int64)
        controlled_walk(
            generator(random_state), cumulative(pomdp.start), self.actions, self.successors, self.start,
            cumulative(pomdp.transitions), cumulative(pomdp.observations), actions, seen,
        )  # fmt: skip
        return list(zip(actions, seen))

    def _fits(self, pomdp):
        if self.actions.max() >= pomdp.n_actions or self.successors.shape[1] != pomdp.n_observations:
            raise ValueError(
                f"the controller is for {self.successors.shape[1]} observations and has action {self.actions.max()}; "
                f"the process has {pomdp.n_observations} observations and {pomdp.n_actions} actions"
            )

    def _chain(self, pomdp):
        """Probabilities of moves between pairs of a node and a state, Equation 6."""
        self._fits(pomdp)
        n_states, size = pomdp.n_states, self.n_nodes * pomdp.n_states
        blocks = []
        for node, action in enumerate(self.actions):
            moves = sparse.coo_array(pomdp.transitions[action])
            for reached in np.unique(self.successors[node]):
                shown = pomdp.observations[action][:, self.successors[node] == reached].sum(axis=1)
                chance = moves.data * shown[moves.col]
                kept = chance > 0.0
                rows, columns = node * n_states + moves.row[kept], reached * n_states + moves.col[kept]
                blocks.append((rows, columns, chance[kept]))
        rows, columns, chances = (np.concatenate(parts) for parts in zip(*blocks))
        return sparse.csc_array((chances, (rows, columns)), shape=(size, size))

    def _factor(self, pomdp):
        """Factors of Equation 5: I - discount x (chain of nodes and states)."""
        if pomdp.discount >= 1.0:
            raise ValueError("discount=1 leaves values undefined; give a discount below 1")
        chain = self._chain(pomdp)
        return splu(sparse.csc_array(sparse.eye_array(chain.shape[0], format="csc") - pomdp.discount * chain))
