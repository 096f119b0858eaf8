"""Overlap of groups: measured, prescribed, and used to referee clusterers (Melnykov & Maitra, JMLR 12:69)."""

from treatise.cluster.overlap.measures import Overlap, gaussian_overlap, overlap_of_labels, overlap_of_mixture
from treatise.cluster.overlap.mixture import OverlapError, OverlapMixture, make_overlap_mixture
from treatise.cluster.overlap.plot import plot_mixture, plot_overlap, plot_referee
from treatise.cluster.overlap.referee import RefereeTable, referee_clusterers

__all__ = [
    "Overlap",
    "OverlapError",
    "OverlapMixture",
    "RefereeTable",
    "gaussian_overlap",
    "make_overlap_mixture",
    "overlap_of_labels",
    "overlap_of_mixture",
    "plot_mixture",
    "plot_overlap",
    "plot_referee",
    "referee_clusterers",
]
