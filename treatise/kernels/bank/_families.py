"""Kernels that read the same objects: read once, kept once, and distances computed once for all widths."""

import numpy as np

from treatise.kernels.base import count
from treatise.kernels.columns import OnColumns
from treatise.kernels.vectors import FunctionKernel, Gaussian, Linear, Polynomial

_READ_PLAIN_ROWS = (Linear, Polynomial, FunctionKernel)
"""Kernels that take the checked rows as they are, so that one copy of them serves all."""


class KernelFamilies:
    """A list of kernels, sorted into families that share their prepared objects.

    Gaussian kernels of the same columns are one family, whatever their widths: a block of them costs one block of
    distances and an exponential each.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels.
    """

    def __init__(self, kernels):
        self.kernels = kernels
        members = {}
        for position, kernel in enumerate(kernels):
            members.setdefault(_family_key(position, kernel), []).append(position)
        self.members = list(members.values())

    def prepare(self, X):
        """The objects as each family reads them."""
        return [self.kernels[positions[0]].prepare(X) for positions in self.members]

    @staticmethod
    def take(objects, positions):
        """Some of the prepared objects."""
        return [part[positions] for part in objects]

    @staticmethod
    def count(objects):
        """Number of prepared objects."""
        return count(objects[0])

    def blocks(self, A, B, dtype=np.float64):
        """Pairs of a kernel's position and its block of values between prepared objects, one at a time."""
        for positions, left, right in zip(self.members, A, B):
            first = _innermost(self.kernels[positions[0]])
            if isinstance(first, Gaussian):
                distances = Gaussian(1.0)._scaled_distances(left, right).astype(dtype, copy=False)
                for position in positions:
                    yield position, np.exp(_innermost(self.kernels[position]).gamma * distances)
            else:
                for position in positions:
                    yield position, self.kernels[position].block(left, right).astype(dtype, copy=False)

    def diagonals(self, A):
        """Values of the objects with themselves, of shape (n_kernels, n_objects)."""
        values = np.empty((len(self.kernels), self.count(A)))
        for positions, objects in zip(self.members, A):
            for position in positions:
                values[position] = self.kernels[position].diagonal(objects)
        return values


def _innermost(kernel):
    while isinstance(kernel, OnColumns):
        kernel = kernel.kernel
    return kernel


def _family_key(position, kernel):
    """Equal for kernels whose prepared objects are the same."""
    columns = None
    if isinstance(kernel, OnColumns) and not isinstance(kernel.kernel, OnColumns):
        columns = repr(kernel.columns) if isinstance(kernel.columns, slice) else tuple(np.ravel(kernel.columns))
        kernel = kernel.kernel
    if type(kernel) is Gaussian:
        return "distances", columns
    if type(kernel) in _READ_PLAIN_ROWS:
        return "rows", columns
    return "own", position
