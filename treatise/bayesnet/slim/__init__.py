"""Sparse linear identifiable models: factor models and DAGs with heavy-tailed sources, and their sampler."""

from treatise.bayesnet.slim.correlated import CorrelatedSLIM
from treatise.bayesnet.slim.nonlinear import NonlinearSLIM
from treatise.bayesnet.slim.plot import plot_edge_probabilities, plot_likelihoods, plot_traces
from treatise.bayesnet.slim.slim import SLIM
from treatise.bayesnet.slim.sparse_factor_model import SparseFactorModel

__all__ = [
    "SLIM",
    "CorrelatedSLIM",
    "NonlinearSLIM",
    "SparseFactorModel",
    "plot_edge_probabilities",
    "plot_likelihoods",
    "plot_traces",
]
