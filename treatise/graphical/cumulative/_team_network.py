"""The network of one game: what a team's place and the scores of its other players say of a player's score.

A player whose score was seen is a measure over his latent score: either the latent score is the one seen and his skill
lies below, or his skill is the one seen and the latent score lies below. These are the two terms of the derivative of
a product, so that the sum of Appendix A.3 over all subsets of a team is a convolution of such measures.
"""

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtr

from treatise.statistics import bivariate_normal_cdf

_POINTS_A_SPREAD = 40
_SPREADS = 6
_SIGNS = np.array([1.0, -1.0])


class TeamNetwork:
    """Functions g of teams and h of neighbouring places, for latent scores N(mean, spread²)."""

    def __init__(self, mean, spread, noise, correlation):
        self.mean, self.spread, self.noise = mean, spread, noise * spread
        self.step = spread / _POINTS_A_SPREAD
        half = _SPREADS * _POINTS_A_SPREAD
        self.latent = mean + self.step * np.arange(-half, half + 1)
        self.edges = np.append(self.latent - self.step / 2, self.latent[-1] + self.step / 2)
        self.open = np.diff(ndtr((self.edges - mean) / spread))
        # h_{n,n+1} at a team's own place, which is its mean, and at the place before.
        own_or_before = np.array([0.0, -1.0 / noise])
        self.pair = bivariate_normal_cdf(own_or_before[:, None], own_or_before[None, :], correlation)

    def seen(self, score, skill_cdf, skill_density):
        """Measure over the latent score of a player whose score and whose skill at that score are known."""
        measure = skill_density * np.diff(ndtr((np.minimum(self.edges, score) - self.mean) / self.spread))
        z = (score - self.mean) / self.spread
        peak = skill_cdf * np.exp(-0.5 * z * z) / (self.spread * np.sqrt(2 * np.pi))
        at = np.clip((score - self.latent[0]) / self.step, 0, len(self.latent) - 1.001)
        below, share = int(at), at - int(at)
        measure[below] += peak * (1 - share)
        measure[below + 1] += peak * share
        total = measure.sum()
        return measure / total if total > 1e-300 else self.open

    def messages(self, teams, cuts):
        """Conditional distribution of every player's score, at the edges: teams of measures, from last to first."""
        ends = np.concatenate([[-np.inf], cuts, [np.inf]])
        # Two values count for every team: the end of its place, and the one before with a minus sign (a difference).
        reached = [
            [self._performance_below(team, ends[place + 1]), self._performance_below(team, ends[place])]
            for place, team in enumerate(teams)
        ]
        alone = [np.array([team[0] @ below[0] for below in ways]) for team, ways in zip(teams, reached)]
        return [
            [self._message(around, upper, lower) for upper, lower in zip(*ways)]
            for ways, around in zip(reached, (_neighbours(alone, place, self.pair) for place in range(len(teams))))
        ]

    def _message(self, around, upper, lower):
        mass = self.open * (around[0] * upper - around[1] * lower)
        total = mass.sum()
        if not total > 1e-300:  # a result that the model holds for impossible teaches it nothing
            return np.ones(len(self.edges))
        return np.append(0.0, np.cumsum(np.maximum(mass, 0.0) / total))

    def _performance_below(self, team, end):
        """For every player and latent score of his: chance that his team's performance ends below ``end``."""
        n, size = len(self.latent), len(team)
        if np.isinf(end):
            return np.full((size, n), float(end > 0))
        length = next_fast_len(size * (n - 1) + 1, real=True)
        spectra = rfft(np.asarray(team), length, axis=1)
        totals = size * self.latent[0] + self.step * np.arange(length)
        wanted = rfft(ndtr((end - totals) / self.noise))
        return np.array([irfft(wanted * others.conj(), length)[:n] for others in _products_without_each(spectra)])


def _products_without_each(factors):
    """Product of all rows but one, for each row, without a division."""
    ahead, behind = np.ones_like(factors), np.ones_like(factors)
    ahead[1:] = np.cumprod(factors[:-1], axis=0)
    behind[:-1] = np.cumprod(factors[:0:-1], axis=0)[::-1]
    return ahead * behind


def _neighbours(alone, place, pair):
    """What the other teams say of a team's place: sums over their two values along the chain, from both ends."""
    below, above = np.ones(2), np.ones(2)
    for other in range(place):
        below = (below * alone[other] * _SIGNS) @ pair
    for other in range(len(alone) - 1, place, -1):
        above = pair @ (above * alone[other] * _SIGNS)
    return below * above
