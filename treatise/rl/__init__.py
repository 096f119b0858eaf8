"""Reinforcement learning: value estimation, policy gradients, inverse problems."""

from treatise.rl.environments import Environment, as_gymnasium, from_gymnasium
from treatise.rl.processes import FiniteMDP, FinitePOMDP, Trajectory, stationary_distribution

__all__ = [
    "Environment",
    "FiniteMDP",
    "FinitePOMDP",
    "Trajectory",
    "as_gymnasium",
    "from_gymnasium",
    "stationary_distribution",
]
