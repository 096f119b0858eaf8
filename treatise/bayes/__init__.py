"""Bayesian models: latent Gaussians, mixtures, topics and nonparametrics."""

from treatise.bayes.categorical_ibp import CategoricalIBP, plot_hidden_features
from treatise.bayes.glmm import PosteriorSummary, VariationalGLMM, plot_effects, plot_group_effects
from treatise.bayes.heteroscedastic import HeteroscedasticAdditiveRegressor, plot_curves
from treatise.bayes.normal_update import multivariate_normal_update

__all__ = [
    "CategoricalIBP",
    "HeteroscedasticAdditiveRegressor",
    "PosteriorSummary",
    "VariationalGLMM",
    "multivariate_normal_update",
    "plot_curves",
    "plot_effects",
    "plot_group_effects",
    "plot_hidden_features",
]
