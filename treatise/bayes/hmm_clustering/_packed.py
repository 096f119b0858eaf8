"""Many hidden Markov models as a few arrays, and the models of other libraries taken by the names of their parts."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from treatise.inference import MixtureHMM


class PackedHMMs(NamedTuple):
    """Hidden Markov models with as many states and components each; what a model lacks has probability zero."""

    start: np.ndarray
    """Of shape (n, S)."""
    transitions: np.ndarray
    """Of shape (n, S, S); rows of states that a model lacks are zero."""
    weights: np.ndarray
    """Weights of components, of shape (n, S, M)."""
    means: np.ndarray
    """Of shape (n, S, M, d)."""
    covariances: np.ndarray
    """Of shape (n, S, M, d), or (n, S, M, d, d)."""

    @property
    def count(self):
        """Number of models."""
        return len(self.start)

    @property
    def full(self):
        """Whether covariances are whole matrices."""
        return self.covariances.ndim == 5

    def part(self, which):
        """Some of the models: a slice, or their numbers."""
        return PackedHMMs(*(np.ascontiguousarray(each[which]) for each in self))

    def with_whole_covariances(self):
        """The same models with matrices for covariances."""
        if self.full:
            return self
        return self._replace(covariances=self.covariances[..., np.newaxis] * np.eye(self.means.shape[3]))

    def models(self):
        """One object for each; none may lack a state."""
        return [MixtureHMM(*parts) for parts in zip(*self)]


def packed(models):
    """Models, of any kind that is known here, as arrays."""
    if is_model(models):
        raise ValueError("one hidden Markov model stands where a list of them is due; write [model]")
    if not isinstance(models, Iterable):
        raise ValueError(f"hidden Markov models come in a list, and {models!r} is none")
    models = [mixture_hmm(model, number) for number, model in enumerate(models)]
    if not models:
        raise ValueError("no hidden Markov models were given; give at least one")
    d = models[0].n_features
    for number, model in enumerate(models):
        if model.n_features != d:
            raise ValueError(
                f"model {number} shows vectors of {model.n_features} numbers and model 0 of {d}; all must agree"
            )
    S, M = max(model.n_states for model in models), max(model.n_components for model in models)
    whole = any(model.covariances.ndim == 4 for model in models)
    found = PackedHMMs(
        np.zeros((len(models), S)),
        np.zeros((len(models), S, S)),
        np.zeros((len(models), S, M)),
        np.empty((len(models), S, M, d)),
        np.empty((len(models), S, M, d, d) if whole else (len(models), S, M, d)),
    )
    for i, model in enumerate(models):
        s, m = model.weights.shape
        # A state or component that a model lacks repeats its first, and has no probability.
        states, components = np.where(np.arange(S) < s, np.arange(S), 0), np.where(np.arange(M) < m, np.arange(M), 0)
        found.start[i, :s] = model.start / model.start.sum()
        found.transitions[i, :s, :s] = model.transitions / model.transitions.sum(axis=1, keepdims=True)
        weights = model.weights / model.weights.sum(axis=1, keepdims=True)
        found.weights[i, :, :m] = weights[states]
        found.means[i] = model.means[np.ix_(states, components)]
        covariances = model.covariances[np.ix_(states, components)]
        found.covariances[i] = (
            covariances[..., np.newaxis] * np.eye(d) if whole and covariances.ndim == 3 else covariances
        )
    return found


def mixture_hmm(model, number=0):
    """A model as a :class:`MixtureHMM`: one already, hmmlearn's, or one of this library's other kinds."""
    if isinstance(model, MixtureHMM):
        return model
    try:
        parts = _parts(model)
        return MixtureHMM(*parts)
    except (ValueError, TypeError) as error:
        raise ValueError(f"model {number}: {error}") from None


def is_model(thing):
    """Whether an object has moves between hidden states, by any of the names in use."""
    return any(hasattr(thing, name) for name in ("transmat_", "transitions_", "transitions"))


def _parts(model):
    if hasattr(model, "emissionprob_") or hasattr(model, "emission_probabilities_"):
        raise ValueError("its states show symbols; models of vectors (normal densities or mixtures) are clustered here")
    if hasattr(model, "transmat_"):
        return model.startprob_, model.transmat_, *_hmmlearn_components(model)
    if hasattr(model, "transitions_"):
        return model.start_, model.transitions_, *_one_component(model.means_, model.covariances_)
    if hasattr(model, "emissions") and hasattr(model.emissions, "parameters"):
        return model.start, model.transitions, *_one_component(*model.emissions.parameters)
    raise ValueError(f"{type(model).__name__} is no hidden Markov model of vectors with parameters known here")


def _hmmlearn_components(model):
    means, covariances = np.asarray(model.means_, float), np.asarray(model.covars_, float)
    form = getattr(model, "covariance_type", "full")
    if means.ndim == 2:
        # hmmlearn gives whole matrices for every form of covariance, a spherical one once for each dimension.
        n, d = means.shape
        covariances = covariances.reshape(n, -1, d, d)[:, 0]
        if form in ("diag", "spherical"):
            covariances = np.diagonal(covariances, axis1=1, axis2=2)
        return _one_component(means, covariances)
    _, M, d = means.shape
    if form == "spherical":
        covariances = np.repeat(covariances[..., np.newaxis], d, axis=2)
    elif form == "tied":
        covariances = np.repeat(covariances[:, np.newaxis], M, axis=1)
    return model.weights_, means, covariances


def _one_component(means, covariances):
    means, covariances = np.asarray(means, float), np.asarray(covariances, float)
    if covariances.ndim == 1:
        covariances = np.repeat(covariances[:, np.newaxis], means.shape[1], axis=1)
    return np.ones((len(means), 1)), means[:, np.newaxis], covariances[:, np.newaxis]
