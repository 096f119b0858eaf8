"""Markov random fields: their structure, their inference and their densities."""

from treatise.graphical.cdf_factors import CDFFactor, GaussianCDF, GumbelCopulaCDF, SigmoidCDF, TabularCDF
from treatise.graphical.cumulative_network import CumulativeDistributionNetwork
from treatise.graphical.team_rating import CumulativeTeamRating

__all__ = [
    "CDFFactor",
    "CumulativeDistributionNetwork",
    "CumulativeTeamRating",
    "GaussianCDF",
    "GumbelCopulaCDF",
    "SigmoidCDF",
    "TabularCDF",
]
