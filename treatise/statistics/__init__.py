"""Counts, entropies, discretisation and other statistics that many methods share."""

from treatise.statistics.bivariate_normal import bivariate_normal_cdf
from treatise.statistics.discretize import MDLDiscretizer
from treatise.statistics.entropy import (
    conditional_mutual_information,
    entropy,
    mutual_information,
    su_matrix,
    symmetrical_uncertainty,
)

__all__ = [
    "MDLDiscretizer",
    "bivariate_normal_cdf",
    "conditional_mutual_information",
    "entropy",
    "mutual_information",
    "su_matrix",
    "symmetrical_uncertainty",
]
