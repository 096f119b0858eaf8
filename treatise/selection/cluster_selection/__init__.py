"""Features, clusters and their number, chosen together; the two criteria of it, and what makes subsets comparable."""

from treatise.selection.cluster_selection.criteria import (
    cross_projected,
    likelihood_prefers_smaller,
    mixture_loglik,
    scatter_trace,
)
from treatise.selection.cluster_selection.plot import plot_cluster_path
from treatise.selection.cluster_selection.selector import ClusterFeatureSelector

__all__ = [
    "ClusterFeatureSelector",
    "cross_projected",
    "likelihood_prefers_smaller",
    "mixture_loglik",
    "plot_cluster_path",
    "scatter_trace",
]
