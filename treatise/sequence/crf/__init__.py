"""Conditional random fields over positions and over segments."""

from treatise.sequence.crf.crf import CRF
from treatise.sequence.crf.plot import plot_label_transitions
from treatise.sequence.crf.semi_crf import SemiCRF

__all__ = ["CRF", "SemiCRF", "plot_label_transitions"]
