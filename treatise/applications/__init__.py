"""Whole published applications, rebuilt."""

from treatise.applications.long_recordings import (
    SegmentSymbolizer,
    SimilarityAnomalyDetector,
    plot_symbols,
    symbolic_mismatch,
)

__all__ = ["SegmentSymbolizer", "SimilarityAnomalyDetector", "plot_symbols", "symbolic_mismatch"]
