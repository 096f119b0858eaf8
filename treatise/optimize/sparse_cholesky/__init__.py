"""Sparse Cholesky factors with a fill-reducing order, a symbolic part made once, and the selected inverse."""

from treatise.optimize.sparse_cholesky.cholesky import (
    CholeskyPlan,
    SelectedInverse,
    SparseCholesky,
    fill_reducing_order,
)

__all__ = ["CholeskyPlan", "SelectedInverse", "SparseCholesky", "fill_reducing_order"]
