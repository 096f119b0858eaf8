"""The likelihood of the multinomial preference model over all instances, and its maxima."""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from scipy import sparse
from scipy.optimize import brentq, minimize

from treatise.optimize import minimize_lbfgs
from treatise.ranking.aggregation._multinomial_loops import (
    agreement_with_variance,
    partition,
    partition_with_variance,
)

POINTS = 48
"""Adherences at which the normaliser is computed where there are more experts; between them it is interpolated."""
HALF = np.log(0.5)  # of gammas that are all one half, every pair has the spread one: the model without variances
PRIOR = 2.0
"""Weight of the squared log variances: without it some fall to zero, and scores with them."""
# log Z is analytic in the adherence: a polynomial through so many points is exact to ten digits and more.
_PLACES = 0.5 + 0.5 * np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(2.0 * _PLACES - 1.0, POINTS - 1))


class PreferenceLikelihood:
    """Log-likelihood of all instances, as a function of scores, adherences and item variances.

    Parameters
    ----------
    instances : list of Preferences
        With the same experts.
    """

    def __init__(self, instances):
        self.instances = instances
        self.starts = np.append(0, np.cumsum([instance.n_items for instance in instances])).astype(np.int64)
        self.net = sparse.csr_array(sparse.vstack([instance.net for instance in instances]))
        self.totals = np.array([instance.totals for instance in instances])
        # One item alone has no pairs, and preferences can say nothing.
        self.totals[np.diff(self.starts) < 2] = 0.0

    def parts(self, flat):
        """One array for each instance."""
        return np.split(flat, self.starts[1:-1])

    def value_and_slopes(self, scores, theta, gammas=None, weights=None):
        """Log-likelihood (without the constant) and its derivatives in scores, theta and gammas.

        ``weights`` multiply the instances.
        """
        weights = np.ones(len(self.instances)) if weights is None else weights
        totals = self.totals * weights[:, np.newaxis]
        points, spread, slant = self._points(theta)
        values, slopes = np.zeros((2, len(totals), len(points)))
        down, down_gamma = np.zeros((2, len(scores)))
        mass = np.ascontiguousarray(totals if spread is None else totals @ spread)
        if gammas is None:
            partition(scores, self.starts, points, mass, values, slopes, down)
            of_item = np.repeat(weights, np.diff(self.starts))
            up = of_item * (self.net @ theta)
            agreement = self.net.T @ (of_item * scores)
            up_gamma = down_gamma
        else:
            partition_with_variance(scores, gammas, self.starts, points, mass, values, slopes, down, down_gamma)
            agreement, up, up_gamma = self._agreement(scores, theta, gammas, weights)
        in_theta = agreement - np.sum(totals * (slopes if slant is None else values @ slant.T), axis=0)
        value = float(agreement @ theta - np.sum(mass * values))
        return value, up - down, in_theta, up_gamma - down_gamma

    def _points(self, theta):
        """Where to compute the normaliser, and how its values and slopes at theta follow from those there."""
        if len(theta) <= POINTS:
            return theta, None, None
        at = 2.0 * theta - 1.0
        basis = chebyshev.chebvander(at, POINTS - 1)
        rise = np.zeros_like(basis)
        rise[:, 1:] = 2.0 * chebyshev.chebvander(at, POINTS - 2) @ chebyshev.chebder(np.eye(POINTS), axis=0)[:, 1:]
        return _PLACES, basis @ _COEFFICIENTS, rise @ _COEFFICIENTS

    def _agreement(self, scores, theta, gammas, weights):
        agreement = np.zeros(len(theta))
        up, up_gamma = np.zeros((2, len(scores)))
        nothing = np.zeros((0, 0, 0))
        for instance, first, last, weight in zip(self.instances, self.starts[:-1], self.starts[1:], weights):
            part, own = slice(first, last), np.zeros(len(theta))
            agreement_with_variance(
                instance.starts, instance.items, instance.values, instance.binary,
                nothing if instance.counts is None else instance.counts, scores[part], gammas[part],
                weight * theta, own, up[part], up_gamma[part],
            )  # fmt: skip
            agreement += weight * own
        return agreement, up, up_gamma


@dataclass(frozen=True)
class Maximum:
    """Where a likelihood ends: scores, gammas (or None), theta, and how the search went."""

    scores: np.ndarray
    gammas: np.ndarray | None
    theta: np.ndarray
    n_iter: int
    slope: float
    """Largest remaining derivative, as a share of the preferences of its instance."""


def exists(likelihood, theta):
    """Of each instance, whether its scores have a finite maximum: sum |d_i| < 2 T for the weighted preferences."""
    net, totals = np.abs(likelihood.net @ theta), likelihood.totals @ theta
    reach = np.add.reduceat(net, likelihood.starts[:-1]) if len(net) else np.zeros(0)
    return (totals == 0) | (reach < 2.0 * totals * (1.0 - 1e-9))


def exact_scores(net, total):
    """Scores of greatest likelihood where all experts adhere alike, in closed form but for one number.

    With the shift that makes A = B, the condition d_i / T = 2 A sinh(s_i) / Z gives s_i = asinh(k d_i); what is left is
    one equation in k, from A = sum cosh(s_i) and Z = A^2 - M.
    """
    n_items, scale = len(net), np.max(np.abs(net), initial=0.0)
    if total == 0 or scale == 0:
        return np.zeros(n_items)
    d, t = net / scale, total / scale

    def excess(k):
        a = np.sum(np.hypot(1.0, k * d))
        return (a - n_items / a) - 2.0 * t * k

    high = 1.0
    while excess(high) > 0:
        high *= 2.0
    scores = np.arcsinh(brentq(excess, 0.0, high, xtol=1e-300, rtol=8.9e-16) * d)
    return scores - scores.mean()


