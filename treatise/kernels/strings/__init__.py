"""Kernels of strings by the features that their windows match, exactly or not."""

from treatise.kernels.strings.encoded import EncodedStrings
from treatise.kernels.strings.kernels import (
    GappyKernel,
    MismatchKernel,
    SpectrumKernel,
    StringKernel,
    SubstitutionKernel,
    WildcardKernel,
)
from treatise.kernels.strings.substitution import substitution_probabilities

__all__ = [
    "EncodedStrings",
    "GappyKernel",
    "MismatchKernel",
    "SpectrumKernel",
    "StringKernel",
    "SubstitutionKernel",
    "WildcardKernel",
    "substitution_probabilities",
]
