"""What the states of a hidden Markov model show: symbols, or vectors with normal densities.

Each kind tells the names of its fitted arrays, their log-densities, and how to start, re-estimate and sample them.
"""

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.cluster import kmeans_plusplus

from treatise.inference.chains import factor_marginals
from treatise.inference.hidden_markov._loops import diagonal_log_densities, symbol_counts, weighted_squares
from treatise.inference.hidden_markov.sums import hidden_marginals, log_marginals


class DiscreteEmissions:
    """Symbols of an alphabet: ``emission_probabilities`` of shape (n_states, n_symbols)."""

    item_ndim = 0

    def __init__(self, smoothing):
        self.smoothing = smoothing

    @staticmethod
    def arrays(model):
        """Fitted arrays of a model, by name."""
        return {"emission_probabilities": model.emission_probabilities_}

    @staticmethod
    def log_densities(arrays, codes):
        """Log-probability of every position under every state, of shape (T, K)."""
        with np.errstate(divide="ignore"):
            table = np.log(arrays["emission_probabilities"].T)
        return table.take(codes, axis=0)

    def marginals(self, start, transitions, arrays, codes, lengths, *, by_sequence=False):
        """Marginals of all sequences, from the probabilities as they are."""
        factors = np.ascontiguousarray(arrays["emission_probabilities"].T).take(codes, axis=0)
        found = factor_marginals(factors, transitions, start, lengths, by_sequence=by_sequence)
        if np.isnan(found.log_partition).any():
            return log_marginals(
                start, transitions, self.log_densities(arrays, codes), lengths, by_sequence=by_sequence
            )
        return found

    def start(self, codes, n_symbols, n_states, random):
        """Random probabilities around the frequencies of the symbols."""
        frequencies = np.bincount(codes, minlength=n_symbols) + 1.0
        drawn = random.dirichlet(np.ones(n_symbols), n_states) * frequencies
        return {"emission_probabilities": drawn / drawn.sum(axis=1, keepdims=True)}

    def estimate(self, codes, weights, previous):
        """Frequencies of symbols where positions belong to states in part."""
        n_symbols = previous["emission_probabilities"].shape[1]
        counts = np.zeros((n_symbols, weights.shape[1]))
        symbol_counts(codes, weights, counts)
        counts = counts.T + self.smoothing
        totals = counts.sum(axis=1, keepdims=True)
        # A state at no position keeps what it had.
        kept = totals > 0
        return {
            "emission_probabilities": np.where(
                kept, counts / np.where(kept, totals, 1.0), previous["emission_probabilities"]
            )
        }

    @staticmethod
    def unseen(n_states, n_symbols):
        """What states show that were seen nowhere: all symbols alike."""
        return {"emission_probabilities": np.full((n_states, n_symbols), 1.0 / n_symbols)}

    @staticmethod
    def sample(arrays, states, random):
        """A code for each state of a path."""
        probabilities = arrays["emission_probabilities"]
        edges = np.cumsum(probabilities, axis=1)
        edges /= edges[:, -1:]
        uniform, codes = random.uniform(size=len(states)), np.empty(len(states), np.int64)
        for j, row in enumerate(edges):
            here = states == j
            # A number below the edge of a symbol: symbols of probability 0 are never drawn.
            codes[here] = np.searchsorted(row, uniform[here], side="right")
        return codes

    @staticmethod
    def n_parameters(arrays):
        """Free parameters."""
        K, n_symbols = arrays["emission_probabilities"].shape
        return K * (n_symbols - 1)


