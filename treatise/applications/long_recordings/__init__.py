"""Long segmented recordings: their symbols, how unlike they are, and which are unusual (JMLR 12:999)."""

from treatise.applications.long_recordings.anomalies import SimilarityAnomalyDetector
from treatise.applications.long_recordings.knee import knee
from treatise.applications.long_recordings.mismatch import symbolic_mismatch
from treatise.applications.long_recordings.plot import plot_symbols
from treatise.applications.long_recordings.symbolizer import SegmentSymbolizer

__all__ = ["SegmentSymbolizer", "SimilarityAnomalyDetector", "knee", "plot_symbols", "symbolic_mismatch"]
