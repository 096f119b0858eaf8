"""Sparse rules for two classes from their means and covariances, with a stated worst-case error (JMLR 5:1417)."""

from treatise.selection.moments.classifier import MomentSparseClassifier
from treatise.selection.moments.fisher import FisherBound, SparseFisherDiscriminant, fisher_bound
from treatise.selection.moments.kernel import KernelMomentSparseClassifier
from treatise.selection.moments.leave_one_out import LeaveOneOutSelection, leave_one_out_features
from treatise.selection.moments.margin import L1MarginClassifier

__all__ = [
    "FisherBound",
    "KernelMomentSparseClassifier",
    "L1MarginClassifier",
    "LeaveOneOutSelection",
    "MomentSparseClassifier",
    "SparseFisherDiscriminant",
    "fisher_bound",
    "leave_one_out_features",
]
