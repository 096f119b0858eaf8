"""Rewards recovered from behaviour (JMLR 12:691)."""

from treatise.rl.inverse.mdp_inverse import MDPInverseRL
from treatise.rl.inverse.pomdp_inverse import POMDPInverseRL

__all__ = ["MDPInverseRL", "POMDPInverseRL"]
