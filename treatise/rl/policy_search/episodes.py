"""Episodes of a policy in a world."""

import numpy as np

from treatise.rl.environments.control import ControlWorld
from treatise.rl.environments.gymnasium import as_environment
from treatise.rl.policy_search import _loops as loops
from treatise.rl.processes.mdp import generator
from treatise.rl.processes.trajectory import Trajectory


def run_policy(world, policy, theta, n_episodes=1, *, max_steps=None, random_state=None):
    """Let a policy act for some episodes.

    In a compiled world the whole episode is compiled: a million steps a second or more; elsewhere each step goes
    through Python.

    Parameters
    ----------
    world : Environment or gymnasium.Env
        Where.
    policy : ControlPolicy
        How.
    theta : array-like of shape (policy.size,)
        Its parameters.
    n_episodes : int, default=1
        Episodes.
    max_steps : int or None, default=None
        Steps after which an episode is cut off; None takes the world's limit.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the world's chance and of the policy's.

    Returns
    -------
    trajectory : Trajectory
        With states of shape (n_steps, state_size), all episodes in a row.

    Examples
    --------
    >>> from treatise.rl import MountainCar, SoftmaxControl, StateTerms, run_policy
    >>> policy = SoftmaxControl(2, StateTerms([("identity", 1, 1000.0)]))
    >>> len(run_policy(MountainCar(), policy, [-1.0, 1.0], random_state=0)) < 200
    True
    """
    if n_episodes < 1:
        raise ValueError(f"n_episodes={n_episodes!r}: give at least 1")
    world = as_environment(world)
    _check_fit(world, policy)
    limit = world.max_steps if max_steps is None else max_steps
    if limit is None or limit < 1:
        raise ValueError(f"max_steps={limit!r}: this world sets no limit to an episode; give max_steps, at least 1")
    rng, episode = generator(random_state), _compiled_episode if isinstance(world, ControlWorld) else _episode
    parts = []
    for _ in range(n_episodes):
        # A generator for each episode: what one does not use up changes nothing in the next.
        own = np.random.default_rng(rng.integers(2**63))
        parts.append(episode(world, policy, theta, limit, own, policy.draws(own, limit)))
    return _joined(parts)


def _check_fit(world, policy):
    if (world.n_actions, world.action_size) != (policy.n_actions, policy.action_size):
        acts = [
            f"vectors of {each.action_size} as actions" if each.n_actions is None else f"{each.n_actions} actions"
            for each in (policy, world)
        ]
        raise ValueError(f"the policy has {acts[0]} and the world {acts[1]}")
    policy.terms.check_width(world.state_size)


def _compiled_episode(world, policy, theta, limit, rng, draws):
    states, rewards = np.empty((limit + 1, world.state_size)), np.empty(limit)
    actions = np.empty((limit, 1 if policy.n_actions else policy.action_size))
    states[0] = world.start(rng)
    numbers = np.empty((0, 0)) if world.ACTIONS is None else world.ACTIONS
    n, ended = loops.control_episode(
        world._code, world.constants, numbers, policy._kind, policy.terms._tables, policy.weights(theta),
        policy._deviation, draws, rng.random(limit), states, actions, rewards,
    )  # fmt: skip
    done = actions[:n, 0].astype(np.int64) if policy.n_actions else actions[:n]
    return states[: n + 1], done, rewards[:n], ended


def _episode(world, policy, theta, limit, rng, draws):
    states, actions, rewards, ended = [world.reset(rng)], [], [], False
    while not ended and not world.cut_off and len(rewards) < limit:
        actions.append(policy.act(theta, states[-1], draws[len(rewards)]))
        state, reward, ended = world.step(actions[-1])
        states.append(state)
        rewards.append(reward)
    return np.array(states), np.array(actions), np.array(rewards), ended


def _joined(parts):
    """One trajectory of all episodes."""
    lengths = [len(rewards) for _, _, rewards, _ in parts]
    starts, ends = np.zeros((2, sum(lengths)), dtype=bool)
    begun = np.cumsum([0, *lengths])
    starts[begun[:-1]] = True
    ends[begun[1:] - 1] = [ended for *_, ended in parts]
    return Trajectory(
        np.concatenate([states[:-1] for states, *_ in parts]), np.concatenate([actions for _, actions, *_ in parts]),
        np.concatenate([rewards for _, _, rewards, _ in parts]), np.concatenate([states[1:] for states, *_ in parts]),
        starts, ends,
    )  # fmt: skip
