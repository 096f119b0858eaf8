"""Expectation propagation with all sites updated at once (paper v12-0417, Section 4.6.2 and Appendix C)."""

import numpy as np

from treatise.bayes.latent_gaussian._fields import without_sites
from treatise.bayes.latent_gaussian._laplace import Approximation

_LEAST_SHARE = 1.0 / 64.0
_MEMORY = 6
"""Sweeps that the mixture of them looks back on."""


class Mixing:
    """Anderson's mixture of sweeps: where the last ones, extrapolated linearly, would have stood still.

    Strongly correlated fields settle by a constant factor a sweep, near one; the last few sweeps tell the slow
    directions.
    """

    def __init__(self):
        self.forget()

    def forget(self):
        """Begin anew."""
        self._places, self._steps = [], []

    def step(self, place, step, scale):
        """What to add to the place instead of its step; ``scale`` makes the entries comparable."""
        self._places, self._steps = [*self._places[-_MEMORY:], place], [*self._steps[-_MEMORY:], step]
        if len(self._steps) < 3:
            return step
        moved = np.diff(self._places, axis=0).T
        turned = np.diff(self._steps, axis=0).T
        weights = np.linalg.lstsq(turned * scale[:, None], step * scale, rcond=1e-10)[0]
        return step - (moved + turned) @ weights


def site_integrals(mean, variance, cavity_mean, cavity_variance):
    """Log of the integrals of sites under their cavities: the scalar ``g(m, v) - g(m_c, v_c)``."""
    return 0.5 * (np.log(variance / cavity_variance) + mean**2 / variance - cavity_mean**2 / cavity_variance)


def propagate(field, terms, begun, *, power=1.0, damping="auto", tol=1e-8, max_iter=200):
    """Sites whose first two moments agree with those of their terms.

    In every sweep each site is taken out of its marginal (the cavity), the term put in its place, and the site set so
    that mean and variance are those of the result. A sweep that leaves no normal law, or after which the sites move
    further than before, is taken back by half, and where no share of it leaves one, that is the end; otherwise the
    last sweeps are mixed to hasten it.

    Parameters
    ----------
    field : Field
        Prior.
    terms : Terms or Remainders
        What it is multiplied by.
    begun : Update
        The field with the sites to begin with; those that leave a term no cavity are put aside.
    power : float, default=1.0
        Share of a term that is exchanged at once (power EP).
    damping : float or "auto", default="auto"
        Share of each sweep that is taken; "auto" begins with all of it, mixes sweeps, and halves it when the sites
        swing.
    tol : float, default=1e-8
        Largest change of a site, in units of its marginal.
    max_iter : int, default=200
        Sweeps at most.

    Returns
    -------
    Approximation
    """
    update = begun if np.all(1.0 - begun.a * begun.term_variance > 0) else without_sites(field)
    a, b = update.a, update.b
    share = 1.0 if damping == "auto" else float(damping)
    last, converged, n_iter, change, mixing = np.inf, False, 0, np.inf, Mixing()
    for n_iter in range(1, max_iter + 1):
        new_a, new_b = matched_sites(update, terms, power)
        mean, variance = update.term_mean, np.maximum(update.term_variance, 1e-300)
        da, db = new_a - a, new_b - b
        # What the change does to a marginal, in its own unit: scaling the field changes nothing.
        change = float(np.max([np.abs(da) * variance, np.abs(db - da * mean) * np.sqrt(variance)], initial=0.0))
        if change <= tol:
            converged = True
            break
        if damping == "auto":
            if change > 1.5 * last and n_iter > 3:
                share = max(0.5 * share, _LEAST_SHARE)
                mixing.forget()
            scale = np.concatenate([variance, np.sqrt(variance)])
            mixed = mixing.step(np.concatenate([a, b]), share * np.concatenate([da, db]), scale)
            da, db = np.split(mixed / share, 2)
        last = change
        try:
            update, (a, b), taken = _moved(field, a, b, da, db, share)
        except np.linalg.LinAlgError:
            break
        if taken < share:
            share = taken
            mixing.forget()
    return Approximation(update, log_evidence(update, terms, power), n_iter, change, converged)


def _moved(field, a, b, da, db, share):
    """The field with its sites moved by a share, halved until that is a normal law."""
    while share > 1e-6:
        try:
            update = field.update(a + share * da, b + share * db)
            # A pinned entry has no variance but for rounding errors.
            variance = update.term_variance
            if np.all(np.isfinite(update.term_mean)) and np.all(variance > -1e-9 * np.max(np.abs(variance))):
                return update, (update.a, update.b), share
        except np.linalg.LinAlgError:
            pass
        share *= 0.5
    raise np.linalg.LinAlgError("expectation propagation found no step that leaves a normal law")


def cavities(update, power):
    """Marginals of the terms without (a share of) their sites, and where these are laws at all."""
    mean, variance = update.term_mean, update.term_variance
    left = 1.0 - power * update.a * variance
    proper = (left > 0) & (variance > 0)
    left = np.where(proper, left, 1.0)
    return (mean - power * update.b * variance) / left, variance / left, proper


def matched_sites(update, terms, power):
    """Sites that give the marginals the moments of their tilted laws; where there is no cavity, the old ones."""
    center, wide, proper = cavities(update, power)
    _, mean, variance = terms.tilted(center, wide, power)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = (1.0 / variance - 1.0 / wide) / power
        b = (mean / variance - center / wide) / power
    proper &= np.isfinite(a) & np.isfinite(b)
    return np.where(proper, a, update.a), np.where(proper, b, update.b)


def log_evidence(update, terms, power):
    """EP's approximation of the log integral of the field times the terms (Appendix C.3, with the prior's part)."""
    center, wide, proper = cavities(update, power)
    log_integral, _, _ = terms.tilted(center, wide, power)
    with np.errstate(divide="ignore", invalid="ignore"):
        sites = site_integrals(update.term_mean, update.term_variance, center, wide)
    return update.log_normaliser + float((log_integral - sites)[proper].sum()) / power
