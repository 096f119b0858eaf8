"""What every learner of an undirected graph offers: its edges, their weights, and the graph for networkx."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, is_numeric, within


class UndirectedGraphMixin:
    """Common face of the learners of undirected graphs.

    A learner calls ``_set_graph`` at the end of its fit. It sets

    ``adjacency_`` : ndarray of bool of shape (n_features, n_features)
        Which columns are joined; symmetric, without loops.
    ``edges_`` : ndarray of int of shape (n_edges, 2)
        Pairs of column numbers, the smaller first, in lexical order.
    ``edge_weights_`` : ndarray of shape (n_edges,)
        What the learner says of each edge, in the order of ``edges_``.
    """

    def _set_graph(self, weights, adjacency=None):
        """Keep the graph of a symmetric matrix of weights.

        Parameters
        ----------
        weights : ndarray or sparse matrix of shape (n_features, n_features)
            Symmetric; the diagonal is ignored.
        adjacency : ndarray of bool of shape (n_features, n_features) or None, default=None
            Which pairs are edges; None takes those whose weight is not zero.
        """
        weights = weights.toarray() if sparse.issparse(weights) else np.asarray(weights)
        joined = weights != 0 if adjacency is None else np.array(adjacency, dtype=bool)
        np.fill_diagonal(joined, False)
        self.adjacency_ = joined
        self.edges_ = np.argwhere(np.triu(joined, 1))
        self.edge_weights_ = weights[self.edges_[:, 0], self.edges_[:, 1]]

    def _invariants(self):
        p = self.adjacency_.shape[0]
        names = getattr(self, "feature_names_in_", self.adjacency_)
        yield "the graph says of every pair of columns whether it is joined", is_array(self.adjacency_, np.bool_, p, p)
        yield "every column of the graph has its name", len(names) == p
        yield "edges join columns", is_array(self.edges_, np.integer, None, 2) and within(self.edges_, 0, p)
        yield (
            "every edge has its weight",
            is_numeric(self.edge_weights_)
            and isinstance(self.edge_weights_, np.ndarray)
            and self.edge_weights_.shape == (len(self.edges_),),
        )

    def to_networkx(self):
        """The graph for networkx: nodes are the columns' names, edges carry their ``weight``.

        Returns
        -------
        graph : networkx.Graph
            All columns are nodes, those without an edge too.
        """
        import networkx

        check_is_fitted(self, "edges_")
        names = getattr(self, "feature_names_in_", np.arange(len(self.adjacency_))).tolist()
        graph = networkx.Graph()
        graph.add_nodes_from(names)
        for (i, j), weight in zip(self.edges_.tolist(), self.edge_weights_.tolist()):
            graph.add_edge(names[i], names[j], weight=weight)
        return graph
