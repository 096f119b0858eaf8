"""Corrections of Gaussian marginals (paper v12-0417, Sections 3 and 4).

The posterior marginal of ``x_i`` is ``q(x_i)`` times a correction: the integral of what the sites left of the terms,
``e_j = t_j / site_j``, under the conditional law ``q(x | x_i)``. The methods differ in how they take that integral.
"""

import numpy as np

from treatise.bayes.latent_gaussian._fields import without_sites
from treatise.bayes.latent_gaussian._laplace import laplace
from treatise.bayes.latent_gaussian._propagation import propagate, site_integrals
from treatise.bayes.latent_gaussian._terms import Remainders
from treatise.statistics import normal_nodes

_LOCAL = 1e-9
"""A share of a term's variance; with less of it left, the term looks at the pinned entry alone."""
_UNRELATED = 1e-13
"""A squared correlation below which a term tells nothing about an entry."""


class Slice:
    """One entry of the field over a grid of its values, and what the terms do meanwhile.

    Parameters
    ----------
    update : Update
        The Gaussian approximation.
    terms : Terms
        The terms.
    i : int
        The entry.
    """

    def __init__(self, update, terms, i):
        self.update, self.i = update, i
        self.mean, self.variance, beside = update.beside(i)
        self.slope = beside / self.variance
        total = update.term_variance
        self.spread = total - beside * self.slope
        self.local = self.spread <= _LOCAL * total
        related = beside**2 > _UNRELATED * total * self.variance
        self.others = np.flatnonzero(~self.local & related)
        self.here = np.flatnonzero(self.local & related)
        self.remainders = Remainders(terms, update.a, update.b)

    def support(self):
        """Where the terms that look at this entry alone are not zero."""
        low, high = -np.inf, np.inf
        terms = self.remainders.terms
        for j, (start, end) in zip(self.here, zip(*terms.some(self.here).likelihood.support(terms.y[self.here]))):
            ends = sorted(self.mean + (np.array([start, end]) - self.update.term_mean[j]) / self.slope[j])
            low, high = max(low, ends[0]), min(high, ends[1])
        return low, high

    def at(self, x, rows):
        """Means of some terms given each value of the entry, of shape (n_rows, n_values)."""
        return self.update.term_mean[rows][:, None] + self.slope[rows][:, None] * (x - self.mean)

    def log_normal(self, x):
        """Log of ``q(x_i)``."""
        return -0.5 * ((x - self.mean) ** 2 / self.variance + np.log(2 * np.pi * self.variance))

    def log_local(self, x):
        """Log of what is left of the terms that look at this entry alone."""
        return self.remainders.some(self.here).log_density(self.at(x, self.here)).sum(axis=0)

    def log_factors(self, x, power=1.0):
        """Logs of ``[int q(u_j | x_i) e_j^power]^(1/power)`` for the other terms; power 0 is the limit."""
        left = self.remainders.some(self.others)
        mean, spread = self.at(x, self.others), self.spread[self.others][:, None]
        if power == 0:
            nodes, weights = normal_nodes(left.terms.n_quad)
            points = mean[..., None] + np.sqrt(spread)[..., None] * nodes
            return left.log_density(points) @ weights
        log_integral, _, _ = left.tilted(mean, np.broadcast_to(spread, mean.shape), power)
        return log_integral / power


def gaussian(here, x):
    """EP-G and LM-G: the marginal of the Gaussian approximation."""
    return here.log_normal(x)


def local(here, x):
    """EP-L and LM-L: the entry's own term in place of its site."""
    return here.log_normal(x) + here.log_local(x)


def factorised(here, x, power=1.0):
    """EP-FACT: the other terms one by one, each under its own conditional law."""
    return local(here, x) + here.log_factors(x, power).sum(axis=0)


def laplace_factorised(here, x):
    """LA-FACT: the same with each integral by the curvature at the conditional mean."""
    left, mean = here.remainders.some(here.others), here.at(x, here.others)
    _, bend = left.derivatives(mean)
    shrunk = 1.0 - here.spread[here.others][:, None] * bend
    with np.errstate(invalid="ignore", divide="ignore"):
        return local(here, x) + (left.log_density(mean) - 0.5 * np.log(shrunk)).sum(axis=0)


def one_step(here, x):
    """EP-1STEP: sites of the other terms matched once under the conditional law, then one Gaussian integral."""
    left, mean = here.remainders.some(here.others), here.at(x, here.others)
    spread = np.broadcast_to(here.spread[here.others][:, None], mean.shape)
    log_integral, center, wide = left.tilted(mean, spread)
    constants = (log_integral - site_integrals(center, wide, mean, spread)).sum(axis=0)
    a, b = 1.0 / wide - 1.0 / spread, center / wide - mean / spread
    pinned, found = here.update.pinned(here.i), np.full(len(x), -np.inf)
    for k, value in enumerate(x):
        site_a, site_b = np.zeros((2, len(here.spread)))
        site_a[here.others], site_b[here.others] = a[:, k], b[:, k]
        try:
            found[k] = constants[k] + pinned(value).update(site_a, site_b).log_normaliser
        except np.linalg.LinAlgError:
            continue
    return local(here, x) + found


