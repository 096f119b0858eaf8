"""Markov chain Monte Carlo: a driver of chains, a test of samplers, random numbers for compiled loops."""

from treatise.statistics.sampling.chains import Chain, ChainPlan, Draws, run_chains, to_arviz, worst_of
from treatise.statistics.sampling.elliptical_slice import EllipticalSlice
from treatise.statistics.sampling.joint_test import geweke_joint_test

__all__ = ["Chain", "ChainPlan", "Draws", "EllipticalSlice", "geweke_joint_test", "run_chains", "to_arviz", "worst_of"]
