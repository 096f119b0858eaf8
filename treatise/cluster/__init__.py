"""Groups in data: spectral level sets, time series, and judging the clusterings."""

from treatise.cluster.level_sets import (
    LevelSetSpectralClustering,
    component_counts,
    level_set_components,
    plot_level_set,
)
from treatise.cluster.overlap import (
    Overlap,
    OverlapError,
    OverlapMixture,
    RefereeTable,
    gaussian_overlap,
    make_overlap_mixture,
    overlap_of_labels,
    overlap_of_mixture,
    plot_mixture,
    plot_overlap,
    plot_referee,
    referee_clusterers,
)

__all__ = [
    "LevelSetSpectralClustering",
    "Overlap",
    "OverlapError",
    "OverlapMixture",
    "RefereeTable",
    "component_counts",
    "gaussian_overlap",
    "level_set_components",
    "make_overlap_mixture",
    "overlap_of_labels",
    "overlap_of_mixture",
    "plot_level_set",
    "plot_mixture",
    "plot_overlap",
    "plot_referee",
    "referee_clusterers",
]
