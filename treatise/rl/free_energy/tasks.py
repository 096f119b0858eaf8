"""Worlds whose states and actions are made of many bits (JMLR 5:1063, section 5)."""

import numpy as np

from treatise.rl.environments.base import Environment
from treatise.rl.free_energy._loops import key_task_run
from treatise.rl.processes.mdp import generator


class LargeActionTask(Environment):
    """Random states, and actions of many bits that earn one for each bit that is right.

    Some key states have a key action each; what is right in a state is the key action of the nearest key state. Random
    actions earn half of the bits. Nothing done changes the next state.

    Parameters
    ----------
    n_state_bits, n_action_bits, n_keys : int, default=12, 40 and 13
        Sizes; the paper's.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the keys.

    Examples
    --------
    >>> from treatise.rl import LargeActionTask
    >>> LargeActionTask(random_state=0).key_actions.shape
    (13, 40)

    References
    ----------
    .. [1] Paper v05-1063, section 5.1.
    """

    def __init__(self, n_state_bits=12, n_action_bits=40, n_keys=13, *, random_state=None):
        if min(n_state_bits, n_action_bits, n_keys) < 1:
            raise ValueError("sizes must be 1 or more")
        rng = generator(random_state)
        self.key_states = rng.random((n_keys, n_state_bits)) < 0.5
        self.key_actions = rng.random((n_keys, n_action_bits)) < 0.5
        self.state_groups, self.action_groups = [1] * n_state_bits, [1] * n_action_bits
        self.state_size, self.action_size = n_state_bits, n_action_bits

    def right_action(self, state):
        """The action that earns most in a state.

        Parameters
        ----------
        state : array-like of bool
            Its bits.

        Returns
        -------
        action : ndarray of bool
        """
        apart = (self.key_states != np.asarray(state, dtype=bool)).sum(axis=1)
        return self.key_actions[apart.argmin()]

    def reset(self, rng):
        """Draw a state."""
        self._rng, self._state = rng, rng.random(self.state_size) < 0.5
        return self._state

    def step(self, action):
        """Earn the bits that are right; the next state is drawn whatever was done. Nothing ends."""
        reward = float(np.sum(self.right_action(self._state) == np.asarray(action, dtype=bool)))
        return self.reset(self._rng), reward, False

    def run(self, agent, n_steps):
        """Let an agent act and learn, with no discount; returns its rewards."""
        rates, temperatures = agent.schedules(n_steps)
        rewards = np.empty(n_steps)
        n = self.key_actions.shape[1]
        key_task_run(
            agent._rng, self.key_states, self.key_actions, agent.W_, agent.c_, np.arange(n + 1),
            agent.n_state_bits_ + np.arange(n), np.ones(n, dtype=np.bool_), agent.n_state_bits_, bool(agent.bias),
            bool(agent.linear_term), rates, temperatures, int(agent.n_sweeps), rewards,
        )  # fmt: skip
        return rewards


MOVES = np.array([(0, 1), (0, -1), (-1, 0), (1, 0)])
"""Up, down, left and right."""


class BlockersTask(Environment):
    """Agents cross a field whose far end is guarded by blockers three cells wide.

    Agents start in the first row and win when one of them steps beyond the last, which earns 1 and ends the episode;
    every other step costs 1. Blockers stand in the last row, each moving one cell a step towards the foremost agent
    within its own columns. Agents move up, down, left or right, in order; a cell that is taken cannot be entered. The
    paper tells the rules in words: details that it leaves open are ours.

    Parameters
    ----------
    width, height : int, default=4 and 5
        Columns and rows.
    n_agents, n_blockers : int, default=2 and 1
        How many there are.
    max_steps : int, default=20
        Steps after which an episode is cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import BlockersTask
    >>> BlockersTask().reset(np.random.default_rng(0)).shape
    (42,)

    References
    ----------
    .. [1] Paper v05-1063, section 5.2.
    """

    def __init__(self, width=4, height=5, n_agents=2, n_blockers=1, *, max_steps=20):
        if width < 3 * n_blockers or n_agents > width or height < 3 or min(n_agents, n_blockers) < 1:
            raise ValueError(
                f"{n_agents} agents and {n_blockers} blockers need {max(3 * n_blockers, n_agents)} columns and 3 rows"
            )
        self.width, self.height, self.n_agents, self.n_blockers = width, height, n_agents, n_blockers
        self.max_steps = max_steps
        self.places = width - 2
        self.state_groups = [width * height] * n_agents + [self.places] * n_blockers
        self.action_groups = [4] * n_agents
        self.state_size, self.action_size = sum(self.state_groups), sum(self.action_groups)
        # Each guards its share of the columns.
        self.zones = np.array_split(np.arange(width), n_blockers)

    def reset(self, rng):
        """Agents anywhere in the first row, blockers anywhere in the last."""
        self.agents = [(int(column), 0) for column in rng.permutation(self.width)[: self.n_agents]]
        self.blockers = [int(min(max(zone[0], rng.integers(self.places)), self.places - 1)) for zone in self.zones]
        return self._state()

    def _blocked(self, column, row):
        return row == self.height - 1 and any(left <= column <= left + 2 for left in self.blockers)

    def step(self, action):
        """All agents move, then the blockers."""
        chosen = np.asarray(action).reshape(self.n_agents, 4).argmax(axis=1)
        for number, move in enumerate(chosen):
            column, row = self.agents[number]
            to = column + int(MOVES[move][0]), row + int(MOVES[move][1])
            if to[1] == self.height and not self._blocked(column, row):
                return self._state(), 1.0, True
            free = 0 <= to[0] < self.width and 0 <= to[1] < self.height and to not in self.agents
            if free and not self._blocked(*to):
                self.agents[number] = to
        for number, zone in enumerate(self.zones):
            near = [agent for agent in self.agents if agent[0] in zone]
            if near:
                column = max(near, key=lambda agent: (agent[1], -abs(agent[0] - self.blockers[number] - 1)))[0]
                step = int(np.sign(column - (self.blockers[number] + 1)))
                to = min(max(self.blockers[number] + step, 0), self.places - 1)
                if not any(agent[1] == self.height - 1 and to <= agent[0] <= to + 2 for agent in self.agents):
                    self.blockers[number] = to
        return self._state(), -1.0, False

    def _state(self):
        bits = np.zeros(self.n_agents * self.width * self.height + self.n_blockers * self.places, dtype=np.bool_)
        for number, (column, row) in enumerate(self.agents):
            bits[number * self.width * self.height + row * self.width + column] = True
        for number, left in enumerate(self.blockers):
            bits[self.n_agents * self.width * self.height + number * self.places + left] = True
        return bits
