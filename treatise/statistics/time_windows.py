"""Windows of time: every frame with those before it, without a copy; and runs of frames that belong together."""

import numpy as np
from numpy.lib.stride_tricks import as_strided


def delay_windows(X, n_frames):
    """Every run of so many frames of a sequence as one row: a view, which takes no memory.

    This is the dynamic expansion, or delay embedding, of a sequence: a method that takes one frame at a time sees the
    past as well. Row i holds frames i, ..., i + n_frames - 1, the oldest first.

    Parameters
    ----------
    X : array-like of shape (n_times, n_columns)
        One sequence.
    n_frames : int
        Frames in a row.

    Returns
    -------
    ndarray of shape (n_times - n_frames + 1, n_frames * n_columns)
        Read-only.

    Examples
    --------
    >>> from treatise.statistics import delay_windows
    >>> delay_windows([[1, 2], [3, 4], [5, 6]], 2)
    array([[1, 2, 3, 4],
           [3, 4, 5, 6]])
    """
    X = np.ascontiguousarray(X)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; a sequence has two, frames and columns")
    if not 1 <= n_frames <= len(X):
        raise ValueError(f"n_frames={n_frames} must be from 1 to the {len(X)} frames of X")
    shape = (len(X) - n_frames + 1, n_frames * X.shape[1])
    return as_strided(X, shape, (X.strides[0], X.itemsize), writeable=False)


def checked_lengths(lengths, n_times):
    """Lengths of sequences that lie one below the other, as an array; None is one sequence.

    Parameters
    ----------
    lengths : array-like of int or None
        Frames of each sequence.
    n_times : int
        Frames of all.

    Returns
    -------
    ndarray of int64
    """
    if lengths is None:
        return np.array([n_times], dtype=np.int64)
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or not np.issubdtype(lengths.dtype, np.integer) or (lengths < 1).any():
        raise ValueError(f"lengths={lengths.tolist()!r} must be a list of whole numbers of at least 1")
    if lengths.sum() != n_times:
        raise ValueError(f"lengths add up to {lengths.sum()} frames; X has {n_times}")
    return lengths.astype(np.int64)


def time_blocks(lengths, size):
    """Cut sequences into blocks, and say how far differences of neighbouring frames reach.

    Parameters
    ----------
    lengths : ndarray of int
        Frames of each sequence.
    size : int
        Most frames of a block.

    Yields
    ------
    start, stop, reach : int
        The block has frames ``start`` to ``stop - 1``; ``reach`` is one more than ``stop`` where the next frame is of
        the same sequence, so that differences within ``start`` to ``reach - 1``, over all blocks, are all there are.
    """
    first = 0
    for length in lengths:
        last = first + int(length)
        for start in range(first, last, size):
            stop = min(start + size, last)
            yield start, stop, min(stop + 1, last)
        first = last
