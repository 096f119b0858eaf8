"""Linear features of a network: degrees, projections on directions, all entries.

Each map ``omega`` has an adjoint, and ``omega(adjoint(v)) = gain * v``: that is what makes a step of the solver closed.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import sparse


class FeatureMap(ABC):
    """A linear map from matrices of one shape to vectors."""

    gain: float
    """The map after its adjoint multiplies by this."""
    group = 1
    """Features of one node, which stand side by side."""

    @abstractmethod
    def apply(self, A):
        """Features of a matrix, of shape (n_features,)."""

    @abstractmethod
    def adjoint(self, v):
        """The matrix whose inner product with any other is that of v with its features."""


@dataclass(frozen=True)
class InDegrees(FeatureMap):
    """Sums of the columns."""

    shape: tuple[int, int]

    @property
    def gain(self):
        return float(self.shape[0])

    def apply(self, A):
        return A.sum(axis=0)

    def adjoint(self, v):
        return np.broadcast_to(v, self.shape)


@dataclass(frozen=True)
class OutDegrees(FeatureMap):
    """Sums of the rows."""

    shape: tuple[int, int]

    @property
    def gain(self):
        return float(self.shape[1])

    def apply(self, A):
        return A.sum(axis=1)

    def adjoint(self, v):
        return np.broadcast_to(v[:, np.newaxis], self.shape)


@dataclass(frozen=True)
class Projection(FeatureMap):
    """``A V`` for orthonormal columns V, row after row."""

    directions: np.ndarray
    gain = 1.0

    @property
    def group(self):
        return self.directions.shape[1]

    def apply(self, A):
        return (A @ self.directions).ravel()

    def adjoint(self, v):
        return v.reshape(-1, self.directions.shape[1]) @ self.directions.T


@dataclass(frozen=True)
class Entries(FeatureMap):
    """All entries, row after row."""

    shape: tuple[int, int]
    gain = 1.0

    def apply(self, A):
        return (A.toarray() if sparse.issparse(A) else A).ravel()

    def adjoint(self, v):
        return v.reshape(self.shape)


def feature_map(name, shape, directions):
    """The map of a name, for matrices of a shape; the columns of directions are those of "svd"."""
    if name == "in_degree":
        return InDegrees(shape)
    if name == "out_degree":
        return OutDegrees(shape)
    if name == "entries":
        return Entries(shape)
    return Projection(directions)


def leading_directions(total):
    """Right singular vectors of a matrix, those of the largest singular values first; those of zero are left out.

    Each has its sign such that the entry of the largest size is positive.
    """
    total = total.toarray() if sparse.issparse(total) else total
    _, sizes, right = np.linalg.svd(total, full_matrices=False)
    right = right[: max(int(np.sum(sizes > 1e-10 * sizes[0])), 1)]
    largest = right[np.arange(len(right)), np.abs(right).argmax(axis=1)]
    return (right * np.where(largest < 0.0, -1.0, 1.0)[:, np.newaxis]).T
