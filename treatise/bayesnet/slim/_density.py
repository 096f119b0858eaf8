"""Test likelihoods: densities of new rows under posterior draws (Equations 11 and 12 of JMLR 12:863)."""

import math

import numpy as np
from scipy.special import logsumexp

from treatise._core.jit import compiled, compiled_step

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


@compiled_step
def cholesky_of(C, present, counts, scales, psi, L):
    """Lower factor of ``C diag(scales) C' + diag(psi)`` into ``L``; returns the logarithm of the determinant.

    ``present`` lists the columns where a row of C is not zero, ``counts`` how many there are.
    """
    log_determinant = 0.0
    for i in range(len(psi)):
        for k in range(i + 1):
            total = psi[i] if i == k else 0.0
            for a in range(counts[i]):
                j = present[i, a]
                total += C[i, j] * scales[j] * C[k, j]
            for j in range(k):
                total -= L[i, j] * L[k, j]
            if i == k:
                L[i, i] = math.sqrt(total)
                log_determinant += math.log(total)
            else:
                L[i, k] = total / L[k, k]
    return log_determinant


@compiled_step
def nonzeros_of(C):
    """Columns where each row of C is not zero, and how many there are."""
    present, counts = np.empty(C.shape, np.int64), np.empty(len(C), np.int64)
    for i in range(C.shape[0]):
        counts[i] = 0
        for j in range(C.shape[1]):
            if C[i, j] != 0.0:
                present[i, counts[i]] = j
                counts[i] += 1
    return present, counts


@compiled_step
def add_log(top, total, n, value):
    """Add exp(value) to the sum that ``exp(top[n]) total[n]`` stands for."""
    if value > top[n]:
        total[n] = total[n] * math.exp(top[n] - value) + 1.0
        top[n] = value
    else:
        total[n] += math.exp(value - top[n])


@compiled
def mixture_log_density(E, C, psi, scales, out):
    """log of the mean over the rows of ``scales`` of N(e_n | 0, C U C' + Psi), for each column e_n of ``E``.

    The integral over the sources is exact; the rows of ``scales`` stand for the prior of their variances.
    """
    d, N = E.shape
    L = np.empty((d, d))
    present, counts = nonzeros_of(C)
    solved, square = np.empty((d, N)), np.empty(N)
    top, total = np.empty(N), np.empty(N)
    for n in range(N):
        top[n], total[n] = -np.inf, 0.0
    for r in range(len(scales)):
        offset = -0.5 * (d * math.log(2.0 * math.pi) + cholesky_of(C, present, counts, scales[r], psi, L))
        for n in range(N):
            square[n] = 0.0
        for i in range(d):
            for n in range(N):
                solved[i, n] = E[i, n]
            for k in range(i):
                factor = L[i, k]
                if factor != 0.0:
                    for n in range(N):
                        solved[i, n] -= factor * solved[k, n]
            factor = 1.0 / L[i, i]
            for n in range(N):
                solved[i, n] *= factor
                square[n] += solved[i, n] * solved[i, n]
        for n in range(N):
            add_log(top, total, n, offset - 0.5 * square[n])
    for n in range(N):
        out[n] = top[n] + math.log(total[n] / len(scales))


@compiled
def uncertain_log_density(E, C, psi, scales, variances, out):
    """The same where the first sources have variances of their own in each column of ``E``: ``variances`` (j, N)."""
    d, N = E.shape
    first = len(variances)
    L, solved, every = np.empty((d, d)), np.empty(d), np.empty(C.shape[1])
    present, counts = nonzeros_of(C)
    top, total = np.empty(N), np.empty(N)
    for n in range(N):
        top[n], total[n] = -np.inf, 0.0
    for n in range(N):
        for j in range(first):
            every[j] = variances[j, n]
        for r in range(len(scales)):
            for j in range(first, C.shape[1]):
                every[j] = scales[r, j - first]
            value = -0.5 * (d * math.log(2.0 * math.pi) + cholesky_of(C, present, counts, every, psi, L))
            for i in range(d):
                solved[i] = E[i, n]
                for k in range(i):
                    solved[i] -= L[i, k] * solved[k]
                solved[i] /= L[i, i]
                value -= 0.5 * solved[i] * solved[i]
            add_log(top, total, n, value)
    for n in range(N):
        out[n] = top[n] + math.log(total[n] / len(scales))
