"""Conditional restricted Boltzmann machines for sequences (Taylor, Hinton & Roweis, JMLR 12:1025)."""

from treatise.decomposition.conditional_rbm.estimator import ConditionalRBM
from treatise.decomposition.conditional_rbm.factored import FactoredConditionalRBM
from treatise.decomposition.conditional_rbm.generation_plot import plot_generation
from treatise.decomposition.conditional_rbm.stack import ConditionalDBN

__all__ = ["ConditionalDBN", "ConditionalRBM", "FactoredConditionalRBM", "plot_generation"]
