"""Glicko with a rating period of one game (Weng & Lin, Algorithm 5)."""

import math

from treatise._core.jit import kernel

_Q = math.log(10.0) / 400.0


@kernel
def attenuation(variance):
    """The factor g by which an opponent's uncertainty flattens the odds (Equation 74)."""
    return 1.0 / math.sqrt(1.0 + 3.0 * _Q * _Q * variance / math.pi**2)


@kernel
def win_chance(lead, flatness):
    """Chance of a win with this lead in rating, flattened by g."""
    odds = math.exp(-_Q * flatness * abs(lead))
    return 1.0 / (1.0 + odds) if lead >= 0.0 else odds / (1.0 + odds)


@kernel
def glicko_games(players, ranks, mean, variance, played, wrong, pairs):
    """Update both players of every duel, each from the other's rating before the game."""
    for g in range(len(wrong)):
        one, two = players[2 * g], players[2 * g + 1]
        lead = mean[one] - mean[two]
        edge = ranks[2 * g + 1] - ranks[2 * g]
        pairs[g] = edge != 0
        wrong[g] = edge != 0 and not lead * edge > 0
        score = 0.5 if edge == 0 else (1.0 if edge > 0 else 0.0)
        g_one, g_two = attenuation(variance[one]), attenuation(variance[two])
        for player, g_other, ahead, won in ((one, g_two, lead, score), (two, g_one, -lead, 1.0 - score)):
            p = win_chance(ahead, g_other)
            variance[player] = 1.0 / (1.0 / variance[player] + (_Q * g_other) ** 2 * p * (1.0 - p))
            mean[player] += _Q * variance[player] * g_other * (won - p)
            played[player] += 1
