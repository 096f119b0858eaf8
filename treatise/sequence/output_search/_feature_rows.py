"""Sequences of feature dictionaries, or of arrays, as the rows of one sparse matrix."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from treatise.sequence._listed_sequences import check_form, listed_sequences, n_columns
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
        self.n_columns_ = n_columns(sequences)
        self.vectorizer_ = SequenceVectorizer() if self.n_columns_ is None else None
        return self._rows(sequences, fitting=True)

    def transform(self, sequences):
        """Rows and lengths, in the columns of the fit."""
        return self._rows(listed_sequences(sequences), fitting=False)

    def _rows(self, sequences, fitting):
        check_form(sequences, self.n_columns_)
        if self.n_columns_ is None:
            encode = self.vectorizer_.fit_transform if fitting else self.vectorizer_.transform
            rows, lengths = encode(sequences)
        else:
            lengths = np.array([len(sequence) for sequence in sequences], np.int64)
            stacked = sparse.csr_array(np.concatenate(sequences))
            rows = sparse.hstack([stacked, np.ones((lengths.sum(), 1))], format="csr")
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
