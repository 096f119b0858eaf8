"""Groups in data: spectral level sets, time series, hidden Markov models, and judging the clusterings."""

from treatise.cluster.level_sets import (
    LevelSetSpectralClustering,
    component_counts,
    level_set_components,
    plot_level_set,
)

__all__ = ["LevelSetSpectralClustering", "component_counts", "level_set_components", "plot_level_set"]
