"""Parts that are rows of the data, found by linear programming (Gillis & Luce, JMLR 15:1249)."""

from treatise.decomposition.lp_separable_nmf.clusters import cluster_lp_weights
from treatise.decomposition.lp_separable_nmf.conditioning import conical_conditioning
from treatise.decomposition.lp_separable_nmf.estimator import LPSeparableNMF

__all__ = ["LPSeparableNMF", "cluster_lp_weights", "conical_conditioning"]
