"""Markov random fields: their structure, their inference and their densities."""

from treatise.graphical._node_based_solver import joint_graph_blocks
from treatise.graphical.bottom_up import generalize_features
from treatise.graphical.cdf_factors import CDFFactor, GaussianCDF, GumbelCopulaCDF, SigmoidCDF, TabularCDF
from treatise.graphical.chebyshev import ChebyshevBound, chebyshev_bound
from treatise.graphical.chebyshev_chernoff import ChebyshevChernoffBound, chebyshev_chernoff_bound
from treatise.graphical.chernoff import ChernoffBound, chernoff_sum_bound
from treatise.graphical.clime import Clime, ClimePath, dantzig_selector_path
from treatise.graphical.conjunctive_network import ConjunctiveMarkovNetwork
from treatise.graphical.conjunctive_network_plot import plot_features
from treatise.graphical.cumulative_network import CumulativeDistributionNetwork
from treatise.graphical.decision_tree_network import DecisionTreeMarkovNetwork
from treatise.graphical.edge_stability import EdgeStability, edge_stability
from treatise.graphical.event_bounds import EventBounds, event_bounds
from treatise.graphical.events import LabelingEvent, SumAtLeast
from treatise.graphical.forest_density import ForestDensity
from treatise.graphical.forest_density_plot import plot_heldout_path, plot_pair_density
from treatise.graphical.graph_criteria import gaussian_ebic, gaussian_log_likelihood, graph_ebic
from treatise.graphical.graph_metrics import GraphMetrics, graph_metrics
from treatise.graphical.graph_plot import plot_graph
from treatise.graphical.incoherence import IncoherenceReport, incoherence_report
from treatise.graphical.ising_graph import IsingGraph
from treatise.graphical.junction_tree_graph import JunctionTreeGraph
from treatise.graphical.log_determinant import LogDetBound, log_det_bound
from treatise.graphical.marginal_graph import marginal_graph
from treatise.graphical.multinomial_graph import MultinomialGraph
from treatise.graphical.mutual_information_graph import MutualInformationGraph
from treatise.graphical.neighborhood_lasso import NeighborhoodLasso
from treatise.graphical.node_based_graphs import CoHubGraphs, NodePerturbationGraphs
from treatise.graphical.node_based_plot import plot_condition_graphs, plot_node_scores
from treatise.graphical.node_based_search import PenaltySearch, search_penalties
from treatise.graphical.partition_bounds import PartitionBounds, log_partition_bounds
from treatise.graphical.partition_bounds_plot import plot_partition_bounds
from treatise.graphical.pc_skeleton import PCSkeleton
from treatise.graphical.pictures import denoise_image, grid_edges, matching_costs, stereo_disparity
from treatise.graphical.preconditioner_bounds import PreconditionerBounds, preconditioner_log_partition
from treatise.graphical.probability_tree import ProbabilityTree, grow_probability_trees
from treatise.graphical.pseudo_likelihood import fit_ising_on_graph, sample_ising
from treatise.graphical.quadratic_map import QuadraticRelaxation, qp_map, quadratic_relaxation
from treatise.graphical.range_moves import RangeMoves
from treatise.graphical.range_moves_plot import plot_energy_traces
from treatise.graphical.rcon_norm import rcon_norm
from treatise.graphical.region_decisions import RegionDecisions, decide_by_regions
from treatise.graphical.region_graph import RegionGraph, region_graph
from treatise.graphical.region_graph_plot import plot_region_graph
from treatise.graphical.sparse_precision import SparsePrecision
from treatise.graphical.team_rating import CumulativeTeamRating
from treatise.graphical.truncated_convex import TruncatedConvexEnergy, range_expansion_bound, solve_convex

__all__ = [
    "CDFFactor",
    "ChebyshevBound",
    "ChebyshevChernoffBound",
    "ChernoffBound",
    "Clime",
    "ClimePath",
    "CoHubGraphs",
    "ConjunctiveMarkovNetwork",
    "CumulativeDistributionNetwork",
    "CumulativeTeamRating",
    "DecisionTreeMarkovNetwork",
    "EdgeStability",
    "EventBounds",
    "ForestDensity",
    "GaussianCDF",
    "GraphMetrics",
    "GumbelCopulaCDF",
    "IncoherenceReport",
    "IsingGraph",
    "JunctionTreeGraph",
    "LabelingEvent",
    "LogDetBound",
    "MultinomialGraph",
    "MutualInformationGraph",
    "NeighborhoodLasso",
    "NodePerturbationGraphs",
    "PCSkeleton",
    "PartitionBounds",
    "PenaltySearch",
    "PreconditionerBounds",
    "ProbabilityTree",
    "QuadraticRelaxation",
    "RangeMoves",
    "RegionDecisions",
    "RegionGraph",
    "SigmoidCDF",
    "SparsePrecision",
    "SumAtLeast",
    "TabularCDF",
    "TruncatedConvexEnergy",
    "chebyshev_bound",
    "chebyshev_chernoff_bound",
    "chernoff_sum_bound",
    "dantzig_selector_path",
    "decide_by_regions",
    "denoise_image",
    "edge_stability",
    "event_bounds",
    "fit_ising_on_graph",
    "gaussian_ebic",
    "gaussian_log_likelihood",
    "generalize_features",
    "graph_ebic",
    "graph_metrics",
    "grid_edges",
    "grow_probability_trees",
    "incoherence_report",
    "joint_graph_blocks",
    "log_det_bound",
    "log_partition_bounds",
    "marginal_graph",
    "matching_costs",
    "plot_condition_graphs",
    "plot_energy_traces",
    "plot_features",
    "plot_graph",
    "plot_heldout_path",
    "plot_node_scores",
    "plot_pair_density",
    "plot_partition_bounds",
    "plot_region_graph",
    "preconditioner_log_partition",
    "qp_map",
    "quadratic_relaxation",
    "range_expansion_bound",
    "rcon_norm",
    "region_graph",
    "sample_ising",
    "search_penalties",
    "solve_convex",
    "stereo_disparity",
]
