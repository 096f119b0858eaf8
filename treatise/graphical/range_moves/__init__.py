"""Labels of least energy by cuts over ranges of labels, and pictures from them."""

from treatise.graphical.range_moves.moves import RangeMoves
from treatise.graphical.range_moves.pictures import denoise_image, grid_edges, matching_costs, stereo_disparity
from treatise.graphical.range_moves.plot import plot_energy_traces
from treatise.graphical.range_moves.truncated_convex import TruncatedConvexEnergy, solve_convex

__all__ = [
    "RangeMoves",
    "TruncatedConvexEnergy",
    "denoise_image",
    "grid_edges",
    "matching_costs",
    "plot_energy_traces",
    "solve_convex",
    "stereo_disparity",
]
