"""Exact inference in graphs of small width: clique trees, junction trees, and a quadratic bound on log Z."""

from treatise.inference.junction_tree.bound import JunctionTreeBound, junction_tree_bound
from treatise.inference.junction_tree.clique_trees import CliqueTree, clique_tree
from treatise.inference.junction_tree.tree import JunctionTree

__all__ = [
    "CliqueTree",
    "JunctionTree",
    "JunctionTreeBound",
    "clique_tree",
    "junction_tree_bound",
]
