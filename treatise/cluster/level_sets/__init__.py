"""Spectral clustering on level sets of the density (Pelletier & Pudlo, JMLR 12:385)."""

from treatise.cluster.level_sets.components import component_counts, level_set_components
from treatise.cluster.level_sets.estimator import LevelSetSpectralClustering
from treatise.cluster.level_sets.level_set_plot import plot_level_set

__all__ = ["LevelSetSpectralClustering", "component_counts", "level_set_components", "plot_level_set"]
