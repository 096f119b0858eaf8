"""Counts, entropies, discretisation and other statistics that many methods share."""

from treatise.statistics.bivariate_normal import bivariate_normal_cdf
from treatise.statistics.chain_diagnostics import effective_sample_size, split_r_hat
from treatise.statistics.density_grids import DensityGrids, kde_mutual_information, plug_in_bandwidths
from treatise.statistics.discretize import MDLDiscretizer
from treatise.statistics.entropy import (
    conditional_mutual_information,
    entropy,
    mutual_information,
    su_matrix,
    symmetrical_uncertainty,
)
from treatise.statistics.min_hash import MinHashPrevalence
from treatise.statistics.trivariate_normal import trivariate_normal_cdf

__all__ = [
    "DensityGrids",
    "MDLDiscretizer",
    "MinHashPrevalence",
    "bivariate_normal_cdf",
    "conditional_mutual_information",
    "effective_sample_size",
    "entropy",
    "kde_mutual_information",
    "mutual_information",
    "plug_in_bandwidths",
    "split_r_hat",
    "su_matrix",
    "symmetrical_uncertainty",
    "trivariate_normal_cdf",
]
