"""Inference in models of many coupled variables: chains."""

from treatise.inference.chains import ChainMarginals, Chains

__all__ = ["ChainMarginals", "Chains"]
