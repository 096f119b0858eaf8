"""Markov random fields: their structure, their inference and their densities."""

from treatise.graphical.cdf_factors import CDFFactor, GaussianCDF, GumbelCopulaCDF, SigmoidCDF, TabularCDF
from treatise.graphical.cumulative_network import CumulativeDistributionNetwork
from treatise.graphical.pictures import denoise_image, grid_edges, matching_costs, stereo_disparity
from treatise.graphical.range_moves import RangeMoves
from treatise.graphical.range_moves_plot import plot_energy_traces
from treatise.graphical.team_rating import CumulativeTeamRating
from treatise.graphical.truncated_convex import TruncatedConvexEnergy, range_expansion_bound, solve_convex

__all__ = [
    "CDFFactor",
    "CumulativeDistributionNetwork",
    "CumulativeTeamRating",
    "GaussianCDF",
    "GumbelCopulaCDF",
    "RangeMoves",
    "SigmoidCDF",
    "TabularCDF",
    "TruncatedConvexEnergy",
    "denoise_image",
    "grid_edges",
    "matching_costs",
    "plot_energy_traces",
    "range_expansion_bound",
    "solve_convex",
    "stereo_disparity",
]
