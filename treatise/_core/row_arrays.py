"""Rows of a dense or sparse table as compiled loops read them."""

from typing import Any

import numpy as np
from scipy import sparse


def rows_of(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows as compiled loops read them: pointers, columns and values; all dense rows share one set of columns."""
    if sparse.issparse(X):
        # A signed index is never negative here, so its bits are those of the unsigned one.
        return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False).view(np.uint32), X.data
    n_rows, width = X.shape
    return np.arange(0, n_rows * width + 1, width), np.arange(width, dtype=np.uint32), X.ravel()
