"""Moments of a normal law tilted by a likelihood, by Gauss and Hermite's quadrature where its mass is."""

import numpy as np

from treatise.statistics import normal_nodes

_CHUNK_NUMBERS = 1 << 21
_STEPS, _HALVINGS = 40, 30
_TINY = 1e-300


def tilted_moments(log_density, derivatives, mean, variance, power, n_quad):
    """Log integral, mean and variance of ``t(u)^power N(u; mean, variance)``, entry by entry.

    The nodes are first laid around the mode with the curvature there, then around the mean and variance so found:
    under the normal law itself a narrow likelihood would fall between two nodes.

    Parameters
    ----------
    log_density, derivatives : callable (u, rows) -> array, and two arrays
        Log of t, and its first and second derivative, of terms ``rows`` at ``u``, which has a term for each row.
    mean, variance : ndarray of shape (n_terms,) or (n_terms, n_points)
        Of the normal laws.
    power : float
        Power of the terms.
    n_quad : int
        Nodes.

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
        for out, values in zip(
            found, _moments(log_density, derivatives, part, mean[part], variance[part], power, n_quad)
        ):
            out[part] = values
    return tuple(out.reshape(shape) for out in found)


def _moments(log_density, derivatives, part, mean, variance, power, n_quad):
    variance = np.maximum(variance, _TINY)
    center, spread = _mode(log_density, derivatives, part, mean, variance, power)
    nodes, weights = normal_nodes(n_quad)
    log_weights = np.log(weights) + 0.5 * nodes**2
    for _ in range(2):
        u = center[..., None] + spread[..., None] * nodes
        logs = power * log_density(u, part) - 0.5 * (u - mean[..., None]) ** 2 / variance[..., None] + log_weights
        top = logs.max(axis=-1)
        mass = np.exp(logs - np.where(np.isfinite(top), top, 0.0)[..., None])
        total = mass.sum(axis=-1)
        log_integral = top + np.log(np.maximum(total, _TINY)) + np.log(spread) - 0.5 * np.log(variance)
        share = mass / np.maximum(total, _TINY)[..., None]
        # Around the centre, so that a narrow law keeps its digits.
        offset = share @ nodes
        second = np.einsum("...k,...k->...", share, (nodes - offset[..., None]) ** 2)
        center, spread = center + spread * offset, spread * np.sqrt(np.maximum(second, 1e-12))
    return log_integral, center, spread**2


def _mode(log_density, derivatives, part, mean, variance, power):
    """Where a tilted law is highest, and the deviation of the normal law with its curvature there."""
    u, rough = mean.copy(), np.sqrt(variance)

    def height(at):
        return power * log_density(at[..., None], part)[..., 0] - 0.5 * (at - mean) ** 2 / variance

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
        rough = 1.0 / np.sqrt(curvature)
        if np.all(np.abs(share * step) <= 1e-3 * rough):
            break
    return u, rough
