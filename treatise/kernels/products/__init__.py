"""Kernels of distributions: integrals of products of their densities, one file for each kind of model."""

from treatise.kernels.products.base import GroupedModels, ProbabilityProductKernel
from treatise.kernels.products.dynamical import LinearDynamicalProductKernel, LinearDynamicalSystem
from treatise.kernels.products.families import (
    BernoulliProductKernel,
    ExponentialProductKernel,
    GammaProductKernel,
    Gammas,
    MultinomialProductKernel,
    PoissonProductKernel,
)
from treatise.kernels.products.feature_space import FeatureSpaceProductKernel
from treatise.kernels.products.gaussian import GaussianProductKernel, Gaussians
from treatise.kernels.products.hidden_markov import HiddenMarkovModel, HiddenMarkovProductKernel, states_for_length
from treatise.kernels.products.mixture import Mixture, MixtureProductKernel

__all__ = [
    "BernoulliProductKernel",
    "ExponentialProductKernel",
    "FeatureSpaceProductKernel",
    "GammaProductKernel",
    "Gammas",
    "GaussianProductKernel",
    "Gaussians",
    "GroupedModels",
    "HiddenMarkovModel",
    "HiddenMarkovProductKernel",
    "LinearDynamicalProductKernel",
    "LinearDynamicalSystem",
    "Mixture",
    "MixtureProductKernel",
    "MultinomialProductKernel",
    "PoissonProductKernel",
    "ProbabilityProductKernel",
    "states_for_length",
]
