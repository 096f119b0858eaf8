"""Where variational hierarchical EM begins: at some of the base models, given as many states as the centres have."""

import numpy as np

from treatise.bayes.hmm_clustering._packed import PackedHMMs

_LEAST = 1e-4
"""Probability that every move and first state of a random start has at least: what is zero would stay so."""


def reshaped(base, numbers, n_states, n_components, random):
    """Chosen base models with another number of states or components, and no probability of zero.

    Fewer states: those where the model is most. More: copies of them, a little apart, that share their moves.
    """
    parts = [_reshaped_one([each[i] for each in base], n_states, n_components, random) for i in np.asarray(numbers)]
    return PackedHMMs(*(np.array(each) for each in zip(*parts)))


def _reshaped_one(model, n_states, n_components, random):
    start, transitions, weights, means, covariances = model
    present = np.flatnonzero(transitions.sum(axis=1) > 0)
    time = start.copy()
    for _ in range(100):
        time = 0.5 * (time + time @ transitions)
    states = _places(present[np.argsort(-time[present], kind="stable")], n_states)
    copies = np.array([np.sum(states == state) for state in states])
    found_start = _spread(start[states] / copies)
    found_moves = _spread(transitions[np.ix_(states, states)] / copies)
    found_weights, found_means, found_covariances = [], [], []
    for place, state in enumerate(states):
        kept = np.flatnonzero(weights[state] > 0)
        components = _places(kept[np.argsort(-weights[state, kept], kind="stable")], n_components)
        shared = np.array([np.sum(components == component) for component in components])
        share = weights[state, components] / shared
        centre, covariance = means[state, components].copy(), covariances[state, components]
        # Copies of one state or component would stay copies.
        again = [place >= len(np.unique(states)) or k >= len(np.unique(components)) for k in range(n_components)]
        variances = covariance if covariance.ndim == 2 else np.diagonal(covariance, axis1=1, axis2=2)
        noise = 0.3 * random.standard_normal(centre.shape) * np.sqrt(variances)
        found_means.append(centre + np.where(np.array(again)[:, np.newaxis], noise, 0.0))
        found_weights.append(share / share.sum())
        found_covariances.append(covariance)
    return found_start, found_moves, np.array(found_weights), np.array(found_means), np.array(found_covariances)


def _places(ordered, count):
    """The first ``count``; beyond the last they begin anew."""
    return ordered[np.arange(count) % len(ordered)]


def _spread(chances):
    """Probabilities with a little on everything; rows of zeros become even."""
    width = chances.shape[-1]
    totals = chances.sum(axis=-1, keepdims=True)
    even = np.where(totals > 0, chances / np.where(totals > 0, totals, 1.0), 1.0 / width)
    return (even + _LEAST) / (1.0 + width * _LEAST)
