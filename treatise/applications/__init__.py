"""Whole published applications, rebuilt."""

<<<<<<< HEAD
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
=======
from treatise.applications.class_sampled_forest import ClassSampledForest
from treatise.applications.event_log import EventLog, EventLogFeatures, gap_histogram, series_statistics
from treatise.applications.feature_elimination import BackwardElimination, GreedyElimination
from treatise.applications.linear_blender import LinearBlender

__all__ = [
    "BackwardElimination",
    "ClassSampledForest",
    "EventLog",
    "EventLogFeatures",
    "GreedyElimination",
    "LinearBlender",
    "gap_histogram",
    "series_statistics",
>>>>>>> main
]
