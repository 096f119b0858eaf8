"""The check that nobody plays twice in one game."""

import numpy as np

from treatise._core.jit import kernel


@kernel
def repeated_player(players, team_ptr, game_ptr, n_players):
    """First game in which a player stands twice, and that player; (-1, -1) if there is none."""
    latest = np.full(n_players, -1, np.int64)
    for g in range(len(game_ptr) - 1):
        for at in range(team_ptr[game_ptr[g]], team_ptr[game_ptr[g + 1]]):
            if latest[players[at]] == g:
                return g, players[at]
            latest[players[at]] = g
    return -1, -1
