"""Whole published applications, rebuilt."""

from treatise.applications.multiple_instance import (
    DDSVM,
    EMDD,
    MISVM,
    Bags,
    DensityGradient,
    DiverseDensity,
    DiverseDensityMapper,
    ImageBag,
    bag_features,
    bags_from_table,
    diverse_density,
    image_to_bag,
    miSVM,
)

__all__ = [
    "DDSVM",
    "EMDD",
    "MISVM",
    "Bags",
    "DensityGradient",
    "DiverseDensity",
    "DiverseDensityMapper",
    "ImageBag",
    "bag_features",
    "bags_from_table",
    "diverse_density",
    "image_to_bag",
    "miSVM",
]
