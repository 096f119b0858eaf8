"""Bayesian models: latent Gaussians, mixtures, hidden Markov models, topics and nonparametrics."""

from treatise.bayes.gibbs_medlda import (
    GibbsMedLDAClassifier,
    GibbsMedLDARegressor,
    plot_class_topics,
    plot_topics,
)
from treatise.bayes.glmm import PosteriorSummary, VariationalGLMM, plot_effects, plot_group_effects
from treatise.bayes.heteroscedastic import HeteroscedasticAdditiveRegressor, plot_curves
from treatise.bayes.hmm_clustering import (
    HMMClusterer,
    HMMHierarchy,
    HMMMixture,
    SampledHMMClusterer,
    fit_hmms,
    hmm_expected_log_likelihood,
    hmm_kl,
    plot_hmm_centers,
    plot_hmm_hierarchy,
)
from treatise.bayes.normal_update import multivariate_normal_update

__all__ = [
    "GibbsMedLDAClassifier",
    "GibbsMedLDARegressor",
    "HMMClusterer",
    "HMMHierarchy",
    "HMMMixture",
    "HeteroscedasticAdditiveRegressor",
    "PosteriorSummary",
    "SampledHMMClusterer",
    "VariationalGLMM",
    "fit_hmms",
    "hmm_expected_log_likelihood",
    "hmm_kl",
    "multivariate_normal_update",
    "plot_class_topics",
    "plot_curves",
    "plot_effects",
    "plot_group_effects",
    "plot_hmm_centers",
    "plot_hmm_hierarchy",
    "plot_topics",
]
