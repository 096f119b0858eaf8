"""One variable, or one forest, at a time: Gibbs sampling and conditional modes."""

from treatise.inference.coordinate.conditional_forests import iterated_conditional_forests
from treatise.inference.coordinate.conditional_modes import iterated_conditional_modes
from treatise.inference.coordinate.gibbs import gibbs, gibbs_sample

__all__ = [
    "gibbs",
    "gibbs_sample",
    "iterated_conditional_forests",
    "iterated_conditional_modes",
]
