"""Latent Gaussian models (paper v12-0417)."""

from treatise.bayes.latent_gaussian.gp_classifier import GPBinaryClassifier
from treatise.bayes.latent_gaussian.hyper_grid import HyperparameterGrid
from treatise.bayes.latent_gaussian.likelihoods import (
    DoubleExponential,
    Likelihood,
    Logit,
    Normal,
    Poisson,
    Probit,
    Step,
    StochasticVolatility,
)
from treatise.bayes.latent_gaussian.marginal import Marginal
from treatise.bayes.latent_gaussian.model import LatentGaussianModel
from treatise.bayes.latent_gaussian.plot import plot_field, plot_intervals, plot_marginals
from treatise.bayes.latent_gaussian.priors import autoregression, grid_field, random_walk, spatial_car

__all__ = [
    "DoubleExponential", "GPBinaryClassifier", "HyperparameterGrid", "LatentGaussianModel", "Likelihood", "Logit",
    "Marginal", "Normal", "Poisson", "Probit", "Step", "StochasticVolatility", "autoregression", "grid_field",
    "plot_field", "plot_intervals", "plot_marginals", "random_walk", "spatial_car",
]  # fmt: skip
