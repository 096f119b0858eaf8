"""Bayesian networks: exact structure, model averaging, hard instances, identifiable linear networks."""

from treatise.bayesnet._structure_search import SearchState
from treatise.bayesnet.averaged_naive_bayes import AveragedNaiveBayes
from treatise.bayesnet.constrained_structure import ConstrainedStructureLearner
from treatise.bayesnet.correlated_slim import CorrelatedSLIM
from treatise.bayesnet.dag_relations import (
    covered_edges,
    d_separated,
    equivalence_class,
    equivalent,
    essential_graph,
    includes,
    is_inclusion_optimal,
    markov_boundary,
    n_parameters,
)
from treatise.bayesnet.dynamic_structure import DynamicStructureLearner
from treatise.bayesnet.faithful import (
    FaithfulnessCheck,
    check_faithful,
    faithful_cpts,
    is_binary_like,
    is_binary_like_lattice,
    is_binary_like_tsp,
)
from treatise.bayesnet.greedy_thick_thin import greedy_thick_thin
from treatise.bayesnet.inclusion_plot import plot_inclusion
from treatise.bayesnet.model_averaged_classifier import ModelAveragedClassifier
from treatise.bayesnet.network import BayesianNetwork
from treatise.bayesnet.network_oracle import NetworkOracle
from treatise.bayesnet.network_structure import DAG
from treatise.bayesnet.network_transformations import absorb_evidence, reduce_to_roots, reverse_edge
from treatise.bayesnet.nonlinear_slim import NonlinearSLIM
from treatise.bayesnet.np_hardness import NPHardnessReduction
from treatise.bayesnet.order_averaged_network import OrderAveragedNetwork
from treatise.bayesnet.search_bounds_plot import plot_search_bounds
from treatise.bayesnet.selective_naive_bayes import SelectiveNaiveBayes
from treatise.bayesnet.slim import SLIM
from treatise.bayesnet.slim_plot import plot_edge_probabilities, plot_likelihoods, plot_traces
from treatise.bayesnet.smallest_map import IndependenceMap, smallest_independence_map
from treatise.bayesnet.sparse_factor_model import SparseFactorModel
from treatise.bayesnet.structure_rules import (
    Rule,
    arc,
    indegree,
    naive_bayes_rules,
    order_rules,
    tree_augmented_rules,
)
from treatise.bayesnet.tree_augmented import TreeAugmentedClassifier

__all__ = [
    "DAG",
    "SLIM",
    "AveragedNaiveBayes",
    "BayesianNetwork",
    "ConstrainedStructureLearner",
    "CorrelatedSLIM",
    "DynamicStructureLearner",
    "FaithfulnessCheck",
    "IndependenceMap",
    "ModelAveragedClassifier",
    "NPHardnessReduction",
    "NetworkOracle",
    "NonlinearSLIM",
    "OrderAveragedNetwork",
    "Rule",
    "SearchState",
    "SelectiveNaiveBayes",
    "SparseFactorModel",
    "TreeAugmentedClassifier",
    "absorb_evidence",
    "arc",
    "check_faithful",
    "covered_edges",
    "d_separated",
    "equivalence_class",
    "equivalent",
    "essential_graph",
    "faithful_cpts",
    "greedy_thick_thin",
    "includes",
    "indegree",
    "is_binary_like",
    "is_binary_like_lattice",
    "is_binary_like_tsp",
    "is_inclusion_optimal",
    "markov_boundary",
    "n_parameters",
    "naive_bayes_rules",
    "order_rules",
    "plot_edge_probabilities",
    "plot_inclusion",
    "plot_likelihoods",
    "plot_search_bounds",
    "plot_traces",
    "reduce_to_roots",
    "reverse_edge",
    "smallest_independence_map",
    "tree_augmented_rules",
]
