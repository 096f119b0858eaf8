"""The provably best structure under rules on its arcs: learners, rules, and the searches behind them."""

from treatise.bayesnet.structure.constrained import ConstrainedStructureLearner
from treatise.bayesnet.structure.dynamic import DynamicStructureLearner
from treatise.bayesnet.structure.plot import plot_search_bounds
from treatise.bayesnet.structure.rules import Rule, arc, indegree, naive_bayes_rules, order_rules, tree_augmented_rules
from treatise.bayesnet.structure.search import SearchState
from treatise.bayesnet.structure.tree_augmented import TreeAugmentedClassifier

__all__ = [
    "ConstrainedStructureLearner",
    "DynamicStructureLearner",
    "Rule",
    "SearchState",
    "TreeAugmentedClassifier",
    "arc",
    "indegree",
    "naive_bayes_rules",
    "order_rules",
    "plot_search_bounds",
    "tree_augmented_rules",
]
