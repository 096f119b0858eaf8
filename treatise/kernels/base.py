"""What every kernel can do: blocks of its Gram matrix, sums, products, normalisation."""

from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval

_TILE = 128


class Kernel(BaseEstimator, ABC):
    """A positive semi-definite similarity of two objects: rows of numbers, strings, distributions.

    Call it on one or two collections for their Gram matrix. Kernels add up and multiply (``Gaussian() + 0.5 *
    Linear()``), are brought to the unit sphere by :meth:`normalized`, have parameters that a grid search can set, and
    serve as the ``kernel`` of every kernel machine here as well as of scikit-learn's ``SVC``.

    A kernel reads its objects once, in :meth:`prepare`, and computes any block between prepared objects in
    :meth:`block`; whoever needs a few rows at a time (:class:`GramRows`) never holds the whole matrix. To add a kernel,
    write these two, and :meth:`diagonal` where the values of objects with themselves are cheaper than a block.
    """

    structured = False
    """Whether the objects are something else than rows of a numeric table."""

    _parameter_constraints: dict = {
        **{name: [Interval(Real, None, None, closed="neither")] for name in ("gamma", "coef0", "factor")},
        "degree": [Integral],
        "kernel": [HasMethods(["prepare", "block"]), None],
        "kernels": [list, tuple],
    }
    """Of parameters that several kernels have; looked at when a model file is loaded."""

    symmetric = True
    """Whether ``k(x, z) = k(z, x)``; a Gram matrix of such a kernel is symmetric to the last digit."""

    @abstractmethod
    def prepare(self, X):
        """Check a collection of objects and bring it into the form that :meth:`block` reads.

        The result has a length and can be indexed by an array of positions, as an array or :class:`Prepared` can.
        """

    @abstractmethod
    def block(self, A, B):
        """Kernel values between two prepared collections, a new array of shape (len(A), len(B))."""

    def diagonal(self, A):
        """Kernel values of prepared objects with themselves."""
        return np.array([self.block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(count(A))])

    def __call__(self, X, Y=None):
        A = self.prepare(X)
        if Y is None:
            gram = self.block(A, A)
            if not self.symmetric:
                return gram
            return _made_symmetric(gram)
        return self.block(A, self.prepare(Y))

    def normalized(self):
        """The kernel ``k(x, z) / sqrt(k(x, x) k(z, z))``, under which every object has length one."""
        return NormalizedKernel(self)

    def __add__(self, other):
        return KernelSum([self, _as_kernel(other)])

    def __mul__(self, other):
        if isinstance(other, Real):
            return ScaledKernel(self, float(other))
        return KernelProduct([self, _as_kernel(other)])

    __rmul__ = __mul__


def _made_symmetric(gram):
    """The mean of a matrix and its transpose, in its own memory: tile by tile, as whole columns are slow to read."""
    if not (gram.flags.owndata and gram.flags.writeable and gram.dtype == np.float64):
        gram = np.array(gram, np.float64)
    for top in range(0, len(gram), _TILE):
        for left in range(top, len(gram), _TILE):
            upper = gram[top : top + _TILE, left : left + _TILE]
            lower = gram[left : left + _TILE, top : top + _TILE]
            mean = upper + lower.T
            mean *= 0.5
            upper[...] = mean
            lower[...] = mean.T
    return gram


def count(objects):
    """Number of prepared objects; a sparse table has no length of its own."""
    return objects.shape[0] if hasattr(objects, "shape") else len(objects)


class Prepared:
    """Objects beside numbers that belong to them, such as rows and their squared lengths."""

    def __init__(self, objects, *companions):
        self.objects = objects
        self.companions = companions

    def _invariants(self):
        yield "every object has its companions", {count(each) for each in self.companions} <= {len(self)}

    def __len__(self):
        return count(self.objects)

    def __getitem__(self, positions):
        return Prepared(self.objects[positions], *(companion[positions] for companion in self.companions))


