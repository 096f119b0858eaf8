"""Which features to keep."""

from treatise.selection.cfs import CFSForward
from treatise.selection.cluster_selection import (
    ClusterFeatureSelector,
    cross_projected,
    likelihood_prefers_smaller,
    mixture_loglik,
    plot_cluster_path,
    scatter_trace,
)
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
from treatise.selection.variable_elimination import (
    EliminationSchedule,
    RandomizedVariableElimination,
    ThermalPerceptron,
    elimination_schedule,
    plot_elimination,
    success_probability,
)

__all__ = [
    "CMIM",
    "FCBF",
    "MIM",
    "CFSForward",
    "ClusterFeatureSelector",
    "ConsistencyForward",
    "CountNaiveBayes",
    "EliminationSchedule",
    "FisherBound",
    "InteractionRuleClassifier",
    "KernelMomentSparseClassifier",
    "L1MarginClassifier",
    "LeaveOneOutSelection",
    "MomentSparseClassifier",
    "RandomIntersectionTrees",
    "RandomizedVariableElimination",
    "SparseFisherDiscriminant",
    "ThermalPerceptron",
    "TreeParameters",
    "cross_projected",
    "elimination_schedule",
    "fisher_bound",
    "intersection_tree_parameters",
    "leave_one_out_features",
    "likelihood_prefers_smaller",
    "mixture_loglik",
    "plot_cluster_path",
    "plot_elimination",
    "plot_relevance",
    "scatter_trace",
    "success_probability",
]
