"""Conditional random fields whose scores are sums of curves of the columns."""

from treatise.sequence.additive_crf.additive_crf import AdditiveCRF
from treatise.sequence.additive_crf.plot import plot_additive_features

__all__ = ["AdditiveCRF", "plot_additive_features"]
