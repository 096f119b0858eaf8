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
from treatise.decomposition.conditional_rbm import (
    ConditionalDBN,
    ConditionalRBM,
    FactoredConditionalRBM,
    plot_generation,
)
from treatise.decomposition.lp_separable_nmf import LPSeparableNMF, cluster_lp_weights, conical_conditioning
from treatise.decomposition.median_subspace import (
    GeometricMedianSubspace,
    RecoveryConditions,
    check_recovery_conditions,
    eigengap_dimension,
    plot_scree,
)
from treatise.decomposition.parts import plot_parts
from treatise.decomposition.separable_nmf import AnchorTopics, SeparableNMF, plot_ellipsoid
from treatise.decomposition.slow_features import (
    XSFA,
    SlowFeatureAnalysis,
    delta_value,
    plot_slow_features,
    required_length,
)
from treatise.decomposition.sparse_nmf import SparseNMF

__all__ = [
    "XSFA",
    "AnchorTopics",
    "AnechoicBSS",
    "ConditionalDBN",
    "ConditionalRBM",
    "ConvolutiveFactors",
    "FactoredConditionalRBM",
    "GeometricMedianSubspace",
    "LPSeparableNMF",
    "RecoveryConditions",
    "SeparableNMF",
    "SlowFeatureAnalysis",
    "SparseNMF",
    "check_recovery_conditions",
    "cluster_lp_weights",
    "conical_conditioning",
    "convolutive_nmf",
    "delta_value",
    "eigengap_dimension",
    "estimate_delays",
    "fractional_fourier_transform",
    "gerchberg_saxton",
    "linear_canonical_transform",
    "plot_ellipsoid",
    "plot_generation",
    "plot_parts",
    "plot_scree",
    "plot_slow_features",
    "plot_sources",
    "required_length",
]
