"""Means of a kernel or of distances over all pairs of rows, a block at a time."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from treatise.kernels import KernelFactor
from treatise.kernels.base import count

BLOCK = 1 << 21


class PairSums(NamedTuple):
    """Sums over pairs of two samples of n and m rows: within each, without its diagonal, and across."""

    n: int
    m: int
    xx: float
    yy: float
    xy: float
    x_diagonal: float
    y_diagonal: float

    @property
    def with_diagonal(self) -> tuple[float, float, float]:
        """Means over all pairs, a row with itself included."""
        xx, yy = (self.xx + self.x_diagonal) / self.n**2, (self.yy + self.y_diagonal) / self.m**2
        return xx, yy, self.xy / (self.n * self.m)

    @property
    def without_diagonal(self) -> tuple[float, float, float]:
        """Means over pairs of different rows."""
        n, m = self.n, self.m
        return self.xx / (n * (n - 1.0)), self.yy / (m * (m - 1.0)), self.xy / (n * m)


def kernel_sums(kernel, X, Y, tolerance=0.0) -> PairSums:
    """Sums of a kernel; with a tolerance from an incomplete Cholesky factor of the pooled rows."""
    if tolerance > 0:
        pooled = kernel.prepare(np.vstack([X, Y]))
        features = KernelFactor.on_demand(kernel, pooled, tolerance=tolerance).features
        left, right = features[: len(X)], features[len(X) :]
        own, other = np.sum(left**2), np.sum(right**2)
        a, b = left.sum(axis=0), right.sum(axis=0)
        return PairSums(len(X), len(Y), a @ a - own, b @ b - other, a @ b, own, other)
    A, B = kernel.prepare(X), kernel.prepare(Y)
    own, other = float(kernel.diagonal(A).sum()), float(kernel.diagonal(B).sum())
    within, across = _block_sum(kernel, A, A), _block_sum(kernel, A, B)
    return PairSums(len(X), len(Y), within - own, _block_sum(kernel, B, B) - other, across, own, other)


def _block_sum(kernel, A, B):
    width = max(1, BLOCK // count(B))
    return float(sum(kernel.block(A[i : i + width], B).sum() for i in range(0, count(A), width)))


def distance_sums(X, Y, alpha=1.0) -> PairSums:
    """Sums of distances to the power alpha; sorted instead of paired in one dimension at alpha = 1."""
    if X.shape[1] == 1 and alpha == 1.0:
        xx, yy = line_sum(X[:, 0]), line_sum(Y[:, 0])
        both = line_sum(np.concatenate([X[:, 0], Y[:, 0]]))
        return PairSums(len(X), len(Y), xx, yy, (both - xx - yy) / 2.0, 0.0, 0.0)
    return PairSums(len(X), len(Y), _distance_sum(X, X, alpha), _distance_sum(Y, Y, alpha),
                    _distance_sum(X, Y, alpha), 0.0, 0.0)  # fmt: skip


def line_sum(x):
    """Sum of |x_i - x_j| over all ordered pairs, in O(n log n)."""
    n = len(x)
    return float(2.0 * np.dot(2.0 * np.arange(n) - n + 1.0, np.sort(x)))


def _distance_sum(X, Y, alpha):
    width = max(1, BLOCK // len(Y))
    blocks = (cdist(X[i : i + width], Y) for i in range(0, len(X), width))
    return float(sum((block if alpha == 1.0 else block**alpha).sum() for block in blocks))
