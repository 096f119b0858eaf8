"""The least divergence that known risks leave possible: Pinsker's inequality at its tightest, and for several priors.

Risks at n priors fix n lines, each with one corner of the ROC curve on it. The pair of distributions with the least
divergence has a ROC curve with these n corners only (Theorem 30), so the bound is a divergence of n + 1 outcomes whose
masses are affine in the slopes of the risk curve; it is jointly convex in them.
"""

import warnings

import numpy as np
from scipy.linalg import solveh_banded
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
SEARCH_STEPS, HALVINGS, NEWTON_STEPS = 80, 60, 200
# Slopes keep this share of their range from its ends, where derivatives may be infinite.
MARGIN = 1e-9
# A narrower range of slopes is one slope.
SINGLE = 1e-9
# Corners of the ROC curve nearer to each other are the same.
NO_MASS = 1e-11
# A mass beside one that counts is at least this: what rounding makes zero must not make a divergence infinite.
LEAST_MASS = 1e-15
# Slopes that share of their range from its end are moved to it where corners may coincide; ratios tried there.
JOINED, SHARES = 1e-6, np.linspace(0.0005, 0.9995, 1999)
# The search ends where the optimum is known to this share of it.
TIGHT = 1e-11
# Largest part of a bound that the certificate may take away before a warning.
LOOSE = 1e-6
# Risks may bend the wrong way by this much: rounding of whoever computed them.
ROUNDING = 1e-9


def least_from_variation(perspective, variation, *, symmetric):
    """The least divergence of two distributions at a variational divergence of V (Theorem 31).

    Both have two outcomes, with the masses (1 - psi - a/2, psi + a/2) and (psi - a/2, 1 - psi + a/2), where psi is
    1/2 - V/4 and a the slope of the risk curve at one half. A symmetric divergence is least at a = 0; the paper asks
    for a convex weight too, which is not needed since the divergence is convex in a.

    Parameters
    ----------
    perspective : Perspective
        Of the divergence.
    variation : ndarray
        Values of V from 0 to 2.
    symmetric : bool
        Whether the divergence is symmetric.
    """
    psi = 0.5 - 0.25 * np.asarray(variation, dtype=float)

    def divergence(a):
        # The masses that vanish at the ends of the range must not be negative by rounding.
        first, second = np.maximum(psi - 0.5 * a, 0.0), np.maximum(psi + 0.5 * a, 0.0)
        return perspective(1.0 - second, first) + perspective(second, 1.0 - first)

    base = perspective(1.0, 1.0)
    if symmetric:
        return np.maximum(divergence(np.zeros_like(psi)) - base, 0.0)
    low, high = -2.0 * psi, 2.0 * psi
    best = np.minimum(divergence(low), divergence(high))
    for _ in range(SEARCH_STEPS):
        width = GOLDEN * (high - low)
        left, right = high - width, low + width
        at_left, at_right = divergence(left), divergence(right)
        best = np.minimum(best, np.minimum(at_left, at_right))
        falls = at_left > at_right
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return np.maximum(best - base, 0.0)


def greatest_argument(bound, value, top):
    """The largest argument from 0 to ``top`` at which a non-decreasing bound does not exceed ``value``."""
    value = np.asarray(value, dtype=float)
    low, high = np.zeros_like(value), np.broadcast_to(np.asarray(top, dtype=float), value.shape).copy()
    reached = bound(high) <= value
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        inside = bound(middle) <= value
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    # From above, so that the answer is a bound however few digits the last halvings have.
    return np.where(reached, top, high)


def checked_risks(priors, risks):
    """Priors in rising order and the 0-1 Bayes risks there, if some pair of distributions has them (Corollary 24)."""
    priors, risks = np.atleast_1d(np.asarray(priors, dtype=float)), np.atleast_1d(np.asarray(risks, dtype=float))
    if priors.ndim != 1 or priors.shape != risks.shape or not priors.size:
        raise ValueError(f"one risk for each prior is needed; the shapes are {priors.shape} and {risks.shape}")
    if not (np.isfinite(priors).all() and np.isfinite(risks).all()):
        raise ValueError("priors or risks hold NaN or an infinite value; they are numbers from 0 to 1")
    order = np.argsort(priors, kind="stable")
    priors, risks = priors[order], risks[order]
    if priors[0] < 0 or priors[-1] > 1:
        raise ValueError(f"priors run from {priors[0]:g} to {priors[-1]:g}; they must lie between 0 and 1")
    if (np.diff(priors) == 0).any():
        twice = priors[:-1][np.diff(priors) == 0][0]
        raise ValueError(f"the prior {twice:g} is given twice; give every prior once")
    tent = np.minimum(priors, 1.0 - priors)
    off = (risks < -ROUNDING) | (risks > tent + ROUNDING)
    if off.any():
        at = int(np.argmax(off))
        raise ValueError(
            f"a risk of {risks[at]:g} at the prior {priors[at]:g} is not possible; it lies between 0 and the risk of "
            f"always naming the commoner class, {tent[at]:g}"
        )
    risks = np.clip(risks, 0.0, tent)
    inside = (priors > 0) & (priors < 1)
    priors, risks = priors[inside], risks[inside]
    x, y = np.concatenate([[0.0], priors, [1.0]]), np.concatenate([[0.0], risks, [0.0]])
    chord = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    low = chord - y[1:-1] > ROUNDING
    if low.any():
        at = int(np.argmax(low))
        raise ValueError(
            f"the risk {risks[at]:g} at the prior {priors[at]:g} lies below the line through its neighbours, at "
            f"{chord[at]:g}; the risks of the best rule are concave in the prior, take the least over all rules first"
        )
    return priors, risks


