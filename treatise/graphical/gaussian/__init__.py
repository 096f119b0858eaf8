"""Graphs of continuous columns: sparse precisions, regressions, linear programs, tests of separation."""

from treatise.graphical.gaussian.clime import Clime, ClimePath, dantzig_selector_path
from treatise.graphical.gaussian.criteria import gaussian_ebic, gaussian_log_likelihood, graph_ebic
from treatise.graphical.gaussian.neighborhood_lasso import NeighborhoodLasso
from treatise.graphical.gaussian.pc_skeleton import PCSkeleton
from treatise.graphical.gaussian.sparse_precision import SparsePrecision

__all__ = [
    "Clime",
    "ClimePath",
    "NeighborhoodLasso",
    "PCSkeleton",
    "SparsePrecision",
    "dantzig_selector_path",
    "gaussian_ebic",
    "gaussian_log_likelihood",
    "graph_ebic",
]
