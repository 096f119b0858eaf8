"""Markov random fields: their structure, their inference and their densities."""

from treatise.graphical.cdf_factors import CDFFactor, GaussianCDF, GumbelCopulaCDF, SigmoidCDF, TabularCDF
from treatise.graphical.chebyshev import ChebyshevBound, chebyshev_bound
from treatise.graphical.chernoff import ChernoffBound, chernoff_sum_bound
from treatise.graphical.cumulative_network import CumulativeDistributionNetwork
from treatise.graphical.event_bounds import EventBounds, SumAtLeast, event_bounds
from treatise.graphical.log_determinant import LogDetBound, log_det_bound
from treatise.graphical.partition_bounds import PartitionBounds, log_partition_bounds
from treatise.graphical.partition_bounds_plot import plot_partition_bounds
from treatise.graphical.pictures import denoise_image, grid_edges, matching_costs, stereo_disparity
from treatise.graphical.preconditioner_bounds import PreconditionerBounds, preconditioner_log_partition
from treatise.graphical.quadratic_map import QuadraticRelaxation, qp_map, quadratic_relaxation
from treatise.graphical.range_moves import RangeMoves
from treatise.graphical.range_moves_plot import plot_energy_traces
from treatise.graphical.team_rating import CumulativeTeamRating
from treatise.graphical.truncated_convex import TruncatedConvexEnergy, range_expansion_bound, solve_convex

__all__ = [
    "CDFFactor",
    "ChebyshevBound",
    "ChernoffBound",
    "CumulativeDistributionNetwork",
    "CumulativeTeamRating",
    "EventBounds",
    "GaussianCDF",
    "GumbelCopulaCDF",
    "LogDetBound",
    "PartitionBounds",
    "PreconditionerBounds",
    "QuadraticRelaxation",
    "RangeMoves",
    "SigmoidCDF",
    "SumAtLeast",
    "TabularCDF",
    "TruncatedConvexEnergy",
    "chebyshev_bound",
    "chernoff_sum_bound",
    "denoise_image",
    "event_bounds",
    "grid_edges",
    "log_det_bound",
    "log_partition_bounds",
    "matching_costs",
    "plot_energy_traces",
    "plot_partition_bounds",
    "preconditioner_log_partition",
    "qp_map",
    "quadratic_relaxation",
    "range_expansion_bound",
    "solve_convex",
    "stereo_disparity",
]
