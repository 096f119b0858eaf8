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

__all__ = [
    "BackwardElimination",
    "ClassSampledForest",
    "EventLog",
    "EventLogFeatures",
    "GreedyElimination",
    "LinearBlender",
    "SegmentSymbolizer",
    "SimilarityAnomalyDetector",
    "gap_histogram",
    "plot_symbols",
    "series_statistics",
    "symbolic_mismatch",
]
