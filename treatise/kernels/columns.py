"""Kernels that see some columns of a table, or each column by itself."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from treatise.kernels.base import Kernel, Prepared


class OnColumns(Kernel):
    """A kernel of rows that reads some of their columns only.

    A list of these is how feature groups enter the learning of kernel weights: one kernel, or several, for the blood
    values, one for the image features, one for every single feature.

    Parameters
    ----------
    kernel : Kernel
        A kernel of rows of numbers.
    columns : list of int or slice
        The columns that it sees.

    Examples
    --------
    >>> from treatise.kernels import Linear, OnColumns
    >>> OnColumns(Linear(), [1])([[1.0, 2.0], [5.0, 3.0]])
    array([[4., 6.],
           [6., 9.]])
    """

    def __init__(self, kernel, columns):
        self.kernel = kernel
        self.columns = columns

    def prepare(self, X):
        rows = check_array(X, accept_sparse="csr", dtype=np.float64)
        columns = column_positions(self.columns, rows.shape[1])
        return self.kernel.prepare(rows[:, columns])

    def block(self, A, B):
        return self.kernel.block(A, B)

    def diagonal(self, A):
        return self.kernel.diagonal(A)


class Additive(Kernel):
    """Sum over the columns of a kernel of that column alone: ``sum_p k(x_p, z_p)``.

    A function in its space is a sum of functions of single columns, each of which can be drawn (a generalised additive
    model). :meth:`column_blocks` gives the terms.

    Parameters
    ----------
    kernel : Kernel
        A kernel of rows of numbers, applied to one column at a time.

    Examples
    --------
    >>> from treatise.kernels import Additive, Polynomial
    >>> Additive(Polynomial(degree=2))([[1.0, 2.0]])  # (1 + 1)^2 + (4 + 1)^2
    array([[29.]])
    """

    def __init__(self, kernel):
        self.kernel = kernel

    def prepare(self, X):
        rows = check_array(X, accept_sparse="csr", dtype=np.float64)
        rows = rows.toarray() if issparse(rows) else rows
        columns = [self.kernel.prepare(rows[:, [j]]) for j in range(rows.shape[1])]
        return Prepared(columns[0], *columns[1:])

    def column_blocks(self, A, B):
        """Kernel values of one column after the other, an array of shape (len(A), len(B)) each."""
        if len(A.companions) != len(B.companions):
            raise ValueError(f"rows of {1 + len(A.companions)} and of {1 + len(B.companions)} columns have no kernel")
        columns = zip((A.objects, *A.companions), (B.objects, *B.companions), strict=True)
        return (self.kernel.block(a, b) for a, b in columns)

    def block(self, A, B):
        return sum(self.column_blocks(A, B))

    def diagonal(self, A):
        return sum(self.kernel.diagonal(column) for column in (A.objects, *A.companions))


def column_positions(columns, n_columns):
    """The columns meant, as an array of positions, or an error that says which one does not exist."""
    if isinstance(columns, slice):
        return np.arange(n_columns)[columns]
    positions = np.asarray(columns).ravel()
    if positions.dtype.kind not in "iu" and len(positions):
        raise ValueError(f"columns={columns!r} must be positions of columns, whole numbers")
    if len(positions) == 0:
        raise ValueError("columns is empty; a kernel needs at least one column")
    if positions.min() < -n_columns or positions.max() >= n_columns:
        wrong = positions[(positions < -n_columns) | (positions >= n_columns)][0]
        raise ValueError(f"column {wrong} does not exist; the table has {n_columns} columns, 0 to {n_columns - 1}")
    return positions
