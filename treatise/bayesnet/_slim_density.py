"""Test likelihoods: densities of new rows under posterior draws (Equations 11 and 12 of JMLR 12:863)."""

import numpy as np
from scipy.special import logsumexp

from treatise.bayesnet._slim_density_loops import mixture_log_density

N_POINTS = 512
"""Points over the sources' variances; the paper takes 500 (N_rep)."""

MOST_DRAWS = 100
"""Posterior draws over which a density is averaged, evenly spread over the chains."""


def spread(draws):
    """At most ``MOST_DRAWS`` of the draws (C, S, ...) of all chains, evenly spaced, as one axis."""
    flat = draws.reshape(draws.shape[0] * draws.shape[1], *draws.shape[2:])
    return _evenly(flat, min(len(flat), MOST_DRAWS))


def as_table(measured):
    """Draws of several models as rows of one table; those of a model that has fewer, after an interrupt, recur."""
    return np.stack([_evenly(draws, max(map(len, measured))) for draws in measured])


def _evenly(draws, n):
    return draws[np.linspace(0, len(draws) - 1, n).round().astype(int)]


def log_densities(model, weights, noise, X, seed):
    """log p(x | draw) of the columns of ``X`` (d, n) for draws (S, d, K) and (S, d): an array (S, n).

    The sources are integrated exactly given their variances, those by ``N_POINTS`` points of their prior. The points
    depend on ``seed`` and on the number of sources alone, so that models are compared at the same points.
    """
    scales = model.prior_scales(N_POINTS, seed)
    first = model.n_observed
    out = np.empty((len(weights), X.shape[1]))
    for draw, (W, psi) in enumerate(zip(weights, noise)):
        rest = X - W[:, :first] @ X if first else X
        mixture_log_density(np.ascontiguousarray(rest), np.ascontiguousarray(W[:, first:]), psi, scales, out[draw])
    return out


def log_mean(densities):
    """log of the mean density over draws, for each row."""
    return logsumexp(densities, axis=0) - np.log(len(densities))
