"""Networks: link prediction, signed graphs, the quality of graph clusterings."""

from treatise.network.autoregressive import AutoregressiveLinkPredictor, link_scores
from treatise.network.common_neighbours import LikelyLinks, likely_links
from treatise.network.communities import (
    ClusterTerms,
    Counterexample,
    GraphCommunities,
    check_axioms,
    cluster_terms,
    graph_quality,
    plot_communities,
    plot_two_clique_phase,
    two_clique_phase,
)
from treatise.network.signed import (
    Balance,
    CyclePattern,
    SignedClustering,
    SignedLinkPredictor,
    balance_report,
    cycle_features,
    cycle_patterns,
    imbalance_score,
    is_balanced,
    is_weakly_balanced,
    signed_katz,
    undirected_signs,
)

__all__ = [
    "AutoregressiveLinkPredictor",
    "Balance",
    "ClusterTerms",
    "Counterexample",
    "CyclePattern",
    "GraphCommunities",
    "LikelyLinks",
    "SignedClustering",
    "SignedLinkPredictor",
    "balance_report",
    "check_axioms",
    "cluster_terms",
    "cycle_features",
    "cycle_patterns",
    "graph_quality",
    "imbalance_score",
    "is_balanced",
    "is_weakly_balanced",
    "likely_links",
    "link_scores",
    "plot_communities",
    "plot_two_clique_phase",
    "signed_katz",
    "two_clique_phase",
    "undirected_signs",
]
