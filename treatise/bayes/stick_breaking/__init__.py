"""Segments of series and images by logistic stick breaking (JMLR 12:203)."""

from treatise.bayes.stick_breaking.hierarchical import HierarchicalStickBreaking
from treatise.bayes.stick_breaking.patches import ImagePatches, image_patches
from treatise.bayes.stick_breaking.plot import plot_segments
from treatise.bayes.stick_breaking.prior import draw_stick_weights
from treatise.bayes.stick_breaking.segmenter import LogisticStickBreaking

__all__ = [
    "HierarchicalStickBreaking",
    "ImagePatches",
    "LogisticStickBreaking",
    "draw_stick_weights",
    "image_patches",
    "plot_segments",
]
