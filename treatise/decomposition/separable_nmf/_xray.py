"""XRAY: rows of the data that span the cone of all rows, one at a time (Kumar, Sindhwani & Kambadur, ICML 2013)."""

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from treatise.decomposition._products import data_by, row_of, squared_lengths
from treatise.optimize import nonnegative_least_squares

_BLOCK = 2**21
"""Numbers of a block of residuals, or of products between residuals and rows, that are formed at once."""
_NOTHING = 1e-12
"""Share of a row's squared length that counts as no residual: squares of a sparse row's residual are differences."""


def xray(X, n_rows, selection, random_state):
    """Choose rows until so many are found or no residual is left.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    n_rows : int
    selection : {"max", "dist", "greedy", "rand"}
        Which residual shows the way to the next row.
    random_state : RandomState instance

    Returns
    -------
    ndarray of int
        The rows, in the order chosen.
    """
    sums = np.asarray(X.sum(axis=1), dtype=float).ravel()
    # A ray is followed to where it leaves the simplex of rows with sum one; a row without a positive sum is on none.
    on_ray = sums > 0.0
    scale = np.where(on_ray, sums, 1.0)
    rest = _Residuals(X)
    chosen: list[int] = []
    while len(chosen) < n_rows:
        squares = np.where(on_ray, rest.squares(), 0.0)
        if not squares.any():
            break
        if selection == "rand":
            guide = random_state.choice(np.flatnonzero(squares))
        else:
            pulls = squares if selection == "max" else rest.pulls(selection)
            guide = np.argmax(np.where(squares > 0.0, pulls, -1.0))
        merits = np.where(on_ray, (X @ rest.row(guide)) / scale, -np.inf)
        merits[chosen] = -np.inf
        best = int(np.argmax(merits))
        if merits[best] <= 0.0:
            break
        chosen.append(best)
        rest.remove(best)
    return np.array(chosen, dtype=np.intp)


class _Residuals:
    """What is left of every row beyond the best non-negative combination of those chosen; never held as a whole."""

    def __init__(self, X):
        self._X = X
        self._lengths = squared_lengths(X)
        self._components = np.zeros((0, X.shape[1]))
        self._weights = np.zeros((0, X.shape[0]))

    def remove(self, i):
        """Row i is chosen."""
        self._components = np.vstack([self._components, row_of(self._X, i)])
        gram = self._components @ self._components.T
        self._weights = nonnegative_least_squares(gram, data_by(self._components, self._X))

    def row(self, i):
        return row_of(self._X, i) - self._weights[:, i] @ self._components

    def squares(self):
        """Squared length of each residual, with zero for rounding."""
        X, W, C = self._X, self._weights, self._components
        if sparse.issparse(X):
            # A residual at the optimum is at right angles to what was taken away.
            squares = self._lengths - np.einsum("ij,ij->j", W, data_by(C, X))
        else:
            squares = np.empty(len(X))
            for block in gen_batches(len(X), max(1, _BLOCK // X.shape[1])):
                rest = X[block] - W[:, block].T @ C
                squares[block] = np.einsum("ij,ij->i", rest, rest)
        return np.where(squares > _NOTHING * self._lengths, squares, 0.0)

    def pulls(self, selection):
        """Squared norm of the positive products of each residual with all rows ("dist"), or of each row with all
        residuals, over its own ("greedy")."""
        if selection == "dist":
            return np.concatenate([np.square(block).sum(axis=0) for block in self._positive_products()])
        total = sum(np.square(block).sum(axis=1) for block in self._positive_products())
        return total / np.maximum(self._lengths, np.finfo(float).tiny)

    def _positive_products(self):
        """Products of all rows (down) with blocks of residuals (across), those below zero set to zero."""
        X, W = self._X, self._weights
        with_chosen = data_by(self._components, X)
        for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[0])):
            products = X @ X[block].T
            products = products.toarray() if sparse.issparse(products) else products
            products -= with_chosen.T @ W[:, block]
            yield np.maximum(products, 0.0, out=products)
