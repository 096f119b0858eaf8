"""The census records of the differential privacy experiments."""

import numpy as np
from scipy import sparse

from treatise.datasets import load_table

# Where the file keeps the bins of age, sampling weight, years of education, capital gain and loss, and weekly hours.
_BINNED = ((0, 5), (13, 18), (34, 39), (73, 75), (75, 77), (77, 82))
_ATTRIBUTES, _COLUMNS = 14, 123


def load_adult() -> tuple[sparse.csr_matrix, np.ndarray]:
    """Adult, training and test part: does a person earn more than 50 000 dollars a year.

    As in paper v12-1069: records with a missing value are left out; the eight categorical attributes give 99 indicator
    columns; the six numeric ones, with 1 as their largest value, come last; each row is divided by its own norm, which
    looks at no other row. The file keeps numbers as two or five bins: a bin's rank stands for the number.

    Returns
    -------
    X : csr_matrix of shape (45221, 105)
        Rows of norm one.
    y : ndarray of shape (45221,)
        1 for more than 50 000 dollars (a quarter), else -1.
    """
    matrices, labels = zip(*(load_table(f"libsvm/{name}").arrays() for name in ("a9a", "a9a.t")))
    for matrix in matrices:  # the last column, a country that one person comes from, is in neither part
        matrix.resize(matrix.shape[0], _COLUMNS)
    table = sparse.vstack(matrices).tocsc()
    ranks = [table[:, first:past] @ np.linspace(0.0, 1.0, past - first) for first, past in _BINNED]
    binned = np.concatenate([np.arange(first, past) for first, past in _BINNED])
    categories = table[:, np.setdiff1d(np.arange(_COLUMNS), binned)]
    X = sparse.csr_matrix(sparse.hstack([categories, sparse.csr_matrix(np.column_stack(ranks))]))
    complete = np.diff(table.tocsr().indptr) == _ATTRIBUTES
    y = np.concatenate(labels)
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1.0 / norms) @ X)[complete], y[complete]
