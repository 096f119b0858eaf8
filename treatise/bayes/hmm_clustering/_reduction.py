"""Variational hierarchical EM: a mixture of few hidden Markov models in place of many (section 3)."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from treatise._core.threads import over_ranges
from treatise.bayes.hmm_clustering import _pair_loops as loops
from treatise.bayes.hmm_clustering._packed import PackedHMMs
from treatise.bayes.hmm_clustering._pairs import (
    gaussian_terms,
    log_component_weights,
    model_bounds,
    parts_of,
    state_bounds,
)
from treatise.inference.hidden_markov import shares

_FEW = (0.03, 0.1, 0.3, 1.0)
"""Virtual sequences to a model while centres find their places: so few that groups overlap, and no start decides."""
_STEPS_WITH_FEW = 4


class Reduction(NamedTuple):
    """A reduced mixture and how it was found."""

    centers: PackedHMMs
    weights: np.ndarray
    assignments: np.ndarray
    bounds: np.ndarray
    history: list
    converged: bool


class Statistics(NamedTuple):
    """Sums of equations 23 and 28 over all base models, each with its weight."""

    begun: np.ndarray
    moved: np.ndarray
    mass: np.ndarray
    displaced: np.ndarray
    """First moments about the present means."""
    spread: np.ndarray
    """Second moments about the present means."""


def reduced_mixture(base, base_weights, centers, weights, *, tau, n_virtual, max_iter, tol):
    """Steps of VHEM from given centres until the bound rises by no more than ``tol`` a virtual observation.

    ``n_virtual`` is N / K_b: model i stands for ``n_virtual * K_b * base_weights[i]`` sequences of length ``tau``.
    """
    virtual = n_virtual * base.count * base_weights
    observations = virtual.sum() * tau
    history: list[float] = []
    while True:
        bounds, assignments, objective, statistics = expectation(base, base_weights, virtual, centers, weights, tau)
        history.append(objective)
        converged = len(history) > 1 and history[-1] - history[-2] <= tol * observations
        if converged or len(history) > max_iter:
            return Reduction(centers, weights, assignments, bounds, history, converged)
        centers = maximised(centers, statistics)
        weights = assignments.mean(axis=0)  # equation 24: of the base models, whatever their weights


def settled(base, base_weights, centers, *, tau, n_virtual):
    """Centres after some steps with few virtual sequences, from soft groups to hard ones, and their weights."""
    weights = np.full(centers.count, 1.0 / centers.count)
    for few in (each for each in _FEW if each < n_virtual):
        found = reduced_mixture(
            base, base_weights, centers, weights, tau=tau, n_virtual=few, max_iter=_STEPS_WITH_FEW, tol=0.0
        )
        centers = found.centers
        # No centre is given up before groups are as hard as they will be.
        weights = np.maximum(found.weights, 0.1 / centers.count)
        weights /= weights.sum()
    return centers, weights


def expectation(base, base_weights, virtual, centers, weights, tau):
    """The E-step: bounds, assignments (equation 19), the objective and the statistics, part by part."""
    log_components = log_component_weights(centers)
    bounds, assignments = np.empty((2, base.count, centers.count))
    objective, sums = 0.0, None
    for part in parts_of(base, centers):
        here = base.part(part)
        terms = gaussian_terms(here, centers)
        mixed = state_bounds(terms, here, log_components)
        bounds[part] = model_bounds(mixed, here, centers, tau)
        assignments[part], evidence = assigned(bounds[part], virtual[part], weights)
        objective += float(evidence.sum())
        found = _statistics(
            here, centers, terms, mixed, log_components, assignments[part] * base_weights[part, np.newaxis], tau
        )
        sums = found if sums is None else Statistics(*(a + b for a, b in zip(sums, found)))
    return bounds, assignments, objective, sums


def assigned(bounds, virtual, weights):
    """Shares of the centres in each model, ``z_ij`` in proportion to ``w_j exp(N_i L_ij)``, and the log of the sum."""
    with np.errstate(divide="ignore"):
        scores = virtual[:, np.newaxis] * bounds + np.log(weights)
    evidence = logsumexp(scores, axis=1)
    shares = np.exp(scores - evidence[:, np.newaxis])
    return shares / shares.sum(axis=1, keepdims=True), evidence


def _statistics(base, centers, terms, mixed, log_components, pair_weights, tau):
    K, R, _ = centers.weights.shape
    occupancy = np.zeros((base.count, K, R, base.start.shape[1]))
    shared = np.zeros(terms.shape)
    parts: list = []

    def work(first, last):
        begun, moved = np.zeros((K, R)), np.zeros((K, R, R))
        loops.chain_statistics(
            first, last, base.start, base.transitions, centers.start, centers.transitions, mixed, tau, pair_weights,
            occupancy, begun, moved,
        )  # fmt: skip
        loops.component_weights(first, last, terms, base.weights, log_components, pair_weights, occupancy, shared)
        parts.append((first, begun, moved))

    over_ranges(work, base.count, cost=40.0 * tau * mixed.size)
    # In the order of the models, whichever thread was first: the same bits in every run.
    parts.sort(key=lambda part: part[0])
    begun, moved = (sum(part[k] for part in parts) for k in (1, 2))
    return Statistics(begun, moved, *_moments(base, centers, shared, pair_weights))


def _moments(base, centers, shared, pair_weights):
    """Mass, and moments about the present means, of what the base components give to each reduced one.

    Each centre looks at the base models that are its own to some part: once groups are hard, at few of all.
    """
    d, (K, R, L) = base.means.shape[3], centers.weights.shape
    mass, displaced = np.empty((K, R * L)), np.empty((K, R * L, d))
    spread = np.empty((K, R * L, *centers.covariances.shape[3:]))
    for j in range(K):
        own = np.flatnonzero(pair_weights[:, j] > 0)
        means, given = base.means[own].reshape(-1, d), shared[own, :, :, j].reshape(-1, R * L)
        covariances = base.covariances[own].reshape(len(means), spread[0, 0].size)
        mass[j], spread[j] = given.sum(axis=0), (given.T @ covariances).reshape(spread[j].shape)
        for k, center in enumerate(centers.means[j].reshape(-1, d)):
            away, part = means - center, given[:, k]
            displaced[j, k] = part @ away
            spread[j, k] += (away * part[:, np.newaxis]).T @ away if centers.full else part @ np.square(away)
    return (
        mass.reshape(centers.weights.shape), displaced.reshape(centers.means.shape),
        spread.reshape(centers.covariances.shape),
    )  # fmt: skip


def maximised(centers, sums):
    """The M-step (equations 25 to 27); what nothing was assigned to stays as it was."""
    start = shares(sums.begun, centers.start)
    transitions = shares(sums.moved, centers.transitions)
    weights = shares(sums.mass, centers.weights)
    seen = sums.mass > 0
    mass = np.where(seen, sums.mass, 1.0)[..., np.newaxis]
    shift = np.where(seen[..., np.newaxis], sums.displaced / mass, 0.0)
    if centers.full:
        covariances = sums.spread / mass[..., np.newaxis] - shift[..., np.newaxis] * shift[..., np.newaxis, :]
        covariances = 0.5 * (covariances + np.swapaxes(covariances, -1, -2))
        kept = seen[..., np.newaxis, np.newaxis]
    else:
        covariances = sums.spread / mass - np.square(shift)
        kept = seen[..., np.newaxis]
    return PackedHMMs(
        start, transitions, weights, centers.means + shift, np.where(kept, covariances, centers.covariances)
    )
