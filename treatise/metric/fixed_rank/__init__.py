"""Positive semidefinite models of a fixed rank: distances, kernels, regression (Meyer et al., JMLR 12:593)."""

from treatise.metric.fixed_rank.kernel import LowRankKernelLearner, distance_constraints
from treatise.metric.fixed_rank.metric import FixedRankMetricLearner, pair_distances
from treatise.metric.fixed_rank.plot import plot_pair_distances
from treatise.metric.fixed_rank.regressor import FixedRankPSDRegressor

__all__ = [
    "FixedRankMetricLearner",
    "FixedRankPSDRegressor",
    "LowRankKernelLearner",
    "distance_constraints",
    "pair_distances",
    "plot_pair_distances",
]
