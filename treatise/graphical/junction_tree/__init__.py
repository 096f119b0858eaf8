"""Graphs decided region by region along a junction tree."""

from treatise.graphical.junction_tree.graph import JunctionTreeGraph
from treatise.graphical.junction_tree.marginal_graph import marginal_graph
from treatise.graphical.junction_tree.plot import plot_region_graph
from treatise.graphical.junction_tree.region_decisions import RegionDecisions, decide_by_regions
from treatise.graphical.junction_tree.region_graph import RegionGraph, region_graph

__all__ = [
    "JunctionTreeGraph",
    "RegionDecisions",
    "RegionGraph",
    "decide_by_regions",
    "marginal_graph",
    "plot_region_graph",
    "region_graph",
]
