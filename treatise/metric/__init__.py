"""Learned similarities, ground metrics and fixed-rank positive semidefinite models."""

from treatise.metric.binary_similarities import jaccard_similarity, simpson_similarity
from treatise.metric.comparison_graph import ComparisonGraph, embed_partial_order
from treatise.metric.embedding_plot import plot_embedding
from treatise.metric.fixed_rank_metric import FixedRankMetricLearner, pair_distances
from treatise.metric.fixed_rank_regressor import FixedRankPSDRegressor
from treatise.metric.low_rank_kernel import LowRankKernelLearner, distance_constraints
from treatise.metric.metric_violations import Metricity, NegativeSpectrum, metricity, negative_spectrum
from treatise.metric.pair_distances_plot import plot_pair_distances
from treatise.metric.partial_order_embedding import PartialOrderEmbedding
from treatise.metric.pseudo_euclidean import PseudoEuclideanEmbedding
from treatise.metric.pseudo_euclidean_plot import plot_pseudo_euclidean

__all__ = [
    "ComparisonGraph",
    "FixedRankMetricLearner",
    "FixedRankPSDRegressor",
    "LowRankKernelLearner",
    "Metricity",
    "NegativeSpectrum",
    "PartialOrderEmbedding",
    "PseudoEuclideanEmbedding",
    "distance_constraints",
    "embed_partial_order",
    "jaccard_similarity",
    "metricity",
    "negative_spectrum",
    "pair_distances",
    "plot_embedding",
    "plot_pair_distances",
    "plot_pseudo_euclidean",
    "simpson_similarity",
]
