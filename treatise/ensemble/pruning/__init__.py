"""Pruning of decision trees on rows of their own, with bounds (Kääriäinen, Malinen & Elomaa, JMLR 5:1107)."""

from treatise.ensemble.pruning.bounds import log_prunings, occam_bound, rademacher_bound, rademacher_penalty
from treatise.ensemble.pruning.classifier import PrunedTreeClassifier
from treatise.ensemble.pruning.plot import plot_pruning
from treatise.ensemble.pruning.reduced_error import TreePruning, reduced_error_pruning

__all__ = [
    "PrunedTreeClassifier",
    "TreePruning",
    "log_prunings",
    "occam_bound",
    "plot_pruning",
    "rademacher_bound",
    "rademacher_penalty",
    "reduced_error_pruning",
]
