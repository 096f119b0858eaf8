"""Sequences as users hold them, laid one after another."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Observed:
    """Several sequences one after another, and the form in which they came.

    Parameters
    ----------
    values : ndarray of shape (T, ...)
        The observations of all positions.
    lengths : ndarray of shape (n,)
        Lengths of the sequences.
    form : {"list", "joined", "single"}
        Whether they came as a list, joined with their lengths, or as one.
    """

    values: np.ndarray
    lengths: np.ndarray
    form: str

    def returned(self, flat):
        """Results of all positions in the form in which the sequences came."""
        if self.form == "list":
            return np.split(flat, np.cumsum(self.lengths)[:-1])
        return flat

    def codes(self, symbols, *, name="sequences", kind="symbols of the alphabet"):
        """Numbers of the symbols at all positions; an unknown one is refused in words that name it."""
        order = np.argsort(symbols)
        ordered = symbols[order]
        if (self.values.dtype.kind in "US") == (ordered.dtype.kind in "US"):
            found = np.minimum(np.searchsorted(ordered, self.values), len(ordered) - 1)
            unknown = ordered[found] != self.values
        else:
            unknown = np.ones(len(self.values), bool)
        if unknown.any():
            at = int(np.argmax(unknown))
            which = int(np.searchsorted(np.cumsum(self.lengths), at, side="right"))
            raise ValueError(
                f"{name}[{which}] holds {self.values[at].item()!r}, which is not among the {len(symbols)} {kind}"
            )
        return order[found]


def observe(sequences, lengths, *, item_ndim, name="sequences"):
    """Lay sequences one after another.

    ``item_ndim`` is 0 where a position holds one symbol and 1 where it holds a vector. A text is a sequence of letters,
    an array of one dimension more than a position, or of numbers alone, is one sequence, and with ``lengths`` it is
    several joined ones; everything else is a list of sequences.
    """
    if hasattr(sequences, "columns"):
        sequences = np.asarray(sequences)
    if isinstance(sequences, str) or _is_one(sequences, item_ndim):
        single = _one(sequences, item_ndim, name)
        if lengths is None and len(single) == 0:
            raise ValueError(f"{name} is an empty sequence; a sequence needs at least one position")
        joined = np.array([len(single)]) if lengths is None else _checked_lengths(lengths, len(single))
        return Observed(single, joined, "single" if lengths is None else "joined")
    if lengths is not None:
        raise ValueError(f"lengths belong to {name} joined into one array; a list of sequences has its own")
    parts = [_one(sequence, item_ndim, f"{name}[{i}]") for i, sequence in enumerate(sequences)]
    if not parts:
        raise ValueError(f"{name} is empty; give at least one sequence")
    for i, part in enumerate(parts):
        if len(part) == 0:
            raise ValueError(f"{name}[{i}] is empty; a sequence needs at least one position")
        if part.shape[1:] != parts[0].shape[1:]:
            raise ValueError(
                f"{name}[{i}] holds vectors of {part.shape[1]} numbers and {name}[0] of {parts[0].shape[1]}; "
                "all must have the same number"
            )
    return Observed(np.concatenate(parts), np.array([len(part) for part in parts]), "list")


def _is_one(sequences, item_ndim):
    if not isinstance(sequences, np.ndarray):
        return False
    return sequences.ndim == item_ndim + 1 or (sequences.ndim == 1 and sequences.dtype.kind in "fiu")


def _one(sequence, item_ndim, name):
    if isinstance(sequence, str):
        values = np.array(list(sequence)) if sequence else np.empty(0, "<U1")
    else:
        values = np.asarray(sequence)
    if item_ndim == 1:
        try:
            values = np.asarray(values, np.float64, order="C")
        except (TypeError, ValueError):
            raise ValueError(f"{name} must hold numbers; it holds {values.dtype}") from None
        # A plain list of numbers is a sequence of vectors of one number.
        values = values[:, np.newaxis] if values.ndim == 1 else values
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds NaN or infinite numbers; leave such positions out, or fill them first")
    elif values.ndim == 1 and values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{name} holds NaN; a symbol is needed at every position")
    elif values.ndim == 1 and values.dtype.kind == "O":
        odd = [value for value in values if not isinstance(value, str)]
        if odd:
            raise ValueError(f"{name} holds {odd[0]!r}; symbols must all be texts, or all numbers")
        values = values.astype(str)
    if values.ndim != item_ndim + 1:
        expected = "a symbol" if item_ndim == 0 else "a vector of numbers"
        raise ValueError(f"{name} must hold {expected} for each position; its shape is {values.shape}")
    return values


def _checked_lengths(lengths, positions):
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or len(lengths) == 0 or lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be whole numbers in a list, one for each sequence; they are {lengths!r}")
    if (lengths < 1).any() or lengths.sum() != positions:
        raise ValueError(
            f"lengths must be at least 1 and sum to the {positions} positions; the least is {lengths.min()} "
            f"and they sum to {lengths.sum()}"
        )
    return lengths.astype(np.int64)


def alphabet_of(given, observed):
    """The symbols: those given, or those seen."""
    if given is None:
        return np.unique(observed.values)
    symbols = np.array(list(given))
    if symbols.ndim != 1 or len(symbols) == 0 or len(np.unique(symbols)) != len(symbols):
        raise ValueError(f"alphabet={given!r} must name at least one symbol, and each once")
    return symbols
