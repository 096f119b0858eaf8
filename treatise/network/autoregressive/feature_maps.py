"""Linear features of a network: degrees, projections on directions, all entries.

Each map ``omega`` has an adjoint, and ``omega(adjoint(v)) = gain * v``: that is what makes a step of the solver closed.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np


class FeatureMap(ABC):
    """A linear map from matrices of one shape to vectors."""

    gain: float
    """The map after its adjoint multiplies by this."""

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
        return np.asarray(A).ravel()

    def adjoint(self, v):
        return v.reshape(self.shape)


def feature_map(name, total, n_directions):
    """The map of a name, for matrices like the sum of all snapshots."""
    if name == "in_degree":
        return InDegrees(total.shape)
    if name == "out_degree":
        return OutDegrees(total.shape)
    if name == "entries":
        return Entries(total.shape)
    right = np.linalg.svd(total, full_matrices=False)[2]
    return Projection(right[: min(n_directions, len(right))].T)
