"""Bayesian kernel classifiers that sample which training rows carry them (paper v12-0111)."""

from treatise.bayes.kernel_classifier.draws import KernelDraws
from treatise.bayes.kernel_classifier.estimator import BayesianKernelClassifier
from treatise.bayes.kernel_classifier.plot import plot_active_rows

__all__ = ["BayesianKernelClassifier", "KernelDraws", "plot_active_rows"]
