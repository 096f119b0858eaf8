"""Final boards of tic-tac-toe, by playing all games."""

import numpy as np

WINNING_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""Fields of three in a row; the board is numbered from 0, row by row."""


def make_tic_tac_toe() -> tuple[np.ndarray, np.ndarray]:
    """Every board with which a game of tic-tac-toe can end, and who has won.

    Returns
    -------
    X : ndarray of uint8, of shape (958, 18)
        Where the first player has a stone (9 fields, row by row), then where the second has.
    y : ndarray of int, of shape (958,)
        1 where the first player has won (626 boards), 2 the second (316), 0 nobody (16).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.datasets import make_tic_tac_toe
    >>> X, y = make_tic_tac_toe()
    >>> X.shape, np.bincount(y).tolist()
    ((958, 18), [16, 626, 316])
    """
    ends: dict[tuple[int, ...], int] = {}

    def play(board: tuple[int, ...], player: int) -> None:
        for field in range(9):
            if board[field]:
                continue
            after = (*board[:field], player, *board[field + 1 :])
            if after in ends:
                continue
            if any(all(after[i] == player for i in line) for line in WINNING_LINES):
                ends[after] = player
            elif 0 not in after:
                ends[after] = 0
            elif after not in seen:
                seen.add(after)
                play(after, 3 - player)

    seen: set[tuple[int, ...]] = set()
    play((0,) * 9, 1)
    boards = np.array(sorted(ends))
    y = np.array([ends[tuple(board)] for board in boards.tolist()])
    return np.hstack([boards == 1, boards == 2]).astype(np.uint8), y
