"""A kernel's Gram matrix as features of finite dimension."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from treatise.kernels.base import Kernel, count

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

    @classmethod
    def on_demand(
        cls, kernel: Kernel, objects, *, tolerance: float = _TOLERANCE, max_rank: int | None = None
    ) -> "KernelFactor":
        """Factor the Gram matrix of prepared objects from a few of its columns, without ever holding it.

        The incomplete Cholesky factorisation: O(n r^2) time and n r numbers for r features. It ends when the trace of
        what is left is at most ``tolerance`` times the whole, or at ``max_rank`` features.
        """
        left = np.array(kernel.diagonal(objects), np.float64)
        whole = float(left.sum())
        if not whole > 0:
            raise ValueError(f"the kernel's values of the rows with themselves sum to {whole:g}; it must be positive")
        most = min(count(objects), max_rank or count(objects))
        features = np.empty((len(left), min(most, 32)))
        pivots: list[int] = []
        while len(pivots) < most and left.sum() > tolerance * whole:
            rank, pivot = len(pivots), int(np.argmax(left))
            if not left[pivot] > 0:
                break
            if rank == features.shape[1]:
                features = np.hstack([features, np.empty((len(left), min(rank, most - rank)))])
            column = kernel.block(objects, objects[pivot : pivot + 1])[:, 0]
            column = column - features[:, :rank] @ features[pivot, :rank]
            features[:, rank] = column / np.sqrt(left[pivot])
            features[pivots, rank] = 0.0
            left = np.maximum(left - features[:, rank] ** 2, 0.0)
            pivots.append(pivot)
            left[pivots] = 0.0
        order = np.array(pivots)
        features = np.ascontiguousarray(features[:, : len(pivots)])
        return cls(features, order, np.tril(features[order]))

    def dual(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the pivots' kernels that give the same scores as ``weights`` of the features."""
        return solve_triangular(self.triangle, weights, lower=True, trans="T")
