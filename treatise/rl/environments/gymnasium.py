"""Worlds of ours for Gymnasium, and worlds of Gymnasium for our methods."""

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.rl.environments.base import Environment
from treatise.rl.environments.finite import FiniteWorld
from treatise.rl.environments.hidden import HiddenWorld
from treatise.rl.processes.mdp import FiniteMDP
from treatise.rl.processes.pomdp import FinitePOMDP


def _gymnasium():
    try:
        import gymnasium
    except ImportError:
        raise TreatiseError("this needs Gymnasium; pip install 'treatise[gym]'") from None
    return gymnasium


class _FromGymnasium(Environment):
    def __init__(self, world):
        gymnasium = _gymnasium()
        self.world = world
        spaces = gymnasium.spaces
        if isinstance(world.action_space, spaces.Discrete):
            self.n_actions, self._first_action = int(world.action_space.n), int(world.action_space.start)
        elif isinstance(world.action_space, spaces.Box):
            self.action_size = int(np.prod(world.action_space.shape))
        else:
            raise ValueError(f"actions of the kind {world.action_space} are not known here; give Discrete or Box")
        self.state_size = int(spaces.flatdim(world.observation_space))
        self.max_steps = getattr(world.spec, "max_episode_steps", None)
        self._flat = lambda seen: np.asarray(spaces.flatten(world.observation_space, seen), dtype=np.float64)

    def reset(self, rng):
        """Begin an episode with a seed drawn from the generator."""
        seen, _ = self.world.reset(seed=int(rng.integers(2**31 - 1)))
        return self._flat(seen)

    def step(self, action):
        """Hand the action on; an episode that Gymnasium cuts off has not ended for good."""
        if self.n_actions is not None:
            action = int(action) + self._first_action
        else:
            action = np.asarray(action, dtype=self.world.action_space.dtype).reshape(self.world.action_space.shape)
        seen, reward, ended, _, _ = self.world.step(action)
        return self._flat(seen), float(reward), bool(ended)


def from_gymnasium(world):
    """A world of Gymnasium as an :class:`Environment`.

    Parameters
    ----------
    world : gymnasium.Env
        With numbered actions or actions that are vectors; what it shows is flattened to one vector.

    Returns
    -------
    environment : Environment

    Examples
    --------
    >>> import gymnasium
    >>> import numpy as np
    >>> from treatise.rl import from_gymnasium
    >>> world = from_gymnasium(gymnasium.make("CartPole-v1"))
    >>> world.reset(np.random.default_rng(0)).shape, world.n_actions
    ((4,), 2)
    """
    return _FromGymnasium(world)


def as_gymnasium(environment):
    """An :class:`Environment` or a finite process as a world of Gymnasium.

    Numbered states and actions are spaces of the kind ``Discrete``, states of bits ``MultiBinary``, actions of bits
    ``MultiDiscrete`` with an entry for each group, vectors ``Box``.

    Parameters
    ----------
    environment : Environment, FiniteMDP or FinitePOMDP
        The world; of a process with hidden states the observations are shown, -1 before the first.

    Returns
    -------
    world : gymnasium.Env

    Examples
    --------
    >>> from treatise.rl import as_gymnasium, tiger
    >>> world = as_gymnasium(tiger())
    >>> world.action_space, int(world.reset(seed=0)[0])
    (Discrete(3), -1)
    """
    gymnasium = _gymnasium()
    if isinstance(environment, FinitePOMDP):
        environment = HiddenWorld(environment)
    elif isinstance(environment, FiniteMDP):
        environment = FiniteWorld(environment)
    elif not isinstance(environment, Environment):
        raise TypeError(f"{environment!r} is no world; give an Environment, a FiniteMDP or a FinitePOMDP")

    class World(gymnasium.Env):
        """The same world, told through Gymnasium's interface."""

        metadata: dict = {"render_modes": []}

        def __init__(self):
            self.observation_space, self._shown = _observations(gymnasium.spaces, environment)
            self.action_space, self._meant = _actions(gymnasium.spaces, environment)
            self._steps = 0

        def reset(self, *, seed=None, options=None):
            """Begin an episode; one generator goes on through all episodes until another seed is given."""
            super().reset(seed=seed)
            self._steps = 0
            return self._shown(environment.reset(self.np_random)), {}

        def step(self, action):
            """One step, and whether the episode ended or was cut off."""
            state, reward, done = environment.step(self._meant(action))
            self._steps += 1
            late = environment.max_steps is not None and self._steps >= environment.max_steps
            return self._shown(state), float(reward), bool(done), bool(late and not done), {}

    return World()


def _observations(spaces, environment):
    """The space of what a world shows, and how a state is told in it."""
    numbers = environment.state_numbers
    if numbers is not None:
        return spaces.Discrete(len(numbers), start=numbers.start), lambda state: np.int64(state[0])
    if environment.state_groups is not None:
        return spaces.MultiBinary(environment.state_size), lambda state: np.array(state, dtype=np.int8)
    box = spaces.Box(-np.inf, np.inf, (environment.state_size,), np.float64)
    return box, lambda state: np.array(state, dtype=np.float64)


def _actions(spaces, environment):
    """The space of actions, and what the world takes for one of them."""
    if environment.n_actions is not None:
        return spaces.Discrete(environment.n_actions), int
    groups = environment.action_groups
    if groups is None:
        return spaces.Box(-np.inf, np.inf, (environment.action_size,), np.float64), lambda action: action

    def bits(action):
        parts = [[bool(chosen)] if size == 1 else np.arange(size) == chosen for size, chosen in zip(groups, action)]
        return np.concatenate(parts).astype(np.bool_)

    return spaces.MultiDiscrete([max(size, 2) for size in groups]), bits
