"""The search for local maxima of diverse density from every positive instance (Algorithm 3.1, lines 1 to 7)."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from treatise._core.progress import progress
from treatise.applications.multiple_instance._density_loops import chosen_terms
from treatise.applications.multiple_instance.bags import Bags
from treatise.applications.multiple_instance.density import LogDensity
from treatise.optimize import minimize_many_lbfgs

_BLOCK = 1 << 21  # distances that are held at once
_ROUNDS = 20  # of EM-DD; a handful suffice as a rule


@dataclass(frozen=True)
class Maxima:
    """Local maxima: points, weights of the features around each, log diverse density, and whether each search ended."""

    points: np.ndarray
    weights: np.ndarray
    log_density: np.ndarray
    converged: np.ndarray

    def take(self, numbers: np.ndarray) -> "Maxima":
        """Some of them."""
        return Maxima(*(part[numbers] for part in vars(self).values()))


def search_maxima(
    bags: Bags,
    positive: np.ndarray,
    *,
    method: str,
    max_iter: int,
    tol: float,
    max_starts: int | None = None,
    rng: np.random.RandomState | None = None,
) -> Maxima:
    """Climb from every distinct instance of the positive bags, or from so many drawn at random, with weights one."""
    starts = np.unique(bags.instances[positive[bags.owners]], axis=0)
    if max_starts is not None and len(starts) > max_starts and rng is not None:
        starts = starts[np.sort(rng.choice(len(starts), max_starts, replace=False))]
    # A column that never varies has no say, in training or later.
    weights = np.broadcast_to((np.ptp(bags.instances, axis=0) > 0).astype(float), starts.shape)
    density = LogDensity(bags, positive)
    climb = partial(_climb, density) if method == "noisy-or" else partial(_climb_by_em, density)
    block = max(_BLOCK // len(bags.instances), 16)
    parts = []
    with progress("climbing", len(starts)) as done:
        for first in range(0, len(starts), block):
            part = slice(first, first + block)
            parts.append(climb(np.hstack([starts[part], weights[part]]), max_iter=max_iter, tol=tol))
            done(len(starts[part]))
    points = np.vstack([ends for ends, _ in parts])
    m = bags.n_features
    x, w = points[:, :m], np.abs(points[:, m:])
    values = np.concatenate([density(x[i : i + block], w[i : i + block])[0] for i in range(0, len(x), block)])
    return Maxima(x, w, values, np.concatenate([ended for _, ended in parts]))


def _climb(density: LogDensity, starts: np.ndarray, *, max_iter: int, tol: float) -> tuple[np.ndarray, np.ndarray]:
    """Maximise log DD itself."""
    m = density.bags.n_features

    def objective(points, which):
        values, by_points, by_weights = density(points[:, :m], points[:, m:])
        return -values, np.hstack([-by_points, -by_weights])

    found = minimize_many_lbfgs(objective, starts, max_iter=max_iter, decrease_tolerance=tol)
    return found.points, found.converged


def _climb_by_em(
    density: LogDensity, starts: np.ndarray, *, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """EM-DD (Zhang & Goldman, 2002): let the nearest instance speak for each bag, maximise, and choose anew.

    Choosing anew may lower the likelihood, as a negative bag's nearest instance is its worst; the best point so far is
    kept, and a search ends where a round brings no better one. Where that round was cut short, it might have.
    """
    m = density.bags.n_features
    best, points = starts.copy(), starts.copy()
    values = np.full(len(starts), np.inf)
    ended, settled = np.zeros(len(starts), bool), np.zeros(len(starts), bool)
    active = np.arange(len(starts))
    for _ in range(_ROUNDS):
        chosen = _nearest(density, points[active, :m], points[active, m:])

        def objective(tried, which, chosen=chosen):
            found, gradients = np.empty(len(tried)), np.empty_like(tried)
            chosen_terms(density.bags.instances, chosen, density.positive, which, tried, found, gradients)
            return found, gradients

        here = objective(points[active], np.arange(len(active)))[0]
        better = here < values[active] - tol * np.maximum(np.abs(here), 1.0)
        best[active[better]], values[active[better]] = points[active[better]], here[better]
        ended[active[~better]] = settled[active[~better]]
        active, chosen = active[better], np.ascontiguousarray(chosen[better])
        if len(active) == 0:
            break
        climbed = minimize_many_lbfgs(
            partial(objective, chosen=chosen), points[active], max_iter=max_iter, decrease_tolerance=tol
        )
        points[active], settled[active] = climbed.points, climbed.converged
    return best, ended


def _nearest(density: LogDensity, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The instance of each bag that is nearest to each point."""
    squared = density.squared_distances(points, weights)
    starts = density.bags.starts
    return np.stack([first + squared[:, first:last].argmin(axis=1) for first, last in pairwise(starts)], axis=1)
