"""Bayesian models: latent Gaussians, mixtures, topics and nonparametrics."""

from treatise.bayes.gibbs_medlda import (
    GibbsMedLDAClassifier,
    GibbsMedLDARegressor,
    plot_class_topics,
    plot_topics,
)
from treatise.bayes.glmm import PosteriorSummary, VariationalGLMM, plot_effects, plot_group_effects
from treatise.bayes.heteroscedastic import HeteroscedasticAdditiveRegressor, plot_curves
from treatise.bayes.normal_update import multivariate_normal_update

__all__ = [
    "GibbsMedLDAClassifier",
    "GibbsMedLDARegressor",
    "HeteroscedasticAdditiveRegressor",
    "PosteriorSummary",
    "VariationalGLMM",
    "multivariate_normal_update",
    "plot_class_topics",
    "plot_curves",
    "plot_effects",
    "plot_group_effects",
    "plot_topics",
]
