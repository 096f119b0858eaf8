"""Parts that are rows of the data, found by an ellipsoid around them (Mizutani, JMLR 15:1011)."""

from treatise.decomposition.separable_nmf.anchor_topics import AnchorTopics
from treatise.decomposition.separable_nmf.ellipsoid_plot import plot_ellipsoid
from treatise.decomposition.separable_nmf.estimator import SeparableNMF

__all__ = ["AnchorTopics", "SeparableNMF", "plot_ellipsoid"]
