"""Densities on forests: kernel densities of pairs along the edges of the best forest."""

from treatise.graphical.forest.density import ForestDensity
from treatise.graphical.forest.plot import plot_heldout_path, plot_pair_density

__all__ = [
    "ForestDensity",
    "plot_heldout_path",
    "plot_pair_density",
]
