"""Inference in models of many coupled variables: chains, label patterns, factor graphs, minimum cuts."""

from treatise.inference.chains import (
    ChainBound,
    ChainMarginals,
    Chains,
    PatternAutomaton,
    PatternChains,
    PatternMarginals,
    factor_marginals,
    observed_patterns,
)
from treatise.inference.coordinate import gibbs, gibbs_sample, iterated_conditional_forests, iterated_conditional_modes
from treatise.inference.factor_graph import Factor, FactorGraph
from treatise.inference.hidden_markov import MixtureHMM, baum_welch
from treatise.inference.junction_tree import (
    CliqueTree,
    JunctionTree,
    JunctionTreeBound,
    clique_tree,
    junction_tree_bound,
)
from treatise.inference.map_result import MAPResult
from treatise.inference.marginals import Marginals
from treatise.inference.max_flow import FlowNetwork, MinimumCut
from treatise.inference.mean_field import mean_field
from treatise.inference.messages import (
    belief_propagation,
    max_product,
    min_sum,
    spanning_tree_weights,
    tree_reweighted,
    tree_reweighted_map,
    trws,
)
from treatise.inference.pairwise_energy import PairwiseEnergy
from treatise.inference.pairwise_form import PairwiseForm
from treatise.inference.projective_trees import ProjectiveTrees, TreeMarginals
from treatise.inference.spanning_forest import maximum_spanning_forest, restricted_forest, root_forest, tree_partition

__all__ = [
    "ChainBound",
    "ChainMarginals",
    "Chains",
    "CliqueTree",
    "Factor",
    "FactorGraph",
    "FlowNetwork",
    "JunctionTree",
    "JunctionTreeBound",
    "MAPResult",
    "Marginals",
    "MinimumCut",
    "MixtureHMM",
    "PairwiseEnergy",
    "PairwiseForm",
    "PatternAutomaton",
    "PatternChains",
    "PatternMarginals",
    "ProjectiveTrees",
    "TreeMarginals",
    "baum_welch",
    "belief_propagation",
    "clique_tree",
    "factor_marginals",
    "gibbs",
    "gibbs_sample",
    "iterated_conditional_forests",
    "iterated_conditional_modes",
    "junction_tree_bound",
    "max_product",
    "maximum_spanning_forest",
    "mean_field",
    "min_sum",
    "observed_patterns",
    "restricted_forest",
    "root_forest",
    "spanning_tree_weights",
    "tree_partition",
    "tree_reweighted",
    "tree_reweighted_map",
    "trws",
]
