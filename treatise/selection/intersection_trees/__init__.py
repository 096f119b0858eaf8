"""Random intersection trees: sets of features that occur together in one class, and rules made of them."""

from treatise.selection.intersection_trees.parameters import TreeParameters, intersection_tree_parameters
from treatise.selection.intersection_trees.rule_classifier import InteractionRuleClassifier
from treatise.selection.intersection_trees.trees import RandomIntersectionTrees

__all__ = [
    "InteractionRuleClassifier",
    "RandomIntersectionTrees",
    "TreeParameters",
    "intersection_tree_parameters",
]