class _Others:
    """The remainders of the other terms; those of the pinned entry, and unrelated ones, are one."""

    def __init__(self, here):
        self.rows, self.left = here.others, here.remainders.some(here.others)

    def _spread(self, u, *parts):
        found = []
        for part in parts:
            whole = np.zeros(np.shape(u))
            whole[self.rows] = part
            found.append(whole)
        return found[0] if len(found) == 1 else tuple(found)

    def log_density(self, u):
        return self._spread(u, self.left.log_density(u[self.rows]))

    def derivatives(self, u):
        return self._spread(u, *self.left.derivatives(u[self.rows]))

    def tilted(self, mean, variance, power=1.0):
        log_integral, center, wide = self.left.tilted(mean[self.rows], variance[self.rows], power)
        centers, variances = mean.copy(), variance.copy()
        centers[self.rows], variances[self.rows] = center, wide
        return self._spread(mean, log_integral), centers, variances


def _point_by_point(here, x, value_at):
    """Log correction at every value of the entry, in the field where it has it."""
    pinned, others, found = here.update.pinned(here.i), _Others(here), np.full(len(x), -np.inf)
    for k, value in enumerate(x):
        try:
            found[k] = value_at(pinned(value), others)
        except np.linalg.LinAlgError:
            continue
    return local(here, x) + found


def full_propagation(here, x):
    """EP-FULL: expectation propagation to its end at every value."""

    def value_at(field, others):
        return propagate(field, others, without_sites(field), tol=1e-6).log_evidence

    return _point_by_point(here, x, value_at)


def tierney_kadane(here, x):
    """LA-TK: Laplace's method at every value."""
    return _point_by_point(here, x, lambda field, others: laplace(field, others, tol=1e-6).log_evidence)


def conditional_mean(here, x):
    """LA-CM: Laplace's formula at the conditional mean instead of the mode."""

    def value_at(field, others):
        u = field.term_mean
        _, bend = others.derivatives(u)
        try:
            return others.log_density(u).sum() - 0.5 * field.update(-bend, np.zeros_like(u)).log_ratio
        except np.linalg.LinAlgError:  # the curvature there belongs to no maximum
            return laplace(field, others, tol=1e-6).log_evidence

    return _point_by_point(here, x, value_at)


def second_conditional_mean(here, x):
    """LA-CM2: the quadratic expansion at the conditional mean, with its slope.

    The paper subtracts the term of the slope g and the Hessian H; what an integral of the expansion gives is
    ``g' (-H)^-1 g / 2``, which is positive.
    """

    def value_at(field, others):
        u = field.term_mean
        slope, bend = others.derivatives(u)
        a = -bend
        try:
            constant = (others.log_density(u) - slope * u - 0.5 * a * u**2).sum()
            return constant + field.update(a, slope + a * u).log_normaliser
        except np.linalg.LinAlgError:
            return laplace(field, others, tol=1e-6).log_evidence

    return _point_by_point(here, x, value_at)


def first_order(here, x, *, keep_local=False):
    """EP-OPW (Opper, Paquet and Winther): first order in the remainders less one; a density, which may be negative.

    ``keep_local`` leaves the entry's own term as it is (Section 4.3).
    """
    rows = np.concatenate([here.here, here.others])
    whole, _, _ = here.remainders.some(rows).tilted(here.update.term_mean[rows], here.update.term_variance[rows])
    own, others = whole[: len(here.here)], whole[len(here.here) :]
    change = np.expm1(here.log_factors(x) - others[:, None]).sum(axis=0)
    near = np.exp(here.log_local(x) - own.sum())
    normal = np.exp(here.log_normal(x))
    return normal * near * (1.0 + change) if keep_local else normal * (near + change)


LOG_METHODS = {
    "ep-g": gaussian, "ep-l": local, "ep-fact": factorised, "ep-1step": one_step, "ep-full": full_propagation,
    "lm-g": gaussian, "lm-l": local, "la-fact": laplace_factorised, "la-cm": conditional_mean,
    "la-cm2": second_conditional_mean, "la-tk": tierney_kadane,
}  # fmt: skip
DENSITY_METHODS = {
    "ep-opw": first_order,
    "ep-opw-local": lambda here, x: first_order(here, x, keep_local=True),
}
METHODS = (*LOG_METHODS, *DENSITY_METHODS)
