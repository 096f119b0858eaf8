"""Documents as tokens: each word as often as it occurs."""

from typing import NamedTuple

import numpy as np
import psutil
from scipy import sparse

from treatise.statistics.topics._loops import largest_remainders

BYTES_A_TOKEN = 16
"""At the peak of a sampler: a token's word and topic, and their copies while documents are told apart."""


class Tokens(NamedTuple):
    """Words of documents one after another, in ascending order within each."""

    words: np.ndarray
    """int32, the column of each token's word."""
    starts: np.ndarray
    """int64, of each document its first token, and at the end their number."""
    n_words: int
    """Words of the vocabulary."""

    @property
    def n_documents(self) -> int:
        """Documents, those without a token among them."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each document."""
        return np.diff(self.starts)


def whole_counts(X: sparse.csr_array | np.ndarray, advice: str = "") -> sparse.csr_array:
    """Counts as a CSR array of whole numbers in the order of the columns; what is no count is refused.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_documents, n_words)
        Counts, finite.
    advice : str, default=""
        What the user can do about amounts that are no counts, for the error.
    """
    X = _canonical(X)
    fractions = np.flatnonzero(X.data != np.floor(X.data))
    if len(fractions):
        at = int(fractions[0])
        raise ValueError(
            f"X holds {X.data[at]:g} in row {_row_of(X, at)}, which is no count of a word; give whole numbers from 0 "
            f"on{advice}"
        )
    needed, free = BYTES_A_TOKEN * float(X.data.sum()), psutil.virtual_memory().available
    if needed > free:
        raise ValueError(
            f"X counts {X.data.sum():g} words in all, which take {needed / 2**30:.3g} GiB where {free / 2**30:.3g} are "
            f"free; divide the counts{advice}"
        )
    return sparse.csr_array((X.data.astype(np.int64), X.indices, X.indptr), shape=X.shape)


def counts_from_shares(X: sparse.csr_array | np.ndarray, total: int) -> sparse.csr_array:
    """Amounts that are no counts, such as tf-idf, as ``total`` tokens of each row, by largest remainders.

    The tokens of a row are in proportion to its amounts, as near as whole numbers can be; of equal remainders the
    first words count. A row's scale does not matter, and a row of zeros has no tokens.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_rows, n_columns)
        Amounts, finite and not negative.
    total : int
        Tokens of a row.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.topics import counts_from_shares
    >>> counts_from_shares(np.array([[0.5, 0.3, 0.2], [0.0, 2.0, 2.0]]), 8).toarray()
    array([[4, 2, 2],
           [0, 4, 4]])
    """
    X = _canonical(X)
    counts = np.zeros(len(X.data), dtype=np.int64)
    largest_remainders(X.indptr, X.data.astype(np.float64), total, counts)
    found = sparse.csr_array((counts, X.indices, X.indptr), shape=X.shape)
    found.eliminate_zeros()
    return found


def tokens_of(counts: sparse.csr_array) -> Tokens:
    """The tokens of documents from counts that :func:`whole_counts` or :func:`counts_from_shares` made.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.topics import tokens_of, whole_counts
    >>> tokens = tokens_of(whole_counts(np.array([[2, 0, 1], [0, 0, 0], [0, 1, 0]])))
    >>> tokens.words.tolist(), tokens.starts.tolist()
    ([0, 0, 2, 1], [0, 3, 3, 4])
    """
    words = np.repeat(counts.indices.astype(np.int32), counts.data)
    ends = np.concatenate([[0], np.cumsum(counts.data)])
    return Tokens(words, ends[counts.indptr].astype(np.int64), int(counts.shape[1]))


def _canonical(X: sparse.csr_array | np.ndarray) -> sparse.csr_array:
    """A copy in CSR form with each word once, in ascending order, and without zeros; refuses negative numbers."""
    X = sparse.csr_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    if X.nnz and X.data.min() < 0:
        at = int(np.argmin(X.data))
        raise ValueError(
            f"Negative values in data: X holds {X.data[at]:g} in row {_row_of(X, at)}; a count is 0 or more"
        )
    return X


def _row_of(X: sparse.csr_array, at: int) -> int:
    return int(np.searchsorted(X.indptr, at, side="right")) - 1
