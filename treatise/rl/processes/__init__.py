"""Finite decision processes: models that can be written down, solved and sampled exactly."""

from treatise.rl.processes.controller import FiniteStateController, VisitedBeliefs
from treatise.rl.processes.files import read_pomdp, write_pomdp
from treatise.rl.processes.markov_chain import stationary_distribution
from treatise.rl.processes.mdp import FiniteMDP
from treatise.rl.processes.pomdp import FinitePOMDP
from treatise.rl.processes.trajectory import Trajectory

__all__ = [
    "FiniteMDP",
    "FinitePOMDP",
    "FiniteStateController",
    "Trajectory",
    "VisitedBeliefs",
    "read_pomdp",
    "stationary_distribution",
    "write_pomdp",
]
