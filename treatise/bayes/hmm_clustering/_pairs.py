"""The variational bound between all pairs of base and reduced models (Hershey, Olsen & Rennie; section 3.3)."""

import numpy as np

from treatise._core.threads import over_ranges
from treatise.bayes.hmm_clustering import _pair_loops as loops

_TERMS_AT_ONCE = 1 << 21
"""Pairs of components held at once: 16 MiB for each array of them."""
_WHITE_AT_ONCE = 1 << 17
"""Whitened coordinates held at once, which then stay near the processor."""


def parts_of(base, reduced):
    """Slices of the base models whose pairs of components with all reduced ones fit in memory."""
    pairs = base.weights[0].size * reduced.weights.size
    rows = max(1, _TERMS_AT_ONCE // pairs)
    return [slice(first, min(first + rows, base.count)) for first in range(0, base.count, rows)]


def gaussian_terms(base, reduced):
    """E_{i beta m} log N(y; mu_{j rho l}, Sigma_{j rho l}) of all pairs, of shape (n, S, M, K, R, L)."""
    d = base.means.shape[3]
    means, others = base.means.reshape(-1, d), reduced.means.reshape(-1, d)
    terms = np.empty((len(means), len(others)))
    if not reduced.full:
        variances, other_variances = base.covariances.reshape(-1, d), reduced.covariances.reshape(-1, d)
        loops.diagonal_terms(means, variances, others, other_variances, terms)
        return terms.reshape(base.weights.shape + reduced.weights.shape)
    factors = np.linalg.cholesky(reduced.covariances.reshape(-1, d, d))
    whitening = np.linalg.solve(factors, np.eye(d))
    precisions = np.swapaxes(whitening, 1, 2) @ whitening
    np.matmul(base.covariances.reshape(-1, d * d), precisions.reshape(-1, d * d).T, out=terms)
    constants = d * np.log(2 * np.pi) + 2 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    terms += constants
    _add_squared_distances(means, others, whitening, terms)
    terms *= -0.5
    return terms.reshape(base.weights.shape + reduced.weights.shape)


def _add_squared_distances(means, others, whitening, terms):
    """Add ``|W_k (mu_b - mu_k)|^2`` to the terms, some rows at a time and all k in one product."""
    n_others, d = others.shape
    origin = others.mean(axis=0)
    turned = whitening.reshape(n_others * d, d).T
    away = np.einsum("kij,kj->ki", whitening, others - origin).ravel()
    rows = max(1, _WHITE_AT_ONCE // len(away))
    for first in range(0, len(means), rows):
        part = slice(first, first + rows)
        # About their mean: what all centres lie away from zero by costs the differences no digits.
        white = (means[part] - origin) @ turned
        white -= away
        white = white.reshape(-1, n_others, d)
        terms[part] += np.einsum("bkd,bkd->bk", white, white)


def state_bounds(terms, base, log_weights):
    """L_GMM of all pairs of states, of shape (n, S, K, R)."""
    mixed = np.empty((*terms.shape[:2], *terms.shape[3:5]))
    over_ranges(
        lambda first, last: loops.mixture_bounds(first, last, terms, base.weights, log_weights, mixed),
        base.count,
        cost=20.0 * terms.size,
    )
    return mixed


def model_bounds(mixed, base, reduced, tau):
    """L_HMM of all pairs, of shape (n, K)."""
    bounds = np.empty((base.count, reduced.count))
    over_ranges(
        lambda first, last: loops.chain_bounds(
            first, last, base.start, base.transitions, reduced.start, reduced.transitions, mixed, tau, bounds
        ),
        base.count,
        cost=20.0 * tau * mixed.size,
    )
    return bounds


def log_component_weights(reduced):
    """Logarithms of the weights of components, -inf for none."""
    with np.errstate(divide="ignore"):
        return np.log(reduced.weights)


def alike(base, reduced):
    """Both with the same form of covariances."""
    if base.means.shape[3] != reduced.means.shape[3]:
        raise ValueError(
            f"models of vectors of {base.means.shape[3]} numbers and of {reduced.means.shape[3]} cannot be compared"
        )
    if base.full == reduced.full:
        return base, reduced
    return base.with_whole_covariances(), reduced.with_whole_covariances()


def pair_bounds(base, reduced, tau):
    """L_HMM of all pairs of packed models, of shape (n, K), in parts."""
    base, reduced = alike(base, reduced)
    log_weights, found = log_component_weights(reduced), []
    for part in parts_of(base, reduced):
        here = base.part(part)
        mixed = state_bounds(gaussian_terms(here, reduced), here, log_weights)
        found.append(model_bounds(mixed, here, reduced, tau))
    return np.concatenate(found)


def own_bounds(base, tau):
    """L_HMM of each model with itself, of shape (n,)."""
    found = np.empty(base.count)
    # Blocks: a few needless pairs cost less than a call for each model.
    for first in range(0, base.count, 8):
        block = base.part(slice(first, first + 8))
        found[first : first + 8] = np.diagonal(pair_bounds(block, block, tau))
    return found
