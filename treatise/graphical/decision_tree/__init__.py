"""Markov networks of conjunctive features: read off decision trees, pruned or generalised, with weights and samples."""

from treatise.graphical.decision_tree.bottom_up import generalize_features
from treatise.graphical.decision_tree.conjunctive import ConjunctiveMarkovNetwork
from treatise.graphical.decision_tree.network import DecisionTreeMarkovNetwork
from treatise.graphical.decision_tree.plot import plot_features
from treatise.graphical.decision_tree.probability_tree import ProbabilityTree, grow_probability_trees

__all__ = [
    "ConjunctiveMarkovNetwork",
    "DecisionTreeMarkovNetwork",
    "ProbabilityTree",
    "generalize_features",
    "grow_probability_trees",
    "plot_features",
]
