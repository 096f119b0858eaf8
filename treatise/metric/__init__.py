"""Learned similarities, ground metrics and fixed-rank positive semidefinite models."""

from treatise.metric.fixed_rank import (
    FixedRankMetricLearner,
    FixedRankPSDRegressor,
    LowRankKernelLearner,
    distance_constraints,
    pair_distances,
    plot_pair_distances,
)
from treatise.metric.partial_order import (
    ComparisonGraph,
    PartialOrderEmbedding,
    embed_partial_order,
    plot_embedding,
)
from treatise.metric.pseudo_euclidean import (
    Metricity,
    NegativeSpectrum,
    PseudoEuclideanEmbedding,
    jaccard_similarity,
    metricity,
    negative_spectrum,
    plot_pseudo_euclidean,
    simpson_similarity,
)

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
