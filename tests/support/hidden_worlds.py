"""Experts of JMLR 12:691 and random processes with hidden states."""

import numpy as np

from treatise.rl import FinitePOMDP, FiniteStateController

TIGER = FiniteStateController([0, 0, 0, 2, 1], [[1, 2], [3, 0], [0, 4], [0, 0], [0, 0]])
MAZE = FiniteStateController([0, 1, 1], [[2, 0], [0, 0], [1, 0]], start=2)
GRID = FiniteStateController([3, 1], [[1] * 9, [0] * 9])


def random_case(seed, n_states=4, n_actions=3, n_observations=2, n_nodes=3, discount=0.8):
    rng = np.random.default_rng(seed)
    pomdp = FinitePOMDP(
        rng.dirichlet(np.ones(n_states), size=(n_actions, n_states)),
        rng.dirichlet(np.ones(n_observations), size=(n_actions, n_states)),
        rng.normal(size=(n_states, n_actions)), discount=discount, start=rng.dirichlet(np.ones(n_states)),
    )  # fmt: skip
    nodes = rng.integers(n_actions, size=n_nodes), rng.integers(n_nodes, size=(n_nodes, n_observations))
    return pomdp, FiniteStateController(*nodes), rng
