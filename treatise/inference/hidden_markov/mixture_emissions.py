"""States that show mixtures of normal vectors."""

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.cluster import kmeans_plusplus

from treatise.inference.hidden_markov.emissions import GaussianEmissions
from treatise.inference.hidden_markov.sums import hidden_marginals


class MixtureEmissions:
    """Vectors drawn from a mixture of ``n_components`` normal densities in each state.

    ``weights`` of shape (n_states, n_components), ``means`` of shape (n_states, n_components, d), ``covariances`` of
    shape (n_states, n_components, d) or (n_states, n_components, d, d). With one component they are
    :class:`GaussianEmissions`, and every step is the same.

    Parameters
    ----------
    n_components : int
        Densities to a state.
    full : bool
        Whether covariances are whole matrices.
    floor : float or ndarray of shape (d,)
        Added to every variance that is estimated.
    """

    item_ndim = 1

    def __init__(self, n_components, full, floor):
        self.n_components = n_components
        self.normals = GaussianEmissions(full, floor)

    def log_densities(self, arrays, X):
        """Log-density of every position under every state, of shape (T, K)."""
        if self.n_components == 1:
            return self._single(arrays, X)
        return logsumexp(self._weighted_logs(arrays, X), axis=2)

    def marginals(self, start, transitions, arrays, X, lengths, *, by_sequence=False):
        """Marginals of all sequences."""
        logs = self.log_densities(arrays, X)
        return hidden_marginals(start, transitions, logs, lengths, by_sequence=by_sequence)

    def start(self, X, _, n_states, random):
        """Means of states far from one another, those of components far from one another among the rows nearest."""
        normals = self.normals.start(X, _, n_states, random)
        shape = (n_states, self.n_components)
        spread = normals["covariances"]
        covariances = np.repeat(spread[:, np.newaxis], self.n_components, axis=1)
        means = np.repeat(normals["means"][:, np.newaxis], self.n_components, axis=1)
        if self.n_components > 1:
            variances = spread[0] if spread.ndim == 2 else np.diag(spread[0])
            scaled = X / np.sqrt(variances)
            nearest = np.array([np.square(scaled - m / np.sqrt(variances)).sum(axis=1) for m in normals["means"]])
            for j in range(n_states):
                rows = np.unique(X[nearest.argmin(axis=0) == j], axis=0)
                if len(rows) >= self.n_components:
                    means[j] = kmeans_plusplus(rows, self.n_components, random_state=random)[0]
                else:
                    means[j] += 0.1 * random.standard_normal(means[j].shape) * np.sqrt(variances)
        return {"weights": np.full(shape, 1.0 / self.n_components), "means": means, "covariances": covariances}

    def estimate(self, X, weights, previous):
        """Weights, means and covariances where positions belong to states in part."""
        K, M = previous["weights"].shape
        if M == 1:
            within = weights
        else:
            within = (softmax(self._weighted_logs(previous, X), axis=2) * weights[:, :, np.newaxis]).reshape(-1, K * M)
        found = self.normals.estimate(X, within, _flat(previous))
        totals = within.sum(axis=0).reshape(K, M)
        mass = totals.sum(axis=1, keepdims=True)
        # A state at no position keeps what it had.
        kept = mass > 10 * np.finfo(float).eps
        return {
            "weights": np.where(kept, totals / np.where(kept, mass, 1.0), previous["weights"]),
            "means": found["means"].reshape(previous["means"].shape),
            "covariances": found["covariances"].reshape(previous["covariances"].shape),
        }

    def sample(self, arrays, states, random):
        """A vector for each state of a path."""
        M = arrays["weights"].shape[1]
        edges = np.cumsum(arrays["weights"], axis=1)
        drawn = random.uniform(size=len(states))[:, np.newaxis] * edges[states, -1:]
        # A number below the edge of a component: components of weight 0 are never drawn.
        component = np.minimum((drawn >= edges[states]).sum(axis=1), M - 1)
        return self.normals.sample(_flat(arrays), states * M + component, random)

    def _single(self, arrays, X):
        return self.normals.log_densities(_flat(arrays), X)

    def _weighted_logs(self, arrays, X):
        """Log-densities of the components with their weights, of shape (T, K, M)."""
        with np.errstate(divide="ignore"):
            return self._single(arrays, X).reshape(len(X), *arrays["weights"].shape) + np.log(arrays["weights"])


def _flat(arrays):
    """Components of all states as so many normal densities."""
    means, covariances = arrays["means"], arrays["covariances"]
    return {
        "means": means.reshape(-1, means.shape[2]),
        "covariances": np.ascontiguousarray(covariances).reshape(-1, *covariances.shape[2:]),
    }
