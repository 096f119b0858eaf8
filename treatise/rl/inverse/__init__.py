"""Rewards recovered from behaviour (JMLR 12:691)."""

from treatise.rl.inverse.mdp_inverse import MDPInverseRL
from treatise.rl.inverse.plot import plot_belief_value, plot_controller, plot_rewards
from treatise.rl.inverse.pomdp_inverse import POMDPInverseRL

__all__ = ["MDPInverseRL", "POMDPInverseRL", "plot_belief_value", "plot_controller", "plot_rewards"]
