"""A grid that holds a marginal: as wide as the approximation says, and wider where the corrected mass runs on."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.bayes.latent_gaussian import _corrections as corrections
from treatise.bayes.latent_gaussian.marginal import Marginal

_WIDTH = 7.0
"""Deviations on each side: what lies beyond under a normal law shows in no digit."""
_TAIL = 14.0
"""A density so far below its maximum, in logs, may end."""
_MOST_ROUNDS = 12
_INSIDE = 1e-11


def corrected_marginal(update, terms, i, method, n_grid, power=1.0):
    """The marginal of one entry by one of the methods."""
    here = corrections.Slice(update, terms, i)
    deviation = np.sqrt(here.variance)
    low, high = here.support()
    # A rounding error inside, so that no term is zero at its own end.
    low, high = low + _INSIDE * deviation, high - _INSIDE * deviation
    start, end = max(here.mean - _WIDTH * deviation, low), min(here.mean + _WIDTH * deviation, high)
    if start >= end:  # the approximation lies outside of the support
        start, end = (low, low + 2 * _WIDTH * deviation) if np.isfinite(low) else (high - 2 * _WIDTH * deviation, high)
    x = np.linspace(start, end, n_grid)
    if method in corrections.DENSITY_METHODS:
        return Marginal.of_values(x, corrections.DENSITY_METHODS[method](here, x))
    if method == "ep-fact":
        log_values = _extended(lambda at: corrections.factorised(here, at, power), x, low, high)
    else:
        log_values = _extended(lambda at: corrections.LOG_METHODS[method](here, at), x, low, high)
    return _of_logs(*log_values, here, method)


def _extended(log_density, x, low, high):
    """The log density on the grid, and on more points of the same spacing at ends where there is mass left."""
    values, step = log_density(x), x[1] - x[0]
    more = max(4, len(x) // 6)
    for _ in range(_MOST_ROUNDS):
        top = np.nanmax(values)
        left = values[0] > top - _TAIL and x[0] - step >= low
        right = values[-1] > top - _TAIL and x[-1] + step <= high
        if not (left or right):
            break
        if left:
            points = x[0] - step * np.arange(more, 0, -1)
            points = points[points >= low]
            x, values = np.append(points, x), np.append(log_density(points), values)
        if right:
            points = x[-1] + step * np.arange(1, more + 1)
            points = points[points <= high]
            x, values = np.append(x, points), np.append(values, log_density(points))
    return x, values


def _of_logs(x, values, here, method):
    failed = ~np.isfinite(values)
    if failed.any():
        inside = failed & (here.log_normal(x) > here.log_normal(np.array([here.mean])) - _TAIL / 2)
        if inside.any():
            warnings.warn(
                f"{method} has no value at {inside.sum()} of {len(x)} points of entry {here.i}, near its mean; its "
                "density is taken as zero there. A simpler method, such as 'ep-l', has one everywhere",
                ConvergenceWarning,
                stacklevel=4,
            )
        values = np.where(failed, -np.inf, values)
        if failed.all():
            raise np.linalg.LinAlgError(f"{method} has no value at any point of entry {here.i}")
    return Marginal.of_values(x, np.exp(values - values.max()))
