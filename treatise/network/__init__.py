"""Networks: link prediction, signed graphs, the quality of graph clusterings."""

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

__all__ = [
    "ClusterTerms",
    "Counterexample",
    "GraphCommunities",
    "check_axioms",
    "cluster_terms",
    "graph_quality",
    "plot_communities",
    "plot_two_clique_phase",
    "two_clique_phase",
]