def least_from_risks(perspective, priors, risks):
    """The least divergence of two distributions whose 0-1 Bayes risks are known at some priors (Theorem 30).

    What comes back is the value found less its distance from the optimum, bounded by convexity; it is a lower bound
    however the search ended.
    """
    if not len(priors):
        return 0.0
    if risks.min() == 0.0:  # no outcome in common
        return float(perspective(1.0, 0.0) + perspective(0.0, 1.0) - perspective(1.0, 1.0))
    x, y = np.concatenate([[0.0], priors, [1.0]]), np.concatenate([[0.0], risks, [0.0]])
    chords = np.diff(y) / np.diff(x)
    low, high = np.minimum(chords[1:], chords[:-1]), chords[:-1]
    if perspective.atoms and not perspective.weight_at(priors).any():
        return _least_of_atoms(perspective.atoms, priors, risks, low, high)
    polygon = _Polygon(perspective, *_without_straight_pieces(x, y, low, high))
    value, gap = polygon.least()
    if not np.isfinite(value):
        return np.inf
    if not gap <= LOOSE * value + 1e-12:
        warnings.warn(
            f"the least divergence is known between {max(value - gap, 0.0):g} and {value:g} only; that is the smaller",
            ConvergenceWarning, stacklevel=3,
        )  # fmt: skip
    return float(max(value - gap, 0.0))


def _without_straight_pieces(x, y, low, high):
    """Priors, risks, least slopes and ranges, with a single prior of a fixed slope for each straight piece.

    Three risks on one line fix their common corner. It is the best for the ends of the piece too: a divergence never
    rises when outcomes are joined.
    """
    n = len(low)
    flat = np.concatenate([[False], high - low < SINGLE, [False]])
    kept = np.ones(n + 2, dtype=bool)
    low, high = low.copy(), high.copy()
    for first in np.flatnonzero(flat[1:] & ~flat[:-1]) + 1:
        last = first + int(np.argmin(flat[first:])) - 1
        kept[first - 1 : last + 2] = False
        kept[first] = True
        low[first - 1] = high[first - 1] = (y[last + 1] - y[first - 1]) / (x[last + 1] - x[first - 1])
    kept = kept[1:-1]
    return x[1:-1][kept], y[1:-1][kept], low[kept], (high - low)[kept]


