"""Sparse additive models: smooth functions of a few columns out of many (Ravikumar, 2007, chapter 12)."""

from treatise.linear.spam.classifier import SpAMClassifier
from treatise.linear.spam.plots import plot_components, plot_norm_path
from treatise.linear.spam.regressor import SpAMRegressor

__all__ = ["SpAMClassifier", "SpAMRegressor", "plot_components", "plot_norm_path"]
