"""Machines on a few weighted rows that stand for all, and those rows alone."""

from treatise.svm.extreme_points.classifier import ExtremePointsSVC
from treatise.svm.extreme_points.plot import plot_representatives
from treatise.svm.extreme_points.representatives import RepresentativeSet, representative_set

__all__ = [
    "ExtremePointsSVC",
    "RepresentativeSet",
    "plot_representatives",
    "representative_set",
]