class _Polygon:
    """The divergence of a ROC polygon with a corner on the line of each prior, as a function of the slopes there.

    A slope is ``low + z * width`` with z from 0 to 1.
    """

    def __init__(self, perspective, priors, risks, low, width):
        self.perspective, self.priors, self.risks, self.low, self.width = perspective, priors, risks, low, width
        self.base = float(perspective(1.0, 1.0))

    def masses(self, z):
        """Masses of P and Q between the corners."""
        slopes = self.low + z * self.width
        alarms = np.concatenate([[0.0], self.risks - slopes * self.priors, [1.0]])
        hits = np.concatenate([[0.0], 1.0 - self.risks - slopes * (1.0 - self.priors), [1.0]])
        p, q = np.maximum(np.diff(hits), LEAST_MASS), np.maximum(np.diff(alarms), LEAST_MASS)
        joined = p + q < NO_MASS
        return np.where(joined, 0.0, p), np.where(joined, 0.0, q)

    def mass_slopes(self, p, q):
        """Slopes of the perspective; an outcome without mass may take those of any ratio, and has its neighbours'."""
        there = np.flatnonzero(p + q > 0)
        share = np.interp(np.arange(len(p)), there, q[there] / (p[there] + q[there]))
        return self.perspective.slopes_at(1.0 - share, share)

    def divergence(self, z):
        return float(self.perspective(*self.masses(z)).sum()) - self.base

    def expansion(self, z):
        """The derivative in z, and the two diagonals of the second one, which is tridiagonal."""
        p, q = self.masses(z)
        in_p, in_q = self.mass_slopes(p, q)
        forwards, backwards = (1.0 - self.priors) * self.width, self.priors * self.width
        slope = np.where(self.width > 0, np.diff(in_p) * forwards + np.diff(in_q) * backwards, 0.0)
        # Of one outcome the second derivative is gamma / (p + q)^3 times the square of q dp - p dq.
        total, inside = p + q, (p > 0) & (q > 0)
        share = np.where(inside, q, 1.0) / np.where(inside, total, 2.0)
        size = np.where(inside, self.perspective.weight_at(share) / np.where(inside, total, 1.0) ** 3, 0.0)
        ahead = q[1:] * forwards - p[1:] * backwards  # by the corner before an outcome
        behind = p[:-1] * backwards - q[:-1] * forwards  # by the corner after it
        return slope, size[1:] * ahead**2 + size[:-1] * behind**2, size[1:-1] * ahead[:-1] * behind[1:]

    def least(self):
        """The least divergence by projected Newton steps, and how far from the optimum it may be."""
        z = np.full(len(self.priors), 0.5)
        value, gap = self.divergence(z), np.inf
        for _ in range(NEWTON_STEPS):
            slope, diagonal, off = self.expansion(z)
            gap = float(np.maximum(slope * z, slope * (z - 1.0)).sum())
            if gap <= TIGHT * value:
                break
            # Where the range cuts a Newton step so that it no longer descends, a scaled gradient still does.
            steps = (_newton_step(z, slope, diagonal, off), -slope / np.maximum(diagonal, 1e-300))
            found = next((found for step in steps if (found := self._descended(z, value, slope, step))), None)
            if found is None:
                break
            z, value = found
        return (value, gap) if gap <= LOOSE * value else min((value, gap), self._joined(z), key=lambda end: end[1])

    def _joined(self, z):
        """Value and gap where corners that all but coincide do so.

        The divergence has a kink there: an outcome without mass takes the slopes of any ratio, and those with the least
        gap prove most.
        """
        z = np.where(z < JOINED, 0.0, np.where(z > 1.0 - JOINED, 1.0, z))
        p, q = self.masses(z)
        in_p, in_q = self.mass_slopes(p, q)
        ratios = self.perspective.slopes_at(1.0 - SHARES, SHARES)

        def gaps(in_p, in_q):
            change = np.diff(in_p) * (1.0 - self.priors) + np.diff(in_q) * self.priors
            slope = np.where(self.width > 0, change * self.width, 0.0)
            return np.maximum(slope * z, slope * (z - 1.0)).sum(axis=-1)

        for place in np.flatnonzero(p + q == 0.0):
            tried_p, tried_q = (np.tile(part, (len(SHARES), 1)) for part in (in_p, in_q))
            tried_p[:, place], tried_q[:, place] = ratios
            best = int(np.argmin(gaps(tried_p, tried_q)))
            in_p, in_q = tried_p[best], tried_q[best]
        return self.divergence(z), float(gaps(in_p, in_q))

    def _descended(self, z, value, slope, step):
        """The first of ever shorter steps, kept in the range, that lowers the divergence; None if none does."""
        length = 1.0
        while length > 1e-12:
            trial = np.clip(z + length * step, MARGIN, 1.0 - MARGIN)
            found = self.divergence(trial)
            if found < value and found <= value + 1e-4 * slope @ (trial - z):
                return trial, found
            length *= 0.5
        return None


def _newton_step(z, slope, diagonal, off):
    """Newton's step in the coordinates that are not held at an end of their range."""
    held = ((z <= MARGIN) & (slope > 0)) | ((z >= 1.0 - MARGIN) & (slope < 0)) | (diagonal <= 0)
    if len(z) == 1:
        return np.where(held, 0.0, -slope / np.where(held, 1.0, diagonal))
    bands = np.zeros((2, len(z)))
    bands[0] = np.where(held, 1.0, diagonal * (1.0 + 1e-12))
    bands[1, :-1] = np.where(held[1:] | held[:-1], 0.0, off)
    scale = 1.0 / np.sqrt(bands[0])
    bands[0], bands[1, :-1] = 1.0 + 1e-13, bands[1, :-1] * scale[1:] * scale[:-1]
    try:
        return solveh_banded(bands, np.where(held, 0.0, -slope) * scale, lower=True) * scale
    except np.linalg.LinAlgError:  # neighbours that move as one, up to rounding
        return np.where(held, 0.0, -slope) * scale**2


def _least_of_atoms(atoms, priors, risks, low, high):
    """The least weighted sum of risk gains at a few places: a linear program in the slopes and the gains."""
    places, masses = np.array(atoms).T
    tent = np.minimum(places, 1.0 - places)
    n, m = len(priors), len(places)
    rows, right = [], []
    for k in range(m):
        for i in range(n):
            row = np.zeros(n + m)
            row[i], row[n + k] = priors[i] - places[k], -1.0
            rows.append(row)
            right.append(risks[i] - tent[k])
    bounds = [*zip(low, high), *[(0.0, None)] * m]
    found = linprog(np.concatenate([np.zeros(n), masses]), A_ub=np.array(rows), b_ub=np.array(right), bounds=bounds)
    return float(max(found.fun, 0.0))