def maximize_scores(likelihood, theta, penalties, tol, max_iter):
    """Scores of all instances at fixed adherences: one convex problem for each, solved together."""
    totals = likelihood.totals @ theta
    known = totals > 0
    weights = np.where(known, 1.0 / np.where(known, totals, 1.0), 0.0)
    counts = np.diff(likelihood.starts)
    ridge = np.repeat(penalties * weights, counts)

    def objective(scores):
        value, slope, _, _ = likelihood.value_and_slopes(scores, theta, None, weights)
        return ridge @ scores**2 - value, 2.0 * ridge * scores - slope

    bend = 2.0 * weights * (likelihood.totals @ theta**2) / np.maximum(counts, 1)
    diagonal = np.repeat(np.where(known, bend, 1.0), counts) + 2.0 * ridge
    end = minimize_lbfgs(
        objective, np.zeros(likelihood.starts[-1]), diagonal=diagonal, gradient_tolerance=tol, max_iter=max_iter
    )
    slope = float(np.max(np.abs(end.gradient), initial=0.0))
    return Maximum(_centred(likelihood, end.w), None, theta, end.iteration, slope)


def maximize_jointly(likelihood, theta, penalties, tol, max_iter, *, learn, item_variance):
    """Scores together with adherences, with item variances, or with both: a local maximum, from the exact scores."""
    n_items, counts = int(likelihood.starts[-1]), np.diff(likelihood.starts)
    grand = max(float(likelihood.totals.sum()), 1e-300)
    ridge = np.repeat(penalties, counts) / grand
    # Scores of an instance with few preferences, and adherences of an expert with few, hardly bend the whole.
    own = np.maximum(likelihood.totals.sum(axis=1), 1e-12 * grand)
    of_scores = np.repeat(np.sqrt(counts * grand / (2.0 * own)), counts)
    of_theta = np.sqrt(grand / np.maximum(likelihood.totals.sum(axis=0), 1e-12 * grand))
    units = np.concatenate([of_scores, of_theta if learn else [], of_scores if item_variance else []])

    def taken_apart(point):
        point = point * units
        scores, rest = point[:n_items], point[n_items:]
        adherence = np.clip(rest[: len(theta)], 0.0, 1.0) if learn else theta
        return scores, adherence, _gammas(likelihood, rest[-n_items:]) if item_variance else None

    def objective(point):
        scores, adherence, gammas = taken_apart(point)
        value, in_scores, in_theta, in_gamma = likelihood.value_and_slopes(scores, adherence, gammas)
        cost, slopes = ridge @ scores**2 - value / grand, [2.0 * ridge * scores - in_scores / grand]
        if learn:
            slopes.append(-in_theta / grand)
        if gammas is not None:
            logs = np.log(gammas) - HALF
            cost += PRIOR / grand * (logs @ logs)
            # Gammas keep their geometric mean: only what differs from the mean slope moves them.
            slopes.append(_centred(likelihood, 2.0 * PRIOR / grand * logs - in_gamma * gammas / grand))
        return cost, np.concatenate(slopes) * units

    of_experts = np.ones(len(theta)) if learn else []
    start = np.concatenate([_first_scores(likelihood), of_experts, np.zeros(n_items * item_variance)])
    bounds = [(None, None)] * n_items + [(0.0, 1.0 / unit) for unit in of_theta] * learn
    bounds += [(None, None)] * (n_items * item_variance)
    end = minimize(
        objective, start / units, jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxcor": 20, "maxiter": max_iter, "maxfun": 4 * max_iter, "ftol": 0.0, "gtol": tol},
    )  # fmt: skip
    low, high = np.array([(-np.inf if a is None else a, np.inf if b is None else b) for a, b in bounds]).T
    slope = float(np.max(np.abs(end.x - np.clip(end.x - end.jac, low, high)), initial=0.0))
    scores, adherence, gammas = taken_apart(end.x)
    scores = _centred(likelihood, scores)
    if learn and adherence.max() > 0:
        # Only the product of adherence and scale counts; the most loyal expert has one.
        scores, adherence = scores * adherence.max(), adherence / adherence.max()
    return Maximum(scores, gammas, adherence, int(end.nit), slope)


def _first_scores(likelihood):
    """Exact scores of the model in which all adhere, held finite."""
    net, totals = likelihood.net @ np.ones(likelihood.net.shape[1]), likelihood.totals.sum(axis=1)
    sound = exists(likelihood, np.ones(likelihood.net.shape[1]))
    return np.concatenate(
        [exact_scores(d, t if fine else 1.1 * t) for d, t, fine in zip(likelihood.parts(net), totals, sound)]
    )


def _gammas(likelihood, logs):
    return np.exp(_centred(likelihood, logs) + HALF)


def _centred(likelihood, flat):
    counts = np.diff(likelihood.starts)
    means = np.add.reduceat(flat, likelihood.starts[:-1]) / counts
    return flat - np.repeat(means, counts)
