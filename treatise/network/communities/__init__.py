"""Communities of graphs, what makes them good, and the axioms (van Laarhoven & Marchiori, JMLR 15:193)."""

from treatise.network.communities.axioms import Counterexample, check_axioms
from treatise.network.communities.graph_communities import GraphCommunities
from treatise.network.communities.plot import plot_communities
from treatise.network.communities.quality import ClusterTerms, cluster_terms, graph_quality
from treatise.network.communities.two_cliques import plot_two_clique_phase, two_clique_phase

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
