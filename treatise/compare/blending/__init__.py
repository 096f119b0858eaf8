"""Blends of the contenders, made of what they said of held-out rows."""

from treatise.compare.blending.blended import BlendedClassifier, BlendedRegressor
from treatise.compare.blending.blends import Blend, blended_part, blends
from treatise.compare.blending.weights import expert_weights, greedy_weights

__all__ = [
    "Blend",
    "BlendedClassifier",
    "BlendedRegressor",
    "blended_part",
    "blends",
    "expert_weights",
    "greedy_weights",
]
