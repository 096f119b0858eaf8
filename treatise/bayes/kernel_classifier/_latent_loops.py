"""Compiled draws of the latent scores (Algorithm 1, after Holmes and Held), and probabilities of classes."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_sums
from treatise.statistics.sampling.random_numbers import normal_between, normal_tail

NEAREST = 1e-12
"""What is left at least of 1 - h, so that a row that explains itself wholly keeps a finite variance."""
_REACH, _STEP = 6.0, 0.5


@compiled_sums
def draw_latent(rng, W, M, size, S, codes, basis):
    """Draw every latent score given all others, the coefficients integrated out; keeps M = W'S.

    With c classes a row has c - 1 scores, coordinates of its c centred ones in an orthonormal basis (section 6.2): in
    these the covariance H of the paper is the identity. The centred score of its class is the largest.

    Parameters
    ----------
    W : ndarray of shape (n, at least size)
        Rows F_i L^{-T}.
    M, S : ndarray of shape (c - 1, at least size) and (c - 1, n)
        Products W'S, and the latent scores.
    codes : ndarray of int of shape (n,)
        Class of each row.
    basis : ndarray of shape (c, c - 1)
        Centred scores are basis @ coordinates.
    """
    n_classes, n_scores = basis.shape
    centred = np.empty(n_classes)
    for i in range(len(codes)):
        row, own = W[i, :size], codes[i]
        h = 0.0
        for j in range(size):
            h += row[j] * row[j]
        left = max(1.0 - h, NEAREST)
        deviation = 1.0 / math.sqrt(left)
        for c in range(n_classes):
            centred[c] = 0.0
            for a in range(n_scores):
                centred[c] += basis[c, a] * S[a, i]
        for a in range(n_scores):
            fitted = 0.0
            for j in range(size):
                fitted += row[j] * M[a, j]
            before = S[a, i]
            mean = (fitted - h * before) / left
            low, high = -np.inf, np.inf
            for c in range(n_classes):
                slope = basis[own, a] - basis[c, a]
                if slope != 0.0:  # the own class's score minus another's, as a line in this coordinate, is positive
                    zero = before - (centred[own] - centred[c]) / slope
                    if slope > 0.0:
                        low = max(low, zero)
                    else:
                        high = min(high, zero)
            if not low < high:
                continue
            drawn = mean + deviation * normal_between(rng, (low - mean) / deviation, (high - mean) / deviation)
            drawn = min(max(drawn, low), high)
            change = drawn - before
            S[a, i] = drawn
            for c in range(n_classes):
                centred[c] += basis[c, a] * change
            for j in range(size):
                M[a, j] += change * row[j]


@compiled
def draw_given_scores(rng, scores, codes, latent):
    """Draw the latent scores of two classes given the scores: normal about them, on the own class's side of zero."""
    for i in range(len(scores)):
        side = 2.0 * codes[i] - 1.0
        latent[i] = scores[i] + side * normal_tail(rng, -side * scores[i])


@compiled
def normal_cdf(x):
    """P(standard normal < x)."""
    return 0.5 * math.erfc(-x * 0.7071067811865476)


@compiled
def add_probabilities(scores, total):
    """Add to ``total`` (classes by rows) the probability that each class's score plus its own noise is the largest.

    Scores are (classes, rows). The density of the largest is summed over a grid whose step is half a deviation, where
    the trapezoidal rule has an error below 1e-9 of a smooth peak.
    """
    n_classes, n = scores.shape
    below = np.empty(n_classes)
    chance = np.empty(n_classes)
    steps = int(2.0 * _REACH / _STEP)
    for i in range(n):
        top = scores[0, i]
        for c in range(1, n_classes):
            top = max(top, scores[c, i])
        chance[:] = 0.0
        for step in range(steps + 1):
            at = top - _REACH + _STEP * step
            product = 1.0
            for c in range(n_classes):
                below[c] = max(normal_cdf(at - scores[c, i]), 1e-300)
                product *= below[c]
            for c in range(n_classes):
                gap = at - scores[c, i]
                chance[c] += math.exp(-0.5 * gap * gap) * product / below[c]
        whole = 0.0
        for c in range(n_classes):
            whole += chance[c]
        for c in range(n_classes):
            total[c, i] += chance[c] / whole
