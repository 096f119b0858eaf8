"""Counts, entropies, discretisation and other statistics that many methods share."""

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
    "conditional_mutual_information",
    "entropy",
    "mutual_information",
    "su_matrix",
    "symmetrical_uncertainty",
]
