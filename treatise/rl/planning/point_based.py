"""Point-based policy iteration: a finite-state controller that is best at a set of beliefs (Ji et al., AAAI 2007)."""

import warnings
from itertools import islice
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.rl.processes.controller import FiniteStateController, belief_key
from treatise.rl.processes.mdp import FiniteMDP

ITSELF = -1
"""Stands for the node itself where an observation cannot come."""
ROUNDING = 1e-12
LONGEST_WALK = 50


class POMDPSolution(NamedTuple):
    """A controller, and how far it can be from the best."""

    controller: FiniteStateController
    value: float
    """What the controller earns from the first belief on, exactly."""
    residual: float
    """Most that one step's foresight gains at any of the beliefs."""
    error_bound: float
    """Most that any policy can earn more: residual / (1 - discount) where every belief that any actions can lead to is
    among those looked at (beliefs that agree to six decimals being one); infinite where they are not."""
    beliefs: np.ndarray
    """The beliefs looked at, of shape (n_beliefs, n_states)."""
    converged: bool
    """Whether the residual came below the tolerance, and more beliefs gained nothing."""


def solve_pomdp(pomdp, *, rewards=None, max_beliefs=500, tol=1e-9, max_iter=300):
    """The controller that earns most, by point-based policy iteration.

    Policies are evaluated exactly and improved at a set of beliefs: all that any actions can lead to if there are no
    more than ``max_beliefs``; else the first ones, those along walks of somebody who sees the state and does every
    other time something at random, and those near the ones that the controller itself meets, more with each round.
    Use it for tens to hundreds of states. An iteration costs beliefs x actions x observations x states x nodes, and a
    sparse factorisation of size nodes x states.

    Parameters
    ----------
    pomdp : FinitePOMDP
        The process, with a discount below one.
    rewards : array-like of shape (n_states, n_actions) or None, default=None
        Mean rewards of actions in states in place of the process' own.
    max_beliefs : int, default=500
        Beliefs at most.
    tol : float, default=1e-9
        Gain of a step's foresight that is none, as a share of the range of the rewards and of the largest value in it.
    max_iter : int, default=300
        Iterations at most, over all rounds.

    Returns
    -------
    solution : POMDPSolution
        Of equally good actions the first is taken.

    Examples
    --------
    >>> from treatise.rl import solve_pomdp, tiger
    >>> solution = solve_pomdp(tiger())
    >>> round(solution.value, 6), solution.controller.n_nodes, solution.error_bound < 1e-6
    (1.933439, 5, True)

    References
    ----------
    .. [1] Ji, Parr, Li, Liao & Carin, Point-based policy iteration, AAAI 2007.
    """
    rewards = pomdp.expected_rewards if rewards is None else np.asarray(rewards, dtype=np.float64)
    if rewards.shape != pomdp.expected_rewards.shape or not np.isfinite(rewards).all():
        raise ValueError(f"rewards must be finite and have the shape {pomdp.expected_rewards.shape}")
    if max_beliefs < 1 or max_iter < 1:
        raise ValueError(f"max_beliefs={max_beliefs!r} and max_iter={max_iter!r} must be at least 1")
    # What every step earns alike, and the unit, change no choice; they would hide or swell what is counted as none.
    lowest, unit = float(rewards.min()), float(np.ptp(rewards)) or 1.0
    rewards = (rewards - lowest) / unit
    points = _Points(pomdp)
    complete = points.grow(max_beliefs if max_beliefs < _FEW else max(_FEW, max_beliefs // 4))
    if not complete:
        seeing = FiniteMDP(pomdp.transitions, rewards, discount=pomdp.discount, start=pomdp.start)
        points.wander(seeing.optimal()[0], max_beliefs // 2)
    nodes = _Nodes.blind(pomdp, rewards)
    left = max_iter
    while True:
        residual, left = _iterate(pomdp, rewards, points, nodes, tol, left)
        solution = nodes.best_start(pomdp)
        if complete or left <= 0 or not points.grow_around(solution, max_beliefs):
            break
    value = unit * float(nodes.values[nodes.start] @ pomdp.start) + lowest / (1.0 - pomdp.discount)
    converged = residual <= tol * (1.0 + np.abs(nodes.values).max())
    residual *= unit
    if not converged:
        warnings.warn(
            f"a step's foresight still gains {residual:.2g} after max_iter={max_iter} iterations; give more",
            ConvergenceWarning,
            stacklevel=2,
        )
    bound = residual / (1.0 - pomdp.discount) if complete else np.inf
    beliefs = np.array(points.beliefs)
    return POMDPSolution(solution, value, residual, bound, beliefs, converged)


_FEW = 100
"""Beliefs to begin with where there are too many."""


class _Points:
    """Beliefs, and where each action leads from them."""

    def __init__(self, pomdp):
        self._pomdp = pomdp
        self.beliefs, self._known = [], set()
        self._rows, self._places = [], []  # unnormalised next beliefs; point, action and observation of each
        self._add(pomdp.start)

    def _add(self, belief):
        key = belief_key(belief)
        if key not in self._known:
            self._known.add(key)
            self.beliefs.append(belief)

    def _ahead(self, belief):
        """Next beliefs as they are reached (unnormalised), with the action and the observation of each."""
        moved = np.einsum("s,ast->at", belief, self._pomdp.transitions)
        joint = moved[:, :, np.newaxis] * self._pomdp.observations
        actions, seen = np.nonzero(joint.sum(axis=1) > 0.0)
        return joint[actions, :, seen], actions, seen

    def grow(self, limit):
        """Breadth first, until there are no more or too many; whether all are there."""
        for belief in self.beliefs:
            for joint in self._ahead(belief)[0]:
                self._add(joint / joint.sum())
            if len(self.beliefs) > limit:
                self._cut(limit)
                return False
        return True

    def wander(self, policy, limit):
        """Add what is believed along walks of one who sees the state, knows what is best there, and strays.

        Breadth alone comes to no place that lies many actions away. The walks are the same in every call.
        """
        rng, pomdp = np.random.default_rng(0), self._pomdp
        for _ in range(limit):
            belief, state = pomdp.start, rng.choice(pomdp.n_states, p=pomdp.start)
            for _ in range(LONGEST_WALK):
                if len(self.beliefs) >= limit:
                    return
                action = policy[state] if rng.random() < 0.5 else rng.integers(pomdp.n_actions)
                state = rng.choice(pomdp.n_states, p=pomdp.transitions[action, state])
                seen = rng.choice(pomdp.n_observations, p=pomdp.observations[action, state])
                belief = pomdp.belief_update(belief, action, seen)
                self._add(belief)

    def grow_around(self, controller, limit):
        """Add what lies one action from the beliefs that the controller meets; whether anything was added."""
        count = len(self.beliefs)
        if count >= limit:
            return False
        for _, belief in islice(controller.walk_beliefs(self._pomdp), limit):
            self._add(belief)
            for joint in self._ahead(belief)[0]:
                self._add(joint / joint.sum())
            if len(self.beliefs) >= limit:
                break
        if len(self.beliefs) == count:
            # All that lies beside the controller's way is known: what lies beside the rest comes next.
            for belief in self.beliefs[:count]:
                for joint in self._ahead(belief)[0]:
                    self._add(joint / joint.sum())
        self._cut(limit)
        return len(self.beliefs) > count

    def _cut(self, limit):
        for belief in self.beliefs[limit:]:
            self._known.discard(belief_key(belief))
        del self.beliefs[limit:]

    def tables(self):
        """All beliefs, all next beliefs as they are reached (unnormalised), and point, action, observation of these."""
        for point in range(len(self._rows), len(self.beliefs)):
            rows, actions, seen = self._ahead(self.beliefs[point])
            self._rows.append(rows)
            self._places.append(np.column_stack([np.full(len(actions), point), actions, seen]))
        return np.array(self.beliefs), np.concatenate(self._rows), np.concatenate(self._places)


class _Nodes:
    """A controller in the making, with its values."""

    def __init__(self, actions, successors, values):
        self.actions, self.successors, self.values = actions, successors, values
        self.start = 0

    @classmethod
    def blind(cls, pomdp, rewards):
        """One node that does for ever what earns most from the first belief on."""
        ways = [FiniteStateController([a], np.zeros((1, pomdp.n_observations))) for a in range(pomdp.n_actions)]
        values = [way.values(pomdp, rewards) for way in ways]
        best = int(np.argmax([float(value[0] @ pomdp.start) for value in values]))
        return cls(ways[best].actions, ways[best].successors, values[best])

    def best_start(self, pomdp):
        """The controller that begins best, without the nodes that it never comes to; also kept here."""
        self.start = _first_best(self.values @ pomdp.start)
        return _without_idle(FiniteStateController(self.actions, self.successors, self.start), pomdp)

    def evaluate(self, pomdp, rewards):
        self.values = FiniteStateController(self.actions, self.successors).values(pomdp, rewards)

    def keep(self, nodes):
        """Only these nodes, into which no other leads from outside of them."""
        place = np.zeros(len(self.actions), dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        self.actions, self.values = self.actions[nodes], self.values[nodes]
        self.successors = place[self.successors[nodes]]


def _iterate(pomdp, rewards, points, nodes, tol, left):
    """Policy iteration at fixed points, until a step's foresight gains nothing; the residual, and iterations left."""
    beliefs, ahead, places = points.tables()
    earned = beliefs @ rewards
    residual = np.inf
    while left > 0:
        left -= 1
        now = beliefs @ nodes.values.T
        worth = ahead @ nodes.values.T
        choice = _first_best(worth)
        later = np.bincount(
            places[:, 0] * pomdp.n_actions + places[:, 1], worth[np.arange(len(worth)), choice], earned.size
        )
        look_ahead = earned + pomdp.discount * later.reshape(earned.shape)
        action = _first_best(look_ahead)
        gains = look_ahead[np.arange(len(beliefs)), action] - now.max(axis=1)
        residual = max(float(gains.max()), 0.0)
        slack = tol * (1.0 + np.abs(nodes.values).max())
        if residual <= slack:
            break
        successors = np.full((len(beliefs), pomdp.n_observations), ITSELF)
        taken = places[:, 1] == action[places[:, 0]]
        successors[places[taken, 0], places[taken, 2]] = choice[taken]
        better = gains > slack
        strategies = np.unique(np.column_stack([action, successors])[better], axis=0)
        _transform(pomdp, rewards, beliefs, nodes, strategies)
        nodes.evaluate(pomdp, rewards)
        nodes.keep(_needed(nodes, beliefs))
        _close(pomdp, rewards, beliefs, ahead, places, nodes)
    return residual, left


def _close(pomdp, rewards, beliefs, ahead, places, nodes):
    """Lead every node, from the beliefs it is best at, to the nodes that are best by now, where nothing is lost.

    Without it new nodes lead to those of the iteration before, and a way that comes back to its beginning grows by one
    lap after another; with it the lap is closed, and evaluated for all times at once.
    """
    now = beliefs @ nodes.values.T
    owner, worth = _first_best(now), ahead @ nodes.values.T
    taken = places[:, 1] == nodes.actions[owner[places[:, 0]]]
    edges = owner[places[taken, 0]] * pomdp.n_observations + places[taken, 2]
    reached = _first_best(worth[taken])
    lowest = np.full(nodes.successors.size, len(nodes.actions))
    highest = np.full(nodes.successors.size, ITSELF)
    np.minimum.at(lowest, edges, reached)
    np.maximum.at(highest, edges, reached)
    agreed = (lowest == highest).reshape(nodes.successors.shape)
    before = nodes.successors, nodes.values
    nodes.successors = np.where(agreed, lowest.reshape(agreed.shape), nodes.successors)
    nodes.evaluate(pomdp, rewards)
    least = now.max(axis=1)
    if ((beliefs @ nodes.values.T).max(axis=1) < least - ROUNDING * (1.0 + np.abs(least))).any():
        nodes.successors, nodes.values = before
    else:
        nodes.keep(_needed(nodes, beliefs))


def _transform(pomdp, rewards, beliefs, nodes, strategies):
    """Put new strategies in place of the nodes that they excel at all beliefs, else beside them."""
    for action, *successors in strategies.tolist():
        successors = np.array(successors)
        own = len(nodes.actions)
        # Where an observation cannot come the first node's value stands for that of the node itself.
        after = nodes.values[np.where(successors == ITSELF, 0, successors)]
        shown = np.einsum("tz,zt->t", pomdp.observations[action], after)
        value = rewards[:, action] + pomdp.discount * (pomdp.transitions[action] @ shown)
        at_beliefs, others = beliefs @ value, beliefs @ nodes.values.T
        slack = ROUNDING * (1.0 + np.abs(others).max())
        excelled = np.flatnonzero((at_beliefs[:, np.newaxis] >= others - slack).all(axis=0))
        if len(excelled):
            own = excelled[0]
            nodes.successors[np.isin(nodes.successors, excelled[1:])] = own
            successors[np.isin(successors, excelled[1:])] = own
        else:
            nodes.actions = np.append(nodes.actions, 0)
            nodes.successors = np.vstack([nodes.successors, np.zeros_like(nodes.successors[:1])])
            nodes.values = np.vstack([nodes.values, np.zeros_like(nodes.values[:1])])
        nodes.actions[own] = action
        nodes.successors[own] = np.where(successors == ITSELF, own, successors)
        nodes.values[own] = value


def _needed(nodes, beliefs):
    """Nodes that are best at some belief, and those that they lead to."""
    needed = np.zeros(len(nodes.actions), dtype=bool)
    needed[_first_best(beliefs @ nodes.values.T)] = True
    while True:
        led = needed.copy()
        led[nodes.successors[needed]] = True
        if (led == needed).all():
            return np.flatnonzero(needed)
        needed = led


def _without_idle(controller, pomdp):
    """The controller with the nodes alone that it comes to; what cannot be seen in a node leaves it there."""
    used = controller.visited_nodes(pomdp)
    place = np.full(controller.n_nodes, ITSELF)
    place[used] = np.arange(len(used))
    successors = place[controller.successors[used]]
    successors = np.where(successors == ITSELF, np.arange(len(used))[:, np.newaxis], successors)
    return FiniteStateController(controller.actions[used], successors, place[controller.start])


def _first_best(values):
    """Along the last axis, the first that is best but for rounding."""
    best = values.max(axis=-1, keepdims=True)
    return np.argmax(values >= best - ROUNDING * (1.0 + np.abs(best)), axis=-1)
