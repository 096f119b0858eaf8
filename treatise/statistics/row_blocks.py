"""Rows of a table less a centre, a block at a time, so that no copy of the table is ever held."""

from collections.abc import Iterator

import numpy as np

NUMBERS = 2**18
"""Numbers in a block: two megabytes, which stay in the cache between a product and its square."""


class RowBlocks:
    """The rows of a table less a centre, each multiplied by a number of its own where there are such.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The table; a memory map is read a block at a time.
    center : ndarray of shape (n_columns,) or None, default=None
        What is subtracted from each row.
    scale : ndarray of shape (n_rows,) or None, default=None
        What each row is then multiplied by.
    """

    def __init__(self, X: np.ndarray, center: np.ndarray | None = None, scale: np.ndarray | None = None) -> None:
        self.X, self.center, self.scale = X, center, scale
        self.shape = X.shape

    def __iter__(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Places of the rows and the rows themselves; what is yielded may be a view of the table."""
        n_rows, n_columns = self.shape
        length = max(NUMBERS // n_columns, 4 * n_columns, 1)
        for start in range(0, n_rows, length):
            places = slice(start, min(start + length, n_rows))
            block = self.X[places]
            if self.center is not None:
                block = block - self.center
            if self.scale is not None:
                block = block * self.scale[places, np.newaxis]
            yield places, block

    def at_hand(self) -> "RowBlocks":
        """The same rows, subtracted and multiplied for good where they are few enough to be held twice."""
        if self.X.size > 16 * NUMBERS:
            return self
        return RowBlocks(np.vstack([block for _, block in self]))

    def norms(self) -> np.ndarray:
        """Length of each row."""
        found = np.empty(self.shape[0])
        for places, block in self:
            found[places] = np.sqrt(np.einsum("ij,ij->i", block, block))
        return found

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Sum over the rows of the products of each with itself, weighted where there are weights."""
        total = np.zeros((self.shape[1],) * 2)
        for places, block in self:
            if weights is not None:
                block = block * np.sqrt(weights[places, np.newaxis])
            total += block.T @ block
        return total

    def by(self, matrix: np.ndarray) -> np.ndarray:
        """All rows times a matrix, as one array."""
        found = np.empty((self.shape[0], matrix.shape[1]))
        for places, block in self:
            found[places] = block @ matrix
        return found
