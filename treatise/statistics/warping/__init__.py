"""Dynamic time warping of series."""

from treatise.statistics.warping.distance import Series, dtw, dtw_pairwise, packed_series

__all__ = ["Series", "dtw", "dtw_pairwise", "packed_series"]
