"""Matrices and signals into parts: non-negative factors, robust subspaces, slow features, sources."""

from treatise.decomposition.anechoic_bss import (
    AnechoicBSS,
    ConvolutiveFactors,
    convolutive_nmf,
    estimate_delays,
    fractional_fourier_transform,
    gerchberg_saxton,
    linear_canonical_transform,
    plot_sources,
)
from treatise.decomposition.lp_separable_nmf import LPSeparableNMF, cluster_lp_weights, conical_conditioning
from treatise.decomposition.parts import plot_parts
from treatise.decomposition.separable_nmf import AnchorTopics, SeparableNMF, plot_ellipsoid
from treatise.decomposition.sparse_nmf import SparseNMF

__all__ = [
    "AnchorTopics",
    "AnechoicBSS",
    "ConvolutiveFactors",
    "LPSeparableNMF",
    "SeparableNMF",
    "SparseNMF",
    "cluster_lp_weights",
    "conical_conditioning",
    "convolutive_nmf",
    "estimate_delays",
    "fractional_fourier_transform",
    "gerchberg_saxton",
    "linear_canonical_transform",
    "plot_ellipsoid",
    "plot_parts",
    "plot_sources",
]
