"""Moments of a normal law tilted by a likelihood, by quadrature where its mass is."""

from functools import lru_cache

import numpy as np

_CHUNK_NUMBERS = 1 << 21
_STEPS, _HALVINGS = 40, 30
_TINY = 1e-300
_END = 34.0
"""Logs below the mode at which a side of a law may end."""
_DOUBLINGS, _CUTS = 60, 3


@lru_cache(maxsize=16)
def _half_rule(n_points):
    """Nodes and weights on (0, 1), dense near 0: Gauss and Legendre's in the square root."""
    nodes, weights = np.polynomial.legendre.leggauss(n_points)
    root = 0.5 * (nodes + 1.0)
    return root**2, weights * root


def tilted_moments(log_density, derivatives, mean, variance, power, n_quad):
    """Log integral, mean and variance of ``t(u)^power N(u; mean, variance)``, entry by entry.

    Gauss and Hermite's rule under the normal law, as in the paper, loses two digits or all where the likelihood is far
    narrower, or falls off like a step. Here each side of the mode has nodes of its own, from the mode, where they are
    dense, to where the law has ended.

    Parameters
    ----------
    log_density, derivatives : callable (u, rows) -> array, and two arrays
        Log of t, and its first and second derivative, of terms ``rows`` at ``u``, which has a term for each row.
    mean, variance : ndarray of shape (n_terms,) or (n_terms, n_points)
        Of the normal laws.
    power : float
        Power of the terms.
    n_quad : int
        Nodes, half of them on each side.

    Returns
    -------
    log_integral, mean, variance : ndarray of that shape
    """
    shape = np.broadcast_shapes(np.shape(mean), np.shape(variance))
    mean = np.broadcast_to(mean, shape).reshape(shape[0], -1)
    variance = np.broadcast_to(variance, shape).reshape(shape[0], -1)
    found = [np.empty(mean.shape) for _ in range(3)]
    rows = max(1, _CHUNK_NUMBERS // (n_quad * max(1, mean.shape[1])))
    for first in range(0, shape[0], rows):
        part = slice(first, first + rows)
        moments = _moments(log_density, derivatives, part, mean[part], variance[part], power, n_quad)
        for out, values in zip(found, moments):
            out[part] = values
    return tuple(out.reshape(shape) for out in found)


def _moments(log_density, derivatives, part, mean, variance, power, n_quad):
    variance = np.maximum(variance, _TINY)

    def height(at):
        value = power * log_density(at[..., None], part)[..., 0] - 0.5 * (at - mean) ** 2 / variance
        return np.where(np.isnan(value), -np.inf, value)

    mode, top, rough = _mode(height, derivatives, part, mean, variance, power)
    nodes, weights = _half_rule((n_quad + 1) // 2)
    offsets, masses = [], []
    for sign in (-1.0, 1.0):
        width = _width(lambda w, sign=sign: top - height(mode + sign * w), rough)
        offset = sign * width[..., None] * nodes
        u = mode[..., None] + offset
        logs = power * log_density(u, part) - 0.5 * (u - mean[..., None]) ** 2 / variance[..., None]
        offsets.append(offset)
        masses.append(np.exp(np.nan_to_num(logs - top[..., None], nan=-np.inf)) * (width[..., None] * weights))
    offset, mass = np.concatenate(offsets, axis=-1), np.concatenate(masses, axis=-1)
    total = np.maximum(mass.sum(axis=-1), _TINY)
    share = mass / total[..., None]
    # Around the mode, so that a narrow law keeps its digits.
    center = np.einsum("...k,...k->...", share, offset)
    spread = np.einsum("...k,...k->...", share, (offset - center[..., None]) ** 2)
    log_integral = top + np.log(total) - 0.5 * np.log(2 * np.pi * variance)
    return log_integral, mode + center, np.maximum(spread, 1e-12 * rough**2)


def _mode(height, derivatives, part, mean, variance, power):
    """Where a tilted law is highest, how high, and the deviation of the normal law with its curvature there."""
    u, rough = mean.copy(), np.sqrt(variance)
    now = height(u)
    for _ in range(_STEPS):
        slope, bend = (d[..., 0] for d in derivatives(u[..., None], part))
        curvature = 1.0 / variance - power * np.minimum(bend, 0.0)
        step = (power * slope - (u - mean) / variance) / curvature
        step = np.where(np.isfinite(step), step, 0.0)
        share = np.ones_like(step)
        for _ in range(_HALVINGS):
            trial = height(u + share * step)
            worse = ~(trial >= now - 1e-12 * np.abs(now))
            if not worse.any():
                break
            share = np.where(worse, 0.5 * share, share)
        share = np.where(worse, 0.0, share)
        u, now = u + share * step, np.where(worse, now, trial)
        rough = np.where(np.isfinite(curvature), 1.0 / np.sqrt(curvature), rough)
        if np.all(np.abs(share * step) <= 1e-3 * rough):
            break
    return u, now, rough


def _width(drop, rough):
    """How far from the mode a side has fallen by about ``_END``, as found by doubling and a few cuts in half."""
    low, high = np.zeros_like(rough), 4.0 * rough
    for _ in range(_DOUBLINGS):
        short = drop(high) < _END
        if not short.any():
            break
        low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)
    for _ in range(_CUTS):
        middle = 0.5 * (low + high)
        short = drop(middle) < _END
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high
