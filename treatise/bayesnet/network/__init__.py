"""Discrete Bayesian networks and their graphs: fit, query, sample, transform, compare, ask, draw."""

from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.faithful import FaithfulnessCheck, check_faithful, faithful_cpts
from treatise.bayesnet.network.oracle import NetworkOracle
from treatise.bayesnet.network.relations import (
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
from treatise.bayesnet.network.smallest_map import IndependenceMap, smallest_independence_map
from treatise.bayesnet.network.transformations import absorb_evidence, reduce_to_roots, reverse_edge

__all__ = [
    "DAG",
    "BayesianNetwork",
    "FaithfulnessCheck",
    "IndependenceMap",
    "NetworkOracle",
    "absorb_evidence",
    "check_faithful",
    "covered_edges",
    "d_separated",
    "equivalence_class",
    "equivalent",
    "essential_graph",
    "faithful_cpts",
    "includes",
    "is_inclusion_optimal",
    "markov_boundary",
    "n_parameters",
    "reduce_to_roots",
    "reverse_edge",
    "smallest_independence_map",
]
