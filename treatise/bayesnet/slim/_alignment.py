"""Factor models are the same under exchange and change of sign of factors: bring draws to one of them."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def match_columns(W, reference, exchange=True):
    """The exchange and the signs that bring the columns of ``W`` nearest to those of ``reference``.

    Without ``exchange`` columns keep their places, and only signs are matched.

    Returns
    -------
    columns, signs : ndarray
        ``W[:, columns] * signs`` is the matched matrix.
    """
    lengths = np.outer(np.linalg.norm(reference, axis=0), np.linalg.norm(W, axis=0))
    cosine = reference.T @ W / np.where(lengths > 0, lengths, 1.0)
    columns = linear_sum_assignment(-np.abs(cosine))[1] if exchange else np.arange(W.shape[1])
    signs = np.where(cosine[np.arange(len(columns)), columns] < 0, -1.0, 1.0)
    return columns, signs


def align_draws(draws, best, *, exchange=True):
    """Draws (C, S, d, K) matched to draw ``best`` of all, then to their median; and how each was moved.

    Returns
    -------
    aligned : ndarray of shape (C, S, d, K)
    moves : list of (columns, signs), one for each draw of all chains
    """
    flat = draws.reshape(-1, *draws.shape[2:])
    reference = flat[best]
    for _ in range(2):
        moves = [match_columns(W, reference, exchange) for W in flat]
        aligned = np.stack([W[:, columns] * signs for W, (columns, signs) in zip(flat, moves)])
        reference = np.median(aligned, axis=0)
    # Largest factors first, each with a positive sum, so that equal posteriors look alike.
    power = np.arange(reference.shape[1])
    if exchange:
        power = np.argsort(-np.linalg.norm(reference, axis=0), kind="stable")
    sign = np.where(reference[:, power].sum(axis=0) < 0, -1.0, 1.0)
    moves = [(columns[power], signs[power] * sign) for columns, signs in moves]
    return (aligned[:, :, power] * sign).reshape(draws.shape), moves
