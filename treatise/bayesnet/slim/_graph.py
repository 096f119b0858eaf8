"""The graph of a fitted linear network: edges with weights and probabilities."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.network.dag import DAG
from treatise.bayesnet.network.graph import DirectedGraphMixin
from treatise.bayesnet.slim._alignment import align_draws


class LinearGraphMixin(DirectedGraphMixin):
    """Attributes and methods of an estimator whose posterior holds a matrix of edge weights."""

    def _set_posterior(self, posterior):
        """Summaries of the draws of one DAG: edges first, then driving signals, then hidden causes."""
        d = self.n_features_in_
        weights = posterior.weights
        if weights.shape[-1] > 2 * d:
            aligned, _ = align_draws(weights[..., 2 * d :], int(posterior.log_likelihood.argmax()))
            weights = np.concatenate([weights[..., : 2 * d], aligned], axis=-1)
        medians, present = np.median(weights, axis=(0, 1)), (weights != 0).mean(axis=(0, 1))
        self.coef_, self.edge_probabilities_ = medians[:, :d], present[:, :d]
        self.latent_loadings_, self.latent_probabilities_ = medians[:, 2 * d :], present[:, 2 * d :]
        self.mixing_ = np.linalg.solve(np.eye(d) - self.coef_, medians[:, d:])
        self.noise_var_ = np.median(posterior.noise, axis=(0, 1))
        self.weights_draws_, self.noise_draws_ = weights, posterior.noise
        self.log_likelihood_draws_ = posterior.log_likelihood
        self.diagnostics_ = posterior.diagnostics(weights[..., :d])

    @property
    def dag(self):
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_)).tolist()
        present = self.edge_probabilities_ > 0.5
        return DAG.of({name: tuple(names[p] for p in np.flatnonzero(row)) for name, row in zip(names, present)})

    @property
    def edge_weights_(self):
        parent, child = self.edges_.T
        return self.coef_[child, parent]

    def to_networkx(self):
        """The graph as a networkx.DiGraph, its edges with "weight" and "probability"; hidden causes are left out."""
        graph = super().to_networkx()
        names = self.variables
        for (parent, child), weight in zip(self.edges_, self.edge_weights_):
            probability = self.edge_probabilities_[child, parent]
            graph.edges[names[parent], names[child]].update(weight=float(weight), probability=float(probability))
        return graph

    def to_network(self):
        """The structure as a :class:`BayesianNetwork`, whose tables are to be fitted to the data cut into states."""
        return BayesianNetwork(self.dag)
