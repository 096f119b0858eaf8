"""Sequences of frames: checked, standardised, one below the other, and the windows that lie within one sequence."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array

from treatise.statistics import delay_windows


class Windows(NamedTuple):
    """Frames of all sequences, and where a frame has enough of its own past."""

    frames: np.ndarray
    """All frames, one below the other."""
    starts: np.ndarray
    """First frame of the past of each window; the frame itself comes ``order`` later."""
    sequence_of: np.ndarray
    """The sequence of each window."""
    n_sequences: int
    order: int

    def past(self, chosen=slice(None)):
        """Pasts of some windows, the oldest frame first: a copy of these alone."""
        return delay_windows(self.frames, self.order)[self.starts[chosen]]

    def present(self, chosen=slice(None)):
        """Frames that some windows end with."""
        return self.frames[self.starts[chosen] + self.order]


def checked_sequences(sequences, n_columns=None, *, allow_nan=False):
    """A list of sequences as arrays of frames; one array is one sequence."""
    if isinstance(sequences, np.ndarray) and sequences.ndim == 2:
        sequences = [sequences]
    sequences = list(sequences)
    if not sequences:
        raise ValueError("sequences is empty; give at least one array of shape (n_frames, n_columns)")
    if np.ndim(sequences[0]) != 2:
        raise ValueError(
            f"sequences[0] has {np.ndim(sequences[0])} dimensions; each sequence must be an array of frames and columns"
        )
    finite = "allow-nan" if allow_nan else True
    checked = [check_array(s, dtype=np.float64, ensure_all_finite=finite, input_name="a sequence") for s in sequences]
    n_columns = n_columns or checked[0].shape[1]
    for number, sequence in enumerate(checked):
        if sequence.shape[1] != n_columns:
            raise ValueError(f"sequence {number} has {sequence.shape[1]} columns; {n_columns} are expected")
    return checked


def windows_of(sequences, order, dtype=np.float64):
    """Windows of ``order`` frames and the one that follows; none crosses the end of a sequence.

    Parameters
    ----------
    sequences : list of ndarray of shape (n_frames, n_columns)
    order : int
        Frames of the past.
    dtype : dtype, default=float64
        Of the frames.

    Returns
    -------
    Windows
    """
    starts, owners, first, too_short = [], [], 0, 0
    for number, sequence in enumerate(sequences):
        count = max(len(sequence) - order, 0)
        too_short += count == 0
        starts.append(first + np.arange(count))
        owners.append(np.full(count, number))
        first += len(sequence)
    starts = np.concatenate(starts)
    if len(starts) == 0:
        longest = max(map(len, sequences))
        raise ValueError(f"no sequence has the {order + 1} frames that order={order} needs; the longest has {longest}")
    if too_short:
        warnings.warn(
            f"{too_short} of {len(sequences)} sequences have fewer than the {order + 1} frames that order={order} "
            "needs, and are left out",
            UserWarning,
            stacklevel=5,
        )
    frames = np.ascontiguousarray(np.concatenate(sequences), dtype=dtype)
    return Windows(frames, starts, np.concatenate(owners), len(sequences), order)


RIDGES = 10.0 ** np.arange(-6.0, 1.1, 0.5)
"""Penalties that are tried, as shares of the mean square of the past."""
N_PIECES = 5


def autoregression(windows, ridge=None):
    """Penalised least squares of a frame on its past.

    Parameters
    ----------
    windows : Windows
    ridge : float or None, default=None
        Penalty on squared weights, as a share of the mean square of the past. None takes the one that predicts best
        each fifth of the windows, in the order of time, from the others: neighbours in time are too much alike for
        single windows to be left out.

    Returns
    -------
    weights : ndarray of shape (order * n_columns, n_columns)
    constant : ndarray of shape (n_columns,)
    """
    past, present = windows.past(), windows.present()
    if ridge is None:
        pieces = np.arange(len(past)) * N_PIECES // len(past)
        losses = [_losses(past, present, pieces == piece) for piece in np.unique(pieces)]
        ridge = RIDGES[np.argmin(np.sum(losses, axis=0))] if len(losses) > 1 else RIDGES[-1]
    return next(_ridge_fits(past, present, [ridge]))


def _losses(past, present, left_out):
    """Squared errors on windows that are left out, for each penalty."""
    fits = _ridge_fits(past[~left_out], present[~left_out], RIDGES)
    return [np.square(past[left_out] @ weights + constant - present[left_out]).sum() for weights, constant in fits]


def _ridge_fits(past, present, ridges):
    past_mean, mean = past.mean(axis=0), present.mean(axis=0)
    centred = past - past_mean
    values, axes = np.linalg.eigh(centred.T @ centred)
    target = axes.T @ (centred.T @ (present - mean))
    unit = max(values.sum() / len(values), np.finfo(float).tiny)
    for ridge in ridges:
        weights = axes @ (target / (np.maximum(values, 0.0) + ridge * unit)[:, np.newaxis])
        yield weights, mean - past_mean @ weights
