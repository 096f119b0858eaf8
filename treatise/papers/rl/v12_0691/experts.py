"""The worlds of the paper and the experts in them."""

from typing import Any, NamedTuple

import numpy as np

from treatise.rl import FinitePOMDP, FiniteStateController, grid5, heaven_hell, maze1d, solve_pomdp, tiger
from treatise.rl.processes.controller import belief_key


class Problem(NamedTuple):
    """A world, its expert, and what the paper prints of both."""

    name: str
    world: FinitePOMDP
    expert: FiniteStateController
    horizon: int
    """Steps of a run (Table 9)."""
    value: float
    """Of the expert (Table 9)."""


def problems() -> list[Problem]:
    """Those with the controllers that the paper draws or describes, and Heaven/Hell with a node for each belief."""
    listened = FiniteStateController([0, 0, 0, 2, 1], [[1, 2], [3, 0], [0, 4], [0, 0], [0, 0]])
    world = heaven_hell()
    return [
        Problem("Tiger", tiger(), listened, 20, 1.93),
        Problem("1d Maze", maze1d(), FiniteStateController([0, 1, 1], [[2, 0], [0, 0], [1, 0]], start=2), 20, 1.02),
        Problem("5 x 5 Grid World", grid5(), FiniteStateController([3, 1], [[1] * 9, [0] * 9]), 50, 0.70),
        Problem("Heaven/Hell", world, belief_controller(solve_pomdp(world).controller, world), 300, 8.64),
    ]


def belief_controller(controller: FiniteStateController, world: FinitePOMDP, idle: int | None = None) -> Any:
    """The same behaviour with a node for each belief; nodes that act alike for ever are one.

    Observations that cannot come lead to the node itself, or to the node ``idle``: the behaviour is the same.
    """
    actions: dict[bytes, int] = {}
    after: dict[bytes, dict[int, bytes]] = {}
    for node, belief in zip(*controller.visited_beliefs(world)):
        key = belief_key(belief)
        if key not in actions:
            actions[key] = int(controller.actions[node])
            seen = np.flatnonzero(world.observation_probabilities(belief, actions[key]))
            after[key] = {int(z): belief_key(world.belief_update(belief, actions[key], z)) for z in seen}
    same = {key: key for key in actions}
    alike: dict[tuple, bytes] = {}
    for key in actions:
        signature = actions[key], tuple(sorted((z, same[to]) for z, to in after[key].items()))
        same[key] = alike.setdefault(signature, key)
    kept = {key: place for place, key in enumerate(k for k in actions if same[k] == k)}
    successors = np.empty((len(kept), world.n_observations), dtype=np.int64)
    for key, place in kept.items():
        successors[place] = place if idle is None else idle
        for z, to in after[key].items():
            successors[place, z] = kept[same[to]]
    return FiniteStateController([actions[key] for key in kept], successors)


def compact_features(name: str) -> np.ndarray:
    """The sets of Table 7: heavens, hells, all else."""
    features = np.zeros((20, 4, 5))
    for place, state in enumerate((4, 16, 6, 14)):
        features[state, :, place] = 1.0
    features[:, :, 4] = 1.0 - features.sum(axis=2)
    return features if name == "C" else np.repeat(np.eye(20)[:, np.newaxis], 4, axis=1)
