"""Graphical models of joint cumulative distributions, and the skill rating built on one."""

from treatise.graphical.cumulative.factors import CDFFactor, GaussianCDF, GumbelCopulaCDF, SigmoidCDF, TabularCDF
from treatise.graphical.cumulative.network import CumulativeDistributionNetwork
from treatise.graphical.cumulative.team_rating import CumulativeTeamRating

__all__ = [
    "CDFFactor",
    "CumulativeDistributionNetwork",
    "CumulativeTeamRating",
    "GaussianCDF",
    "GumbelCopulaCDF",
    "SigmoidCDF",
    "TabularCDF",
]
