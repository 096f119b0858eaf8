"""Whole published applications, rebuilt."""

from treatise.applications.class_sampled_forest import ClassSampledForest
from treatise.applications.event_log import EventLog, EventLogFeatures, gap_histogram, series_statistics
from treatise.applications.feature_elimination import BackwardElimination, GreedyElimination
from treatise.applications.linear_blender import LinearBlender
from treatise.applications.long_recordings import (
    SegmentSymbolizer,
    SimilarityAnomalyDetector,
    plot_symbols,
    symbolic_mismatch,
)
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
    "BackwardElimination",
    "Bags",
    "ClassSampledForest",
    "DensityGradient",
    "DiverseDensity",
    "DiverseDensityMapper",
    "EventLog",
    "EventLogFeatures",
    "GreedyElimination",
    "ImageBag",
    "LinearBlender",
    "SegmentSymbolizer",
    "SimilarityAnomalyDetector",
    "bag_features",
    "bags_from_table",
    "diverse_density",
    "gap_histogram",
    "image_to_bag",
    "miSVM",
    "plot_symbols",
    "series_statistics",
    "symbolic_mismatch",
]
