"""Sources that reach each recording with a weight and a delay of their own (JMLR 12:1111)."""

from treatise.decomposition.anechoic_bss.canonical_transform import (
    fractional_fourier_transform,
    gerchberg_saxton,
    linear_canonical_transform,
)
from treatise.decomposition.anechoic_bss.convolutive_nmf import ConvolutiveFactors, convolutive_nmf
from treatise.decomposition.anechoic_bss.delays import estimate_delays
from treatise.decomposition.anechoic_bss.estimator import AnechoicBSS
from treatise.decomposition.anechoic_bss.sources_plot import plot_sources

__all__ = [
    "AnechoicBSS",
    "ConvolutiveFactors",
    "convolutive_nmf",
    "estimate_delays",
    "fractional_fourier_transform",
    "gerchberg_saxton",
    "linear_canonical_transform",
    "plot_sources",
]
