"""Elo's rule (Weng & Lin, Equation 6, with the logistic curve)."""

from treatise._core.jit import kernel
from treatise.ranking._glicko_kernels import win_chance


@kernel
def elo_games(players, ranks, mean, played, wrong, pairs, k_factor):
    """Move both players of every duel by the same step, up and down."""
    for g in range(len(wrong)):
        one, two = players[2 * g], players[2 * g + 1]
        lead = mean[one] - mean[two]
        edge = ranks[2 * g + 1] - ranks[2 * g]
        pairs[g] = edge != 0
        wrong[g] = edge != 0 and not lead * edge > 0
        score = 0.5 if edge == 0 else (1.0 if edge > 0 else 0.0)
        step = k_factor * (score - win_chance(lead, 1.0))
        mean[one] += step
        mean[two] -= step
        played[one] += 1
        played[two] += 1
