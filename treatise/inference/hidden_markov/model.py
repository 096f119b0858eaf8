"""A hidden Markov model whose states show mixtures of normal vectors, as one object."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from treatise.inference.hidden_markov._loops import draw_states
from treatise.inference.hidden_markov.emissions import check_normals
from treatise.inference.hidden_markov.mixture_emissions import MixtureEmissions
from treatise.inference.hidden_markov.sums import hidden_marginals

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class MixtureHMM:
    """Hidden Markov model of vectors, a mixture of normal densities in each state.

    Parameters
    ----------
    start : array-like of shape (S,)
        Probabilities of the first state.
    transitions : array-like of shape (S, S)
        Probabilities of the next state, a row for each present one.
    weights : array-like of shape (S, M)
        Probabilities of the components in each state.
    means : array-like of shape (S, M, d)
        Means of the components.
    covariances : array-like of shape (S, M, d) or (S, M, d, d)
        Their variances or covariances.

    Notes
    -----
    The parameters are there by hmmlearn's names too: ``startprob_``, ``transmat_``, ``weights_``, ``means_`` and
    ``covars_``.

    Examples
    --------
    >>> from treatise.inference import MixtureHMM
    >>> two = MixtureHMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[1.0], [1.0]], [[[0.0]], [[3.0]]], [[[1.0]], [[1.0]]])
    >>> two.stationary().round(3)
    array([0.667, 0.333])
    >>> two.log_likelihood([[[0.1], [0.2]], [[2.9], [0.0], [0.3]]]).round(3)
    array([-2.656, -5.136])
    """

    start: np.ndarray
    transitions: np.ndarray
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray

    def __post_init__(self):
        for name in ("start", "transitions", "weights", "means", "covariances"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), np.float64))
        for name in ("start", "transitions", "weights"):
            _check_probabilities(name, getattr(self, name))
        S, M = self.weights.shape if self.weights.ndim == 2 else (len(self.start), 0)
        d = self.means.shape[-1] if self.means.ndim == 3 else 0
        if (
            self.start.shape != (S,)
            or self.transitions.shape != (S, S)
            or self.means.shape != (S, M, d)
            or self.covariances.shape not in ((S, M, d), (S, M, d, d))
            or 0 in (S, M, d)
        ):
            raise ValueError(
                f"start {self.start.shape}, transitions {self.transitions.shape}, weights {self.weights.shape}, means "
                f"{self.means.shape} and covariances {self.covariances.shape} do not belong together; for S states of "
                "M components in d dimensions they are (S,), (S, S), (S, M), (S, M, d) and (S, M, d) or (S, M, d, d)"
            )
        for mean, covariance in zip(self.means, self.covariances):
            check_normals(mean, covariance)

    @property
    def n_states(self):
        """Number of states."""
        return len(self.start)

    @property
    def n_components(self):
        """Number of components to a state."""
        return self.weights.shape[1]

    @property
    def n_features(self):
        """Numbers in a vector."""
        return self.means.shape[2]

    startprob_ = property(lambda self: self.start)
    transmat_ = property(lambda self: self.transitions)
    weights_ = property(lambda self: self.weights)
    means_ = property(lambda self: self.means)
    covars_ = property(lambda self: self.covariances)

    def log_likelihood(self, sequences):
        """Log-likelihood of each of a list of arrays of shape (length, d), of shape (n,)."""
        parts = [np.atleast_2d(np.asarray(sequence, np.float64)) for sequence in sequences]
        logs = self._emissions().log_densities(self.emission_arrays(), np.concatenate(parts))
        return hidden_marginals(self.start, self.transitions, logs, [len(part) for part in parts]).log_partition

    def sample(self, length, n_sequences=1, *, random_state=None):
        """Sequences drawn from the model, of shape (n_sequences, length, d)."""
        random = check_random_state(random_state)
        paths = np.empty((n_sequences, length), np.int64)
        draw_states(self.start, self.transitions, random.uniform(size=paths.shape), paths)
        shown = self._emissions().sample(self.emission_arrays(), paths.ravel(), random)
        return shown.reshape(n_sequences, length, -1)

    def stationary(self):
        """Share of time in each state in the long run, of shape (S,); of several, that reached from the start."""
        # A lazy chain has the same long run, and no periods; squared fifty times over it has run for ever.
        lazy = 0.5 * (np.eye(self.n_states) + self.transitions)
        for _ in range(50):
            lazy = lazy @ lazy
            lazy /= lazy.sum(axis=1, keepdims=True)
        return self.start @ lazy / self.start.sum()

    def emission_arrays(self):
        """What the states show, by the names of :class:`MixtureEmissions`."""
        return {"weights": self.weights, "means": self.means, "covariances": self.covariances}

    def _emissions(self):
        return MixtureEmissions(self.n_components, self.covariances.ndim == 4, 0.0)


def _check_probabilities(name, values):
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError(f"{name} of a hidden Markov model holds negative numbers or NaN; probabilities are needed")
    sums = np.atleast_1d(values.sum(axis=-1))
    if sums.size and np.abs(sums - 1).max() > _SUM_TOLERANCE:
        wrong = float(sums.ravel()[np.abs(sums - 1).argmax()])
        raise ValueError(f"{name} of a hidden Markov model has a row that sums to {wrong:.6g}; it must sum to 1")
