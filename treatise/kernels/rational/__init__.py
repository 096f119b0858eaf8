"""Kernels of strings and automata by weighted transducers."""

from treatise.kernels.rational.kernel import (
    RationalKernel,
    WeightedStrings,
    convolution_transducer,
    edit_distance_transducer,
    mismatch_transducer,
    ngram_transducer,
)
from treatise.kernels.rational.plot import plot_transducer
from treatise.kernels.rational.semirings import SEMIRINGS, Semiring
from treatise.kernels.rational.transducers import WeightedTransducer, string_acceptor

__all__ = [
    "SEMIRINGS",
    "RationalKernel",
    "Semiring",
    "WeightedStrings",
    "WeightedTransducer",
    "convolution_transducer",
    "edit_distance_transducer",
    "mismatch_transducer",
    "ngram_transducer",
    "plot_transducer",
    "string_acceptor",
]
