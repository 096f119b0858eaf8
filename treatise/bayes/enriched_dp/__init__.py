"""Mixtures of linear models under enriched Dirichlet processes: nested clusters, whole densities (v15-1041)."""

from treatise.bayes.enriched_dp.classifier import EnrichedDPClassifier
from treatise.bayes.enriched_dp.plot import plot_predictive_density
from treatise.bayes.enriched_dp.regressor import DPMixtureRegressor, EnrichedDPRegressor

__all__ = ["DPMixtureRegressor", "EnrichedDPClassifier", "EnrichedDPRegressor", "plot_predictive_density"]
