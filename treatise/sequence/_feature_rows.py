"""Sequences of feature dictionaries, or of arrays, as the rows of one sparse matrix."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from treatise.sequence.features import SequenceVectorizer


class FeatureRows(BaseEstimator):
    """Turns sequences into rows, one for each position, with the columns of the positions around it.

    Arrays are given a column of ones; dictionaries carry a bias if their author wants one.

    Parameters
    ----------
    window : int, default=0
        How many positions to each side lend their columns.
    """

    def __init__(self, window=0):
        self.window = window

    def fit_transform(self, sequences):
        """Rows of shape (positions, columns) and lengths of sequences, from which the columns are taken."""
        sequences = listed_sequences(sequences)
        self.n_columns_ = sequences[0].shape[1] if _is_array(sequences[0]) else None
        self.vectorizer_ = SequenceVectorizer() if self.n_columns_ is None else None
        return self._rows(sequences, fitting=True)

    def transform(self, sequences):
        """Rows and lengths, in the columns of the fit."""
        return self._rows(listed_sequences(sequences), fitting=False)

    def _rows(self, sequences, fitting):
        arrays = self.n_columns_ is not None
        for s, sequence in enumerate(sequences):
            if _is_array(sequence) != arrays:
                kinds = ("a list of features", "an array") if arrays else ("an array", "a list of features")
                raise ValueError(f"sequence {s} (counted from 0) is {kinds[0]}; expected {kinds[1]}")
            if arrays and sequence.shape[1] != self.n_columns_:
                raise ValueError(
                    f"sequence {s} (counted from 0) has {sequence.shape[1]} columns; expected {self.n_columns_}"
                )
        if not arrays:
            encode = self.vectorizer_.fit_transform if fitting else self.vectorizer_.transform
            rows, lengths = encode(sequences)
        else:
            lengths = np.array([len(sequence) for sequence in sequences], np.int64)
            stacked = sparse.csr_array(np.concatenate(sequences))
            rows = sparse.hstack([stacked, np.ones((len(lengths) and lengths.sum(), 1))], format="csr")
        rows = self._with_neighbours(rows, lengths).tocsr()
        rows.sum_duplicates()
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
        return rows, lengths

    def _with_neighbours(self, rows, lengths):
        if self.window == 0:
            return rows
        sequence = np.repeat(np.arange(len(lengths)), lengths)
        here = np.arange(len(sequence))
        blank = sparse.csr_array((1, rows.shape[1]))
        extended = sparse.vstack([rows, blank], format="csr")
        parts = []
        for step in range(-self.window, self.window + 1):
            there = np.clip(here + step, 0, len(here) - 1)
            inside = (there == here + step) & (sequence[there] == sequence)
            parts.append(extended[np.where(inside, there, len(here))])
        return sparse.hstack(parts, format="csr")


def listed_sequences(sequences):
    """The sequences as a list, arrays of numbers among them as float64; what is none is refused by its number."""
    if isinstance(sequences, np.ndarray) and sequences.ndim == 2:
        raise ValueError("one array of two dimensions was given; give a list of them, one for each sequence")
    listed = []
    for s, sequence in enumerate(sequences):
        where = f"sequence {s} (counted from 0)"
        if isinstance(sequence, (str, bytes, dict)):
            raise ValueError(f"{where} is a {type(sequence).__name__}; a sequence is a list, one item a position")
        if len(sequence) == 0:
            raise ValueError(f"{where} is empty; a sequence needs at least one position")
        if isinstance(sequence, np.ndarray) or isinstance(sequence[0], np.ndarray):
            try:
                sequence = np.asarray(sequence, np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"{where} is no array of numbers") from None
            if sequence.ndim != 2:
                raise ValueError(f"{where} has the shape {sequence.shape}; it must be (positions, columns)")
            if not np.isfinite(sequence).all():
                raise ValueError(f"{where} holds NaN or infinity")
        listed.append(sequence)
    if not listed:
        raise ValueError("no sequences were given; at least one is needed")
    return listed


def _is_array(sequence):
    return isinstance(sequence, np.ndarray)
