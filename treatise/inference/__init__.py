"""Inference in models of many coupled variables: chains."""

from treatise.inference.chains import ChainMarginals, Chains
from treatise.inference.max_flow import FlowNetwork, MinimumCut

__all__ = ["ChainMarginals", "Chains", "FlowNetwork", "MinimumCut"]
