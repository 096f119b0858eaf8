"""What a log of games says about skills, all games at once: a normal approximation around the most probable skills."""

from dataclasses import dataclass

import numpy as np

from treatise.ranking.bradley_terry._choices import DENSE, Bend, Duels, Orders, fit_scores

MANY = 200
"""Draws that estimate deviations where there is no matrix."""
GRID = np.exp(np.linspace(np.log(0.05), np.log(8.0), 9))
"""Spreads of the skills, in logits, among which the most probable is looked for."""
AROUND = np.linspace(-2.4, 2.4, 7)
"""Where the posterior is averaged over spreads, in deviations from the most probable."""
NEGLIGIBLE = 1e-3
"""Share of the probability below which a spread is left out."""
LEAST_DISPERSION = 0.05


@dataclass(frozen=True)
class SkillPosterior:
    """Skills in logits, less their mean, with the spread and the dispersion that were found."""

    mean: np.ndarray
    deviation: np.ndarray
    spread: float
    dispersion: float
    converged: bool
    n_iter: int
    spreads: np.ndarray
    weights: np.ndarray
    bends: list[Bend]

    def draws(self, n_draws, rng):
        """Skills drawn from the mixture, of shape (n_draws, n_players)."""
        counts = rng.multinomial(n_draws, self.weights)
        return np.concatenate(
            [bend.scores + bend.draws(count, rng) for bend, count in zip(self.bends, counts) if count]
        )


def choices_of_games(games):
    """The likelihood of a log: duels gathered by pairs where all games are such, orders of teams otherwise."""
    n_teams = np.diff(games.game_ptr)
    if len(games.players) != 2 * len(games) or np.any(n_teams != 2):
        return Orders.of_games(games.n_players, games.players, games.team_ptr, games.game_ptr, games.ranks)
    first, second = games.players[::2], games.players[1::2]
    lead = np.sign(games.ranks[1::2].astype(np.int64) - games.ranks[::2])
    weights = np.concatenate([np.where(lead > 0, 1.0, 0.5 * (lead == 0)), np.where(lead < 0, 1.0, 0.5 * (lead == 0))])
    winners, losers = np.concatenate([first, second]), np.concatenate([second, first])
    kept = weights > 0
    return Duels.of_contests(games.n_players, winners[kept], losers[kept], weights[kept])


def skill_posterior(games, spread, random_state, max_iter):
    """Skills under a normal prior; a spread of None is averaged over, each weighed by its probability given the games.

    At each spread the posterior is a normal distribution around the most probable skills, and the probability of the
    games follows from the volume beneath it (Laplace).
    """
    choices, draws = choices_of_games(games), _draws(games)
    found, dispersion = fit_scores(choices, 1.0, max_iter=max_iter), 1.0
    for _ in range(20 if draws else 0):
        before, dispersion = dispersion, _dispersion(choices, found.scores, draws)
        found = fit_scores(choices, 1.0, dispersion=dispersion, start=found.scores, max_iter=max_iter)
        if abs(np.log(dispersion / before)) < 1e-3:
            break
    fits = _Fits(choices, dispersion, found.scores, random_state, max_iter)
    if spread is not None:
        return _mixture(fits, np.array([float(spread)]), np.ones(1), random_state)
    spreads = _probable(fits)
    evidence = np.array([fits.at(width)[1] for width in spreads])
    weights = np.exp(evidence - evidence.max())
    weights = np.where(weights < NEGLIGIBLE * weights.sum(), 0.0, weights)
    return _mixture(fits, spreads, weights / weights.sum(), random_state)


class _Fits:
    """The most probable skills at each spread that is asked for, and how probable it makes the games."""

    def __init__(self, choices, dispersion, start, random_state, max_iter):
        self.choices, self.dispersion = choices, dispersion
        self._last, self._random_state, self._max_iter, self._known = start, random_state, max_iter, {}

    def at(self, width):
        if width not in self._known:
            found = fit_scores(
                self.choices, width**-2.0, dispersion=self.dispersion, start=self._last, max_iter=self._max_iter
            )
            self._last = found.scores
            evidence = _log_evidence(self.choices, found.scores, width, self.dispersion, self._random_state)
            self._known[width] = found, evidence
        return self._known[width]


def _probable(fits):
    """Spreads around the most probable one, where their probability falls off as a normal one's logarithm does."""
    evidence = np.array([fits.at(width)[1] for width in GRID])
    best = int(np.clip(np.argmax(evidence), 1, len(GRID) - 2))
    step = np.log(GRID[1] / GRID[0])
    left, middle, right = evidence[best - 1 : best + 2]
    bend = (2.0 * middle - left - right) / step**2
    deviation = bend**-0.5 if bend > 0 else np.inf
    if deviation > step:
        return GRID  # they differ so little that these will do
    mode = np.log(GRID[best]) + (right - left) / (2.0 * step * bend)
    return np.exp(mode + deviation * AROUND)


def _log_evidence(choices, scores, width, dispersion, random_state):
    value, _ = choices.value_and_slopes(scores)
    # The spread's density rises from zero and falls off as a Cauchy distribution's does; here that of its logarithm.
    # One that is largest at zero would have players alike, with narrow intervals, where few games come out even.
    prior = 2.0 * np.log(width) - 1.5 * np.log1p(width**2)
    fit = value / dispersion - 0.5 * np.sum(scores**2) / width**2 - (len(scores) - 1) * np.log(width)
    return fit + prior - 0.5 * Bend(choices, scores, width**-2.0, dispersion).log_volume(random_state)


def _mixture(fits, spreads, weights, random_state):
    choices, rng = fits.choices, np.random.default_rng(random_state)
    kept = np.flatnonzero(weights)
    parts = [fits.at(spreads[at])[0] for at in kept]
    bends = [Bend(choices, part.scores, spreads[at] ** -2.0, fits.dispersion) for part, at in zip(parts, kept)]
    mean = sum(weight * part.scores for weight, part in zip(weights[kept], parts))
    variance = np.zeros(choices.n_items)
    for weight, part, bend in zip(weights[kept], parts, bends):
        dense = choices.n_items <= DENSE
        own = np.diag(bend.covariance()) if dense else np.mean(bend.draws(MANY, rng) ** 2, axis=0)
        variance += weight * (own + (part.scores - mean) ** 2)
    return SkillPosterior(
        mean, np.sqrt(np.maximum(variance, 0.0)), float(np.exp(weights @ np.log(spreads))), fits.dispersion,
        all(part.converged for part in parts), max(part.n_iter for part in parts), spreads[kept], weights[kept],
        bends,
    )  # fmt: skip


def _draws(games):
    """How many duels were drawn; of larger games ties are not counted."""
    if np.any(np.diff(games.game_ptr) != 2):
        return 0
    return int(np.sum(games.ranks[::2] == games.ranks[1::2]))


def _dispersion(choices, scores, draws):
    """Variance of a result (one, a half, nothing) as a share of a coin's: draws tell more than tosses.

    With mean p and a share of draws, a result varies by p (1 - p) less a quarter of that share.
    """
    if isinstance(choices, Duels):
        chance = choices.chances(scores)
        coin = np.sum((choices.won + choices.lost) * chance * (1.0 - chance))
    else:
        strength = np.add.reduceat(scores[choices.players], choices.team_ptr[:-1])
        lead = strength[choices.order_ptr[:-1]] - strength[choices.order_ptr[:-1] + 1]
        coin = np.sum(choices.weights / (2.0 + 2.0 * np.cosh(lead)))
    return float(np.clip(1.0 - 0.25 * draws / max(coin, 1e-300), LEAST_DISPERSION, 1.0))
