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
        spaces = _gymnasium().spaces
        self.world = world
        self.max_steps = getattr(world.spec, "max_episode_steps", None)
        self._take_actions(spaces, world.action_space)
        self._show_states(spaces, world.observation_space)

    def _take_actions(self, spaces, space):
        if isinstance(space, spaces.Discrete):
            self.n_actions = int(space.n)
            self._meant = lambda action: int(action) + int(space.start)
        elif isinstance(space, spaces.MultiDiscrete):
            sizes = np.ravel(space.nvec)
            # Of two choices one bit tells which.
            self.action_groups = [1 if size == 2 else int(size) for size in sizes]
            first = np.cumsum([0, *self.action_groups[:-1]])
            places = np.concatenate([[1] if size == 1 else np.arange(size) for size in self.action_groups])
            self._meant = lambda bits: (
                np.add.reduceat(np.asarray(bits) * places, first).reshape(space.shape).astype(space.dtype)
                + np.asarray(space.start, dtype=space.dtype)
            )
        elif isinstance(space, (spaces.Box, spaces.MultiBinary)):
            if isinstance(space, spaces.MultiBinary):
                self.action_groups = [1] * int(np.prod(space.shape))
            else:
                self.action_size = int(np.prod(space.shape))
            self._meant = lambda action: np.asarray(action, dtype=space.dtype).reshape(space.shape)
        else:
            raise ValueError(
                f"actions of the kind {space} are not known here; give Discrete, MultiDiscrete, MultiBinary or Box"
            )
        if self.action_groups is not None:
            self.action_size = sum(self.action_groups)

    def _show_states(self, spaces, space):
        if isinstance(space, spaces.Discrete):
            self.state_numbers = range(int(space.start), int(space.start + space.n))
            self._shown = lambda seen: np.array([float(seen)])
            return
        self.state_size = int(spaces.flatdim(space))
        if isinstance(space, spaces.MultiDiscrete):
            self.state_groups = [int(size) for size in np.ravel(space.nvec)]
        elif isinstance(space, spaces.MultiBinary) or _is_of_bits(spaces, space):
            self.state_groups = [1] * self.state_size
        self._shown = lambda seen: np.asarray(spaces.flatten(space, seen), dtype=np.float64)

    def reset(self, rng):
        """Begin an episode with a seed drawn from the generator."""
        self.cut_off = False
        seen, _ = self.world.reset(seed=int(rng.integers(2**31 - 1)))
        return self._shown(seen)

    def step(self, action):
        """Hand the action on; an episode that Gymnasium cuts off has not ended for good."""
        seen, reward, ended, cut, _ = self.world.step(self._meant(action))
        self.cut_off = bool(cut) and not ended
        return self._shown(seen), float(reward), bool(ended)


def _is_of_bits(spaces, space):
    """Whether a box holds zeros and ones alone, as Gymnasium's FlattenObservation makes them of numbered states."""
    whole = isinstance(space, spaces.Box) and np.issubdtype(space.dtype, np.integer)
    return whole and bool((space.low == 0).all() and (space.high == 1).all())


def from_gymnasium(world):
    """A world of Gymnasium as an :class:`Environment`.

    Parameters
    ----------
    world : gymnasium.Env
        With numbered actions, actions of several choices at once, or actions that are vectors. Numbered states stay
        numbers; all else that it shows is flattened to one vector. Gymnasium's wrapper ``FlattenObservation`` makes
        bits of numbers.

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


def as_environment(world):
    """The world in our interface, whether it is one of ours or one of Gymnasium's.

    Parameters
    ----------
    world : Environment or gymnasium.Env
        The world.

    Returns
    -------
    world : Environment
    """
    if isinstance(world, Environment):
        return world
    if hasattr(world, "observation_space"):
        return from_gymnasium(world)
    raise TypeError(f"a {type(world).__name__} is no world; give an Environment or one of Gymnasium's")


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
            return self._shown(state), float(reward), bool(done), bool((late or environment.cut_off) and not done), {}

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
