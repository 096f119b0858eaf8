"""Laplace's method: the highest point of the posterior and the curvature there."""

from dataclasses import dataclass

import numpy as np

_LEAST_STEP = 2.0**-30


@dataclass(frozen=True)
class Approximation:
    """A Gaussian approximation of a field times terms.

    Attributes
    ----------
    update : Update
        The field times the sites.
    log_evidence : float
        Log of the integral of the field times the terms.
    n_iter : int
        Newton steps or sweeps.
    change : float
        Size of the last one.
    converged : bool
        Whether it is within the tolerance.
    """

    update: object
    log_evidence: float
    n_iter: int
    change: float
    converged: bool


def laplace(field, terms, *, tol=1e-8, max_iter=200):
    """Newton's method with halved steps; sites have the slope and curvature of their terms at the mode.

    Parameters
    ----------
    field : Field
        Prior.
    terms : Terms or Remainders
        What it is multiplied by.
    tol : float, default=1e-8
        Largest change of a term's argument at the end, in its posterior deviations at most.
    max_iter : int, default=200
        Newton steps at most.

    Returns
    -------
    Approximation
    """
    u, pull = field.term_mean, np.zeros(len(field.term_mean))

    def height(u, pull):
        found = float(terms.log_density(u).sum() - 0.5 * (u - field.term_mean) @ pull)
        return found if np.isfinite(found) else -np.inf

    now, change, converged, n_iter = height(u, pull), np.inf, False, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        slope, bend = terms.derivatives(u)
        update = _step(field, u, slope, -bend)
        share, du, dp = 1.0, update.term_mean - u, update.pull - pull
        # Rounding errors of the height must not stop a step that is too small to show in it.
        while share > _LEAST_STEP and height(u + share * du, pull + share * dp) < now - 1e-12 * (1 + abs(now)):
            share *= 0.5
        u, pull = u + share * du, pull + share * dp
        now = height(u, pull)
        change = float(np.max(np.abs(share * du), initial=0.0))
        converged = change <= tol * max(1.0, float(np.max(np.abs(u), initial=0.0)))
    slope, bend = terms.derivatives(u)
    update = _step(field, u, slope, -bend)
    return Approximation(update, now - 0.5 * update.log_ratio, n_iter, change, converged)


def _step(field, u, slope, a):
    """The field times the quadratic expansions at u; where that is no law, curvatures of the wrong sign are left."""
    try:
        return field.update(a, slope + a * u)
    except np.linalg.LinAlgError:
        a = np.maximum(a, 0.0)
        return field.update(a, slope + a * u)
