"""Additive models with a spread of their own in every row (paper v15-1351)."""

from treatise.bayes.heteroscedastic.estimator import HeteroscedasticAdditiveRegressor
from treatise.bayes.heteroscedastic.plot import plot_curves

__all__ = ["HeteroscedasticAdditiveRegressor", "plot_curves"]
