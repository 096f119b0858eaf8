"""Learned similarities, ground metrics and fixed-rank positive semidefinite models."""

from treatise.metric.fixed_rank import (
    FixedRankMetricLearner,
    FixedRankPSDRegressor,
    LowRankKernelLearner,
    distance_constraints,
    pair_distances,
    plot_pair_distances,
)
from treatise.metric.ground import (
    GroundMetricLearner,
    NearestMetric,
    earth_movers_distance,
    earth_movers_distances,
    is_metric,
    nearest_metric,
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
    "GroundMetricLearner",
    "LowRankKernelLearner",
    "Metricity",
    "NearestMetric",
    "NegativeSpectrum",
    "PartialOrderEmbedding",
    "PseudoEuclideanEmbedding",
    "distance_constraints",
    "earth_movers_distance",
    "earth_movers_distances",
    "embed_partial_order",
    "is_metric",
    "jaccard_similarity",
    "metricity",
    "nearest_metric",
    "negative_spectrum",
    "pair_distances",
    "plot_embedding",
    "plot_pair_distances",
    "plot_pseudo_euclidean",
    "simpson_similarity",
]
