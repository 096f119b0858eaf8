"""Sequences of features as users hold them: lists of named features, or arrays of numbers, all of one form."""

import numpy as np
from scipy import sparse


def listed_sequences(sequences):
    """The sequences as a list, those of numbers as float64 arrays; what is no sequence is refused by its number.

    Parameters
    ----------
    sequences : collection of sequences
        Each a list with a dictionary or a list of names for every position, or a table of numbers (an array, a data
        frame, a list of lists) with a row for every position.
    """
    if len(getattr(sequences, "shape", ())) == 2:
        raise ValueError("one array of two dimensions was given; give a list of them, one for each sequence")
    listed = [_listed(sequence, f"sequence {s} (counted from 0)") for s, sequence in enumerate(sequences)]
    if not listed:
        raise ValueError("no sequences were given; at least one is needed")
    return listed


def _listed(sequence, where):
    if sparse.issparse(sequence):
        raise ValueError(f"{where} is a sparse matrix; give an array, or lists of features")
    if isinstance(sequence, (str, bytes, dict)) or not hasattr(sequence, "__getitem__"):
        raise ValueError(f"{where} is a {type(sequence).__name__}; a sequence is a list, one item a position")
    if len(sequence) == 0:
        raise ValueError(f"{where} is empty; leave empty sequences out")
    if hasattr(sequence, "__array__"):
        sequence = np.asarray(sequence)
        if sequence.ndim == 1 and sequence.dtype == object:
            return list(sequence)
    elif not _holds_numbers(sequence[0]):
        return sequence
    try:
        rows = np.asarray(sequence, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{where} is no array of numbers") from None
    if rows.ndim != 2:
        raise ValueError(f"{where} has the shape {rows.shape}; it must be (positions, columns)")
    if not np.isfinite(rows).all():
        raise ValueError(f"{where} holds NaN or infinity")
    return rows


def _holds_numbers(position):
    return isinstance(position, (list, tuple, np.ndarray)) and len(position) > 0 and not isinstance(position[0], str)


def n_columns(sequences):
    """Number of columns of listed sequences, taken from the first; None where it is a list of features."""
    return sequences[0].shape[1] if isinstance(sequences[0], np.ndarray) else None


def check_form(sequences, expected):
    """Refuse listed sequences that are not all arrays of so many columns, or all lists of features (None)."""
    for s, sequence in enumerate(sequences):
        found = n_columns([sequence])
        if found == expected:
            continue
        where = f"sequence {s} (counted from 0)"
        if found is None or expected is None:
            kinds = ("an array", "a list of features") if expected is None else ("a list of features", "an array")
            raise ValueError(f"{where} is {kinds[0]}; expected {kinds[1]}")
        raise ValueError(f"{where} has {found} columns; expected {expected}")
