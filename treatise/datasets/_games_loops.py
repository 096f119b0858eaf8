"""The check that flat arrays describe games."""

import numpy as np

from treatise._core.jit import compiled

SOUND, FALLING, LONELY, EMPTY, NAMELESS, REPEATED = 0, 1, 2, 3, 4, 5


@compiled
def first_fault(players: np.ndarray, team_ptr: np.ndarray, game_ptr: np.ndarray, n_names: int) -> tuple[int, int, int]:
    """What is first wrong with the games, in which game, and with which player: three integers.

    The pointers' first and last values must have been checked.
    """
    for t in range(len(team_ptr) - 1):
        if team_ptr[t + 1] < team_ptr[t]:
            return FALLING, t, -1
    for g in range(len(game_ptr) - 1):
        if game_ptr[g + 1] < game_ptr[g] + 2:
            return LONELY, g, -1
    latest = np.full(n_names, -1, np.int64)
    for g in range(len(game_ptr) - 1):
        for t in range(game_ptr[g], game_ptr[g + 1]):
            if team_ptr[t + 1] == team_ptr[t]:
                return EMPTY, g, -1
            for at in range(team_ptr[t], team_ptr[t + 1]):
                player = players[at]
                if player < 0 or player >= n_names:
                    return NAMELESS, g, player
                if latest[player] == g:
                    return REPEATED, g, player
                latest[player] = g
    return SOUND, -1, -1
