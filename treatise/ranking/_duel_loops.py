"""The classical rules for duels: Elo (Weng & Lin, Equation 6) and Glicko after each game (Algorithm 5)."""

import math

from treatise._core.jit import compiled, compiled_step

_Q = math.log(10.0) / 400.0  # Equation 73


@compiled
def attenuation(variance):
    """The factor g by which an opponent's uncertainty flattens the odds (Equation 74)."""
    return 1.0 / math.sqrt(1.0 + 3.0 * _Q * _Q * variance / math.pi**2)


@compiled
def win_chance(lead, flatness):
    """Chance of a win with this lead in rating, flattened by g; the logistic curve of base 10 and scale 400."""
    odds = math.exp(-_Q * flatness * abs(lead))
    return 1.0 / (1.0 + odds) if lead >= 0.0 else odds / (1.0 + odds)


@compiled_step
def judge(lead, edge):
    """Score of the first player, whether the game was decided, and whether the ratings had it wrong.

    ``edge`` is the second player's rank less the first one's; equal ratings are wrong about a decided game.
    """
    score = 0.5 if edge == 0 else (1.0 if edge > 0 else 0.0)
    return score, edge != 0, edge != 0 and not lead * edge > 0


@compiled
def elo_games(players, ranks, mean, played, wrong, pairs, k_factor):
    """Move both players of every duel by the same step, up and down."""
    for g in range(len(wrong)):
        one, two = players[2 * g], players[2 * g + 1]
        lead = mean[one] - mean[two]
        score, pairs[g], wrong[g] = judge(lead, ranks[2 * g + 1] - ranks[2 * g])
        step = k_factor * (score - win_chance(lead, 1.0))
        mean[one] += step
        mean[two] -= step
        played[one] += 1
        played[two] += 1


@compiled
def glicko_games(players, ranks, mean, variance, played, wrong, pairs):
    """Update both players of every duel, each from the other's rating before the game."""
    for g in range(len(wrong)):
        one, two = players[2 * g], players[2 * g + 1]
        lead = mean[one] - mean[two]
        score, pairs[g], wrong[g] = judge(lead, ranks[2 * g + 1] - ranks[2 * g])
        g_one, g_two = attenuation(variance[one]), attenuation(variance[two])
        for player, g_other, ahead, won in ((one, g_two, lead, score), (two, g_one, -lead, 1.0 - score)):
            p = win_chance(ahead, g_other)
            variance[player] = 1.0 / (1.0 / variance[player] + (_Q * g_other) ** 2 * p * (1.0 - p))
            mean[player] += _Q * variance[player] * g_other * (won - p)
            played[player] += 1