class ScaledKernel(Kernel):
    """A kernel times a number that is not negative.

    Parameters
    ----------
    kernel : Kernel
        What is scaled.
    factor : float
        The number.
    """

    def __init__(self, kernel, factor):
        self.kernel = kernel
        self.factor = factor

    @property
    def structured(self):
        return self.kernel.structured

    @property
    def symmetric(self):
        return self.kernel.symmetric

    def prepare(self, X):
        if not self.factor >= 0:
            raise ValueError(f"a kernel times {self.factor:g} is no kernel; the factor must not be negative")
        return self.kernel.prepare(X)

    def block(self, A, B):
        return self.factor * self.kernel.block(A, B)

    def diagonal(self, A):
        return self.factor * self.kernel.diagonal(A)


class NormalizedKernel(Kernel):
    """A kernel divided by the lengths of both objects; an object of length zero has kernel zero with all others.

    Parameters
    ----------
    kernel : Kernel
        What is normalised.
    """

    def __init__(self, kernel):
        self.kernel = kernel

    @property
    def structured(self):
        return self.kernel.structured

    @property
    def symmetric(self):
        return self.kernel.symmetric

    def prepare(self, X):
        objects = self.kernel.prepare(X)
        squared = self.kernel.diagonal(objects)
        inverse = np.zeros(len(squared))
        np.divide(1.0, np.sqrt(squared, where=squared > 0, out=np.ones(len(squared))), where=squared > 0, out=inverse)
        return Prepared(objects, inverse)

    def block(self, A, B):
        gram = self.kernel.block(A.objects, B.objects)
        gram *= A.companions[0][:, None]
        gram *= B.companions[0]
        return gram

    def diagonal(self, A):
        return (A.companions[0] > 0).astype(np.float64)


class LogNormalizedKernel(Kernel):
    """A kernel known by its logarithms, divided by the lengths of both objects before it leaves them.

    An object of length zero has kernel zero with all others.

    Parameters
    ----------
    kernel : Kernel
        What is normalised; it has the methods ``log_block`` and ``log_diagonal``.
    """

    def __init__(self, kernel):
        self.kernel = kernel

    @property
    def structured(self):
        return self.kernel.structured

    def prepare(self, X):
        objects = self.kernel.prepare(X)
        squared = self.kernel.log_diagonal(objects)
        return Prepared(objects, np.where(squared == -np.inf, np.inf, squared))

    def block(self, A, B):
        logs = self.kernel.log_block(A.objects, B.objects)
        logs -= A.companions[0][:, np.newaxis] / 2
        logs -= B.companions[0] / 2
        return np.exp(logs, out=logs)

    def diagonal(self, A):
        return (A.companions[0] < np.inf).astype(np.float64)


class _Combination(Kernel):
    """Several kernels of the same objects."""

    def __init__(self, kernels):
        self.kernels = kernels

    @property
    def structured(self):
        return any(kernel.structured for kernel in self.kernels)

    @property
    def symmetric(self):
        return all(kernel.symmetric for kernel in self.kernels)

    def prepare(self, X):
        parts = [kernel.prepare(X) for kernel in self.kernels]
        return Prepared(parts[0], *parts[1:])

    def block(self, A, B):
        gram = self.kernels[0].block(A.objects, B.objects)
        for kernel, left, right in zip(self.kernels[1:], A.companions, B.companions):
            self._join(gram, kernel.block(left, right))
        return gram

    def diagonal(self, A):
        values = self.kernels[0].diagonal(A.objects)
        for kernel, part in zip(self.kernels[1:], A.companions):
            self._join(values, kernel.diagonal(part))
        return values

    @staticmethod
    @abstractmethod
    def _join(values, others):
        """Put other values into the first ones."""


class KernelSum(_Combination):
    """Sum of kernels.

    Parameters
    ----------
    kernels : list of Kernel
        The terms.
    """

    @staticmethod
    def _join(values, others):
        values += others


class KernelProduct(_Combination):
    """Product of kernels, value by value.

    Parameters
    ----------
    kernels : list of Kernel
        The factors.
    """

    @staticmethod
    def _join(values, others):
        values *= others


def _as_kernel(value):
    if not isinstance(value, Kernel):
        raise TypeError(f"a kernel combines with kernels and numbers, not with {type(value).__name__}")
    return value
