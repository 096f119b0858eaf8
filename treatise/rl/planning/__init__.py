"""Planning with a known model: point-based policy iteration for hidden states."""

from treatise.rl.planning.point_based import POMDPSolution, solve_pomdp

__all__ = ["POMDPSolution", "solve_pomdp"]
