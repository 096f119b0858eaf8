"""Finite decision processes: models that can be written down, solved and sampled exactly."""

from treatise.rl.processes.markov_chain import stationary_distribution
from treatise.rl.processes.mdp import FiniteMDP
from treatise.rl.processes.pomdp import FinitePOMDP
from treatise.rl.processes.trajectory import Trajectory

__all__ = ["FiniteMDP", "FinitePOMDP", "Trajectory", "stationary_distribution"]