class GaussianEmissions:
    """Vectors: ``means`` of shape (n_states, d), ``covariances`` of shape (n_states, d) or (n_states, d, d).

    ``floor`` is added to every variance that is estimated: one number, or one for each coordinate.
    """

    item_ndim = 1

    def __init__(self, full, floor):
        self.full = full
        self.floor = floor

    @staticmethod
    def arrays(model):
        """Fitted arrays of a model, by name."""
        return {"means": model.means_, "covariances": model.covariances_}

    def log_densities(self, arrays, X):
        """Log-density of every position under every state, of shape (T, K)."""
        means, covariances = arrays["means"], arrays["covariances"]
        if X.shape[1] != means.shape[1]:
            raise ValueError(f"positions hold {X.shape[1]} numbers; the model was fitted to {means.shape[1]}")
        check_normals(means, covariances)
        logs = np.empty((len(X), len(means)))
        unit = -0.5 * X.shape[1] * np.log(2 * np.pi)
        if not self.full:
            constants = unit - 0.5 * np.log(covariances).sum(axis=1)
            diagonal_log_densities(X, means, np.sqrt(covariances), constants, logs)
            return logs
        for j, (mean, covariance) in enumerate(zip(means, covariances)):
            factor = np.linalg.cholesky(covariance)
            whitened = solve_triangular(factor, (X - mean).T, lower=True, check_finite=False)
            logs[:, j] = unit - np.log(np.diag(factor)).sum() - 0.5 * np.square(whitened).sum(axis=0)
        return logs

    def marginals(self, start, transitions, arrays, X, lengths, *, by_sequence=False):
        """Marginals of all sequences."""
        logs = self.log_densities(arrays, X)
        return hidden_marginals(start, transitions, logs, lengths, by_sequence=by_sequence)

    def start(self, X, _, n_states, random):
        """Means far from one another (k-means++), the covariance of all positions."""
        distinct = len(np.unique(X, axis=0))
        if distinct < n_states:
            raise ValueError(f"n_states={n_states} exceeds the {distinct} distinct vectors; choose at most {distinct}")
        means = kmeans_plusplus(X, n_states, random_state=random)[0]
        spread = self._covariance(X, np.ones(len(X)), X.mean(axis=0))
        return {"means": means, "covariances": np.repeat(spread[np.newaxis], n_states, axis=0)}

    def estimate(self, X, weights, previous):
        """Means and covariances where positions belong to states in part."""
        totals = weights.sum(axis=0)
        # A state at no position keeps what it had.
        seen = totals > 10 * np.finfo(float).eps
        totals = np.where(seen, totals, 1.0)[:, np.newaxis]
        means = np.where(seen[:, np.newaxis], weights.T @ X / totals, previous["means"])
        if not self.full:
            squares = np.zeros_like(means)
            weighted_squares(X, weights, means, squares)
            covariances = np.where(seen[:, np.newaxis], squares / totals + self.floor, previous["covariances"])
            return {"means": means, "covariances": covariances}
        covariances = previous["covariances"].copy()
        for j in np.flatnonzero(seen):
            covariances[j] = self._covariance(X, weights[:, j], means[j])
        return {"means": means, "covariances": covariances}

    def unseen(self, n_states, d):
        """What states show that were seen nowhere: standard normal vectors."""
        spread = np.eye(d) if self.full else np.ones(d)
        return {"means": np.zeros((n_states, d)), "covariances": np.repeat(spread[np.newaxis], n_states, axis=0)}

    def _covariance(self, X, weight, mean):
        centred = X - mean
        if not self.full:
            return weight @ np.square(centred) / weight.sum() + self.floor
        covariance = (centred * weight[:, np.newaxis]).T @ centred / weight.sum()
        return covariance + self.floor * np.eye(len(mean))

    @staticmethod
    def sample(arrays, states, random):
        """A vector for each state of a path."""
        means, covariances = arrays["means"], arrays["covariances"]
        noise = random.standard_normal((len(states), means.shape[1]))
        for j, covariance in enumerate(covariances):
            here = states == j
            if covariance.ndim == 1:
                noise[here] *= np.sqrt(covariance)
            else:
                noise[here] = noise[here] @ np.linalg.cholesky(covariance).T
        return means[states] + noise

    def n_parameters(self, arrays):
        """Free parameters."""
        K, d = arrays["means"].shape
        return K * (d + (d * (d + 1) // 2 if self.full else d))


def check_normals(means, covariances):
    """Refuse means and covariances that are no densities, naming the state."""
    if means.ndim != 2 or covariances.shape not in (means.shape, (*means.shape, means.shape[1])):
        raise ValueError(
            f"means of shape {means.shape} and covariances of shape {covariances.shape} do not belong together; for K "
            "states and d numbers they are (K, d) and (K, d) or (K, d, d)"
        )
    if not (np.isfinite(means).all() and np.isfinite(covariances).all()):
        raise ValueError("means and covariances must be finite; they hold NaN or infinity")
    if covariances.ndim == 2:
        flat = ~(covariances > 0).all(axis=1)
    else:
        flat = np.array([not _factors(each) for each in covariances])
    if flat.any():
        raise ValueError(
            f"state {int(flat.argmax())} has a covariance that is not positive: its positions agree in some direction; "
            "give reg_covar > 0, or fewer states"
        )


def _factors(covariance):
    try:
        np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return False
    return True
