"""Predictions for new rows, averaged over drawn partitions: a ratio of averages (section 4 of v15-1041).

Given a partition, the paper's parameters are integrated out rather than drawn: the columns have Student's laws at
every table and the target one in every restaurant. The same averages then need far fewer draws, since densities of
many columns at drawn parameters vary by orders of magnitude.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, stdtr, stdtrit

from treatise.bayes.enriched_dp._predictive_loops import (
    add_student_densities,
    drawn_targets,
    row_targets,
    row_weights,
)

MOST_NUMBERS = 4_000_000
"""Numbers of the laws of new rows that are held at once."""


class Laws(NamedTuple):
    """Of new rows under one draw: shares of the restaurants and the target's law in each; a new one last."""

    log_total: np.ndarray  # (m,)
    shares: np.ndarray  # (m, k + 1)
    location: np.ndarray  # (m, k + 1)
    scale: np.ndarray  # (m, k + 1)
    df: np.ndarray  # (k + 1,)


class DrawnPartitions(NamedTuple):
    """What a chain kept: nested partitions with their masses, and latent targets of a probit model."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,), or (n_draws, n) latent ones
    restaurants: np.ndarray  # (n_draws, n) int64
    tables: np.ndarray  # (n_draws, n) int64
    mass: np.ndarray  # (n_draws,)
    table_masses: np.ndarray  # (n_draws, most restaurants)
    columns: tuple
    linear: tuple

    def __len__(self):
        return len(self.mass)

    def targets(self, s):
        """Targets of draw s."""
        return self.y if self.y.ndim == 1 else self.y[s]

    def laws(self, s, new):
        """Laws of new rows under draw s."""
        restaurants, k, log_total, shares = self._weights(s, new)
        location, scale, df = np.empty_like(shares), np.empty_like(shares), np.empty(k + 1)
        row_targets(self.X, self.targets(s), restaurants, k, self.linear, new, location, scale, df)
        return Laws(log_total, shares, location, scale, df)

    def drawn_values(self, s, new, rng):
        """Log weight of draw s for new rows, shares of its restaurants, and values (1, x) beta with beta drawn."""
        restaurants, k, log_total, shares = self._weights(s, new)
        location = np.empty_like(shares)
        drawn_targets(rng, self.X, self.targets(s), restaurants, k, self.linear, new, location)
        return log_total, shares, location

    def _weights(self, s, new):
        restaurants = self.restaurants[s].astype(np.int64)
        k = int(restaurants.max()) + 1
        log_total, shares = np.empty(len(new)), np.empty((len(new), k + 1))
        row_weights(
            self.X, restaurants, self.tables[s].astype(np.int64), float(self.mass[s]),
            np.ascontiguousarray(self.table_masses[s, :k]), self.columns, new, log_total, shares,
        )  # fmt: skip
        return restaurants, k, log_total, shares

    def average(self, new, of):
        """Mean of ``of(laws)``, (m, ...), over draws, each in proportion to its density of the row's columns."""
        top, total, mean = np.full(len(new), -np.inf), np.zeros(len(new)), 0.0
        for s in range(len(self)):
            laws = self.laws(s, new)
            value = of(laws)
            higher = np.maximum(top, laws.log_total)
            old, weight = np.exp(top - higher), np.exp(laws.log_total - higher)
            top, total = higher, total * old + weight
            each = (slice(None),) + (np.newaxis,) * (value.ndim - 1)
            mean = mean * old[each] + value * weight[each]
        return mean / total[each]

    def values_of_draws(self, new, seed, link=None):
        """The conditional mean of every draw, parameters drawn, (n_draws, m), and the draws' weights for each row."""
        rng = np.random.default_rng(seed)
        logs, values = np.empty((len(self), len(new))), np.empty((len(self), len(new)))
        for s in range(len(self)):
            logs[s], shares, location = self.drawn_values(s, new, rng)
            values[s] = (shares * (location if link is None else link(location))).sum(axis=1)
        weights = np.exp(logs - logs.max(axis=0))
        return values, weights / weights.sum(axis=0)

    def quantiles(self, new, levels):
        """Quantiles of the target's predictive law, (m, n_levels)."""
        found = np.empty((len(new), len(levels)))
        step = max(1, MOST_NUMBERS // (4 * self.table_masses.shape[1] * len(self) + 1))
        for first in range(0, len(new), step):
            part = slice(first, first + step)
            laws = [self.laws(s, new[part]) for s in range(len(self))]
            logs = np.array([law.log_total for law in laws])
            weights = np.exp(logs - logs.max(axis=0))
            weights /= weights.sum(axis=0)
            df = np.concatenate([law.df for law in laws])
            for i in range(logs.shape[1]):
                share = np.concatenate([w * law.shares[i] for w, law in zip(weights[:, i], laws)])
                told = share > 1e-9 * share.max()
                location, scale = (
                    np.concatenate([getattr(law, name)[i] for law in laws])[told] for name in ("location", "scale")
                )
                found[first + i] = _mixture_quantiles(share[told], location, scale, df[told], levels)
        return found


def _mixture_quantiles(shares, location, scale, df, levels):
    """Quantiles of a mixture of Student's laws; each lies between those of its parts."""
    shares = shares / shares.sum()
    found = []
    for level in levels:
        ends = location + scale * stdtrit(df, level)
        low, high = float(ends.min()), float(ends.max())

        def excess(y, level=level):
            return float(shares @ stdtr(df, (y - location) / scale)) - level

        # At the ends the rounding of the quantiles may have the wrong sign.
        if high - low <= 1e-12 * max(1.0, abs(low)) or excess(low) >= 0 or excess(high) <= 0:
            found.append(low if excess(low) >= 0 else high)
        else:
            found.append(brentq(excess, low, high, xtol=1e-9 * (high - low), rtol=1e-12))
    return found


def mean_of(laws):
    """Conditional mean of the target."""
    return (laws.shares * laws.location).sum(axis=1)


def moments_of(laws):
    """First and second moment of the target, (m, 2)."""
    df = np.where(laws.df > 2.0, laws.df, np.nan)
    spread = laws.scale**2 * np.where(np.isinf(df), 1.0, df / (df - 2.0))
    spread = np.where(np.isnan(spread), np.inf, spread)
    second = np.where(laws.shares > 0, laws.shares * (laws.location**2 + spread), 0.0).sum(axis=1)
    return np.column_stack([mean_of(laws), second])


def densities_at(points):
    """What gives the density of the target at points (m, g)."""

    def density(laws):
        out = np.zeros_like(points)
        add_student_densities(laws.shares, laws.location, laws.scale, laws.df, points, out)
        return out

    return density


def probability_of(laws):
    """Probability of the second class of a probit model."""
    return (laws.shares * ndtr(laws.location / laws.scale)).sum(axis=1)


def weighted_quantiles(values, weights, levels):
    """Quantiles of draws with weights, column by column: (m, n_levels)."""
    order = np.argsort(values, axis=0)
    values, weights = np.take_along_axis(values, order, 0), np.take_along_axis(weights, order, 0)
    middle = np.cumsum(weights, axis=0) - 0.5 * weights
    return np.array([np.interp(levels, middle[:, i], values[:, i]) for i in range(values.shape[1])])
