"""Gaussian graphs of several conditions that differ, or agree, in whole nodes."""

from treatise.graphical.node_based._solver import joint_graph_blocks
from treatise.graphical.node_based.graphs import CoHubGraphs, NodePerturbationGraphs
from treatise.graphical.node_based.plot import plot_condition_graphs, plot_node_scores
from treatise.graphical.node_based.rcon_norm import rcon_norm
from treatise.graphical.node_based.search import PenaltySearch, search_penalties

__all__ = [
    "CoHubGraphs",
    "NodePerturbationGraphs",
    "PenaltySearch",
    "joint_graph_blocks",
    "plot_condition_graphs",
    "plot_node_scores",
    "rcon_norm",
    "search_penalties",
]
