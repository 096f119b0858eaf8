"""Which features to keep."""

from treatise.selection.cfs import CFSForward
from treatise.selection.cmim import CMIM, MIM, CountNaiveBayes
from treatise.selection.consistency import ConsistencyForward
from treatise.selection.fcbf import FCBF
from treatise.selection.intersection_trees import (
    InteractionRuleClassifier,
    RandomIntersectionTrees,
    TreeParameters,
    intersection_tree_parameters,
)
from treatise.selection.moments import (
    FisherBound,
    KernelMomentSparseClassifier,
    L1MarginClassifier,
    LeaveOneOutSelection,
    MomentSparseClassifier,
    SparseFisherDiscriminant,
    fisher_bound,
    leave_one_out_features,
)
from treatise.selection.relevance_plot import plot_relevance

__all__ = [
    "CMIM",
    "FCBF",
    "MIM",
    "CFSForward",
    "ConsistencyForward",
    "CountNaiveBayes",
    "FisherBound",
    "InteractionRuleClassifier",
    "KernelMomentSparseClassifier",
    "L1MarginClassifier",
    "LeaveOneOutSelection",
    "MomentSparseClassifier",
    "RandomIntersectionTrees",
    "SparseFisherDiscriminant",
    "TreeParameters",
    "fisher_bound",
    "intersection_tree_parameters",
    "leave_one_out_features",
    "plot_relevance",
]
