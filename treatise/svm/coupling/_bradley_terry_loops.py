"""Compiled Bradley-Terry fit of pairwise probabilities: the Hastie-Tibshirani coupling of every row."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.svm.coupling._loops import EPSILON, markov, normalize, unpack


@compiled_step
def residual(R, weights, p):
    """Sum over classes of how far observed and expected wins, their ratio (7), are from level."""
    k, total = R.shape[0], 0.0
    for i in range(k):
        observed = expected = 0.0
        for j in range(k):
            if j != i:
                observed += weights[i, j] * R[i, j]
                expected += weights[i, j] * p[i] / (p[i] + p[j])
        total += abs(observed / expected - 1.0)
    return total


@compiled_step
def divergence(R, weights, p):
    """The part of the Kullback-Leibler distance (4) that depends on p."""
    k, total = R.shape[0], 0.0
    for i in range(k):
        for j in range(i):
            pair = p[i] + p[j]
            total -= weights[i, j] * (R[i, j] * math.log(p[i] / pair) + R[j, i] * math.log(p[j] / pair))
    return total


@compiled_step
def sweep(R, weights, p):
    """Algorithm 1, once over all classes: scale p_i by observed over expected wins."""
    k = R.shape[0]
    for i in range(k):
        observed = expected = 0.0
        for j in range(k):
            if j != i:
                observed += weights[i, j] * R[i, j]
                expected += weights[i, j] * p[i] / (p[i] + p[j])
        p[i] *= observed / expected
    normalize(p)


@compiled_step
def newton_trial(R, weights, p, H, trial):
    """A Newton step in log p, the likeliest class held, into ``trial``."""
    k, held = R.shape[0], 0
    for i in range(k):
        if p[i] > p[held]:
            held = i
    for i in range(k):
        gradient = curvature = 0.0
        for j in range(k):
            if j != i:
                pair = p[i] + p[j]
                mu, nu = p[i] / pair, p[j] / pair
                gradient += weights[i, j] * (R[i, j] - mu)
                curvature += weights[i, j] * mu * nu
                H[i, j] = -weights[i, j] * mu * nu
        H[i, i] = curvature
        trial[i] = gradient
    for i in range(k):
        H[i, held] = H[held, i] = 0.0
    H[held, held] = 1.0
    trial[held] = 0.0
    for j in range(k):
        floor = EPSILON * H[j, j]
        for s in range(j):
            scaled = H[j, s] / H[s, s]
            H[j, j] -= scaled * H[j, s]
            H[j, s] = scaled
        if H[j, j] < floor:
            H[j, j] = floor
        for i in range(j + 1, k):
            total = H[i, j]
            for s in range(j):
                total -= H[i, s] * H[j, s]
            H[i, j] = total
    for i in range(k):
        for s in range(i):
            trial[i] -= H[i, s] * trial[s]
    for i in range(k - 1, -1, -1):
        trial[i] /= H[i, i]
        for s in range(i + 1, k):
            trial[i] -= H[s, i] * trial[s]
    for i in range(k):
        trial[i] = p[i] * math.exp(min(max(trial[i], -20.0), 20.0))
    normalize(trial)


@compiled
def bradley_terry_rows(pairs, n_classes, weights, tol, max_iter):
    """The minimiser of (4) for every row, and the iterations that each took.

    Every iteration is a sweep of Algorithm 1, which converges from any start (Zermelo), and then a Newton
    step wherever that does better still: a handful of iterations where the sweeps alone take hundreds.
    """
    n, k = pairs.shape[0], n_classes
    P = np.empty((n, k))
    iterations = np.zeros(n, dtype=np.int64)
    R, H, trial = np.empty((k, k)), np.empty((k, k)), np.empty(k)
    for row in range(n):
        p = P[row]
        unpack(pairs[row], R)
        markov(R, H, p)
        gap = residual(R, weights, p)
        while gap > tol and iterations[row] < max_iter:
            iterations[row] += 1
            sweep(R, weights, p)
            gap = residual(R, weights, p)
            newton_trial(R, weights, p, H, trial)
            closer = residual(R, weights, trial)
            if closer < gap:
                # Close to the optimum the distance is level to rounding, and the residual alone decides.
                here = divergence(R, weights, p)
                if divergence(R, weights, trial) <= here + 1e-13 * abs(here):
                    p[:] = trial
                    gap = closer
    return P, iterations
