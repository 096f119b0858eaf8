"""A kernel's Gram matrix as features of finite dimension."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

_TOLERANCE = 1e-10


@dataclass(frozen=True)
class KernelFactor:
    """Pivoted Cholesky factor of a Gram matrix: K = F F', the rows of F being the features of the rows.

    A smooth kernel has few features to machine precision, however many rows; a point's features follow from its kernel
    with the pivots alone, and so do all scores that are linear in them.
    """

    features: np.ndarray
    pivots: np.ndarray
    triangle: np.ndarray

    @classmethod
    def of(cls, K: np.ndarray) -> "KernelFactor":
        """Factor a positive semidefinite matrix, which is left as it is."""
        largest = float(np.max(np.diagonal(K)))
        if not largest > 0:
            raise ValueError(f"the kernel's largest value of a row with itself is {largest:g}; it must be positive")
        lower, order, rank, _ = dpstrf(np.array(K, order="F"), lower=1, tol=_TOLERANCE * largest)
        order = order - 1
        features = np.empty((len(K), rank))
        features[order] = np.tril(lower)[:, :rank]
        return cls(features, order[:rank], np.tril(lower[:rank, :rank]))

    def dual(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the pivots' kernels that give the same scores as ``weights`` of the features."""
        return solve_triangular(self.triangle, weights, lower=True, trans="T")
