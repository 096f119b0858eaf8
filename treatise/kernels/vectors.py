"""Kernels of rows of numbers, dense or sparse."""

from numbers import Real

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_array

from treatise.kernels._distance_loops import scale_distances
from treatise.kernels.base import Kernel, Prepared


class VectorKernel(Kernel):
    """A kernel of rows of a table."""

    def prepare(self, X):
        return check_array(X, accept_sparse="csr", dtype=np.float64)


def _products(A, B):
    """Scalar products of two sets of rows, as a dense array of its own."""
    if not sparse.issparse(A) and not sparse.issparse(B):
        return A @ B.T
    if sparse.issparse(A) and sparse.issparse(B):
        # A few dense rows against a sparse table cost its non-zeros; sparse against sparse costs a merge.
        if A.shape[0] * A.shape[1] <= 1 << 22:
            return np.ascontiguousarray((B @ A.toarray().T).T)
        return (A @ B.T).toarray()
    return np.asarray(A @ B.T) if sparse.issparse(A) else np.ascontiguousarray(np.asarray(B @ A.T).T)


def _squared_lengths(X):
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


_LOST = 1e-9
"""Digits of an exponent that may be lost to squared lengths before rows are taken about their middle."""


def _about_their_middle(A, B, rate):
    """Both sets of rows with another origin, where squared lengths would hide distances: times in seconds, say.

    ``rate`` is how much an exponent changes with a squared distance. Distances know no origin, but their digits do.
    Sparse rows stay where they are.
    """
    if sparse.issparse(A.objects) or sparse.issparse(B.objects):
        return A, B
    largest = A.companions[0].max(initial=0.0) + B.companions[0].max(initial=0.0)
    if not rate * np.finfo(float).eps * largest > _LOST:
        return A, B
    origin = B.objects.mean(axis=0)
    moved = A.objects - origin, B.objects - origin
    return tuple(Prepared(rows, _squared_lengths(rows)) for rows in moved)


class Linear(VectorKernel):
    """Scalar product of two rows.

    Examples
    --------
    >>> from treatise.kernels import Linear
    >>> Linear()([[1.0, 2.0], [0.0, 1.0]])
    array([[5., 2.],
           [2., 1.]])
    """

    def block(self, A, B):
        return _products(A, B)

    def diagonal(self, A):
        return _squared_lengths(A)


class Polynomial(VectorKernel):
    """``(gamma <x, z> + coef0) ** degree``.

    Parameters
    ----------
    degree : int, default=3
        The power.
    gamma : float, default=1.0
        Factor of the scalar product.
    coef0 : float, default=1.0
        Weight of the lower powers.

    Examples
    --------
    >>> from treatise.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0, 2.0]])
    array([[36.]])
    """

    def __init__(self, degree=3, *, gamma=1.0, coef0=1.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def block(self, A, B):
        return (self.gamma * _products(A, B) + self.coef0) ** self.degree

    def diagonal(self, A):
        return (self.gamma * _squared_lengths(A) + self.coef0) ** self.degree


class Gaussian(VectorKernel):
    """``exp(-gamma ||x - z||^2)``.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse squared width.

    Examples
    --------
    >>> from treatise.kernels import Gaussian
    >>> Gaussian(gamma=0.5)([[0.0], [2.0]]).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def prepare(self, X):
        rows = super().prepare(X)
        return Prepared(rows, _squared_lengths(rows))

    def block(self, A, B):
        exponents = self._scaled_distances(A, B)
        return np.exp(exponents, out=exponents)

    def _scaled_distances(self, A, B):
        A, B = _about_their_middle(A, B, abs(float(self.gamma)))
        # -gamma ||x - z||^2 where the products were: the exponential is the only other pass over the block.
        distances = _products(A.objects, B.objects)
        scale_distances(distances, A.companions[0], B.companions[0], float(self.gamma))
        return distances

    def diagonal(self, A):
        return np.ones(len(A))


class Laplacian(VectorKernel):
    """``exp(-gamma ||x - z||_p)`` with the sum of absolute differences (p=1) or the Euclidean distance (p=2).

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width.
    p : {1, 2}, default=1
        Which distance.

    Examples
    --------
    >>> from treatise.kernels import Laplacian
    >>> Laplacian(gamma=0.5)([[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    def __init__(self, gamma=1.0, *, p=1):
        self.gamma = gamma
        self.p = p

    def prepare(self, X):
        rows = super().prepare(X)
        if self.p not in (1, 2):
            raise ValueError(f"p={self.p!r} is no distance of this kernel; it may be 1 or 2")
        return Prepared(rows, _squared_lengths(rows))

    def block(self, A, B):
        if self.p == 1:
            return np.exp(-self.gamma * manhattan_distances(A.objects, B.objects))
        A, B = _about_their_middle(A, B, float(self.gamma) ** 2)
        squares = A.companions[0][:, None] + B.companions[0] - 2.0 * _products(A.objects, B.objects)
        return np.exp(-self.gamma * np.sqrt(np.maximum(squares, 0.0)))

    def diagonal(self, A):
        return np.ones(len(A))


class Distance(VectorKernel):
    """``(|x|^alpha + |z|^alpha - |x - z|^alpha) / 2``, whose distance in its own space is that of the rows.

    The kernel behind the energy distance and distance covariance.

    Parameters
    ----------
    alpha : float, default=1.0
        Power of the distances, above 0 and at most 2.

    Examples
    --------
    >>> from treatise.kernels import Distance
    >>> Distance()([[1.0], [3.0]])
    array([[1., 1.],
           [1., 3.]])
    """

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def prepare(self, X):
        if not 0 < self.alpha <= 2:
            raise ValueError(f"alpha={self.alpha:g} gives no kernel; it must be above 0 and at most 2")
        rows = check_array(X, dtype=np.float64)
        return Prepared(rows, np.sqrt(_squared_lengths(rows)) ** self.alpha)

    def block(self, A, B):
        gaps = cdist(A.objects, B.objects)
        gaps = gaps if self.alpha == 1 else gaps**self.alpha
        return 0.5 * (A.companions[0][:, None] + B.companions[0] - gaps)

    def diagonal(self, A):
        return A.companions[0].copy()


class FunctionKernel(VectorKernel):
    """A function of two tables that gives their Gram matrix, as scikit-learn's ``SVC`` takes one.

    Parameters
    ----------
    function : callable
        Maps arrays of shapes (n, p) and (m, p) to one of shape (n, m).
    """

    def __init__(self, function):
        self.function = function

    def block(self, A, B):
        gram = np.asarray(self.function(A, B), np.float64)
        if gram.shape != (A.shape[0], B.shape[0]):
            raise ValueError(f"the kernel function gave shape {gram.shape} for {A.shape[0]} and {B.shape[0]} rows")
        return gram


KERNEL_NAMES = ("rbf", "linear", "poly", "laplacian")
"""Names that :func:`resolve_kernel` knows, after scikit-learn's."""


def resolve_kernel(kernel, X, *, gamma="scale", degree=3, coef0=1.0, weights=None):
    """The kernel object behind an estimator's parameters.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "laplacian"}, Kernel or callable
        A name, a kernel, which is returned as it is, or a function of two tables.
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows from which ``gamma="scale"`` takes its number.
    gamma : float, "scale" or "auto", default="scale"
        "scale" is ``1 / (n_features * variance of X)``, "auto" is ``1 / n_features``.
    degree, coef0 : int and float
        Of the polynomial kernel.
    weights : array of shape (n_samples,) or None, default=None
        Weights of the rows in that variance.

    Returns
    -------
    kernel : Kernel
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return FunctionKernel(kernel)
    if kernel == "linear":
        return Linear()
    value = kernel_gamma(gamma, X, weights)
    if kernel == "rbf":
        return Gaussian(value)
    if kernel == "laplacian":
        return Laplacian(value)
    if kernel == "poly":
        return Polynomial(degree, gamma=value, coef0=coef0)
    raise ValueError(f"kernel={kernel!r} is unknown; it may be {', '.join(KERNEL_NAMES)}, a Kernel or a function")


def kernel_gamma(gamma, X, weights=None):
    """The number ``gamma`` stands for: ``1 / (n_features * variance)`` if "scale", ``1 / n_features`` if "auto"."""
    if isinstance(gamma, Real):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / X.shape[1]
    weights = np.ones(X.shape[0]) if weights is None else weights
    total = weights.sum() * X.shape[1]
    mean = (weights @ X).sum() / total
    if sparse.issparse(X):
        variance = (weights @ X.multiply(X)).sum() / total - mean**2
    else:
        variance = (weights @ np.square(X - mean)).sum() / total
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


_MOST_MEDIAN_ROWS = 1000


def median_gamma(X):
    """``gamma`` of the Gaussian kernel whose width is the median distance of two rows over the square root of two.

    That is one over the squared median distance. Beyond 1 000 rows it is taken from so many of them, evenly spaced in
    the order of their values, so that the order of the rows does not matter.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import median_gamma
    >>> median_gamma(np.array([[0.0], [1.0], [3.0]]))
    0.25
    """
    if len(X) > _MOST_MEDIAN_ROWS:
        places = np.linspace(0, len(X) - 1, _MOST_MEDIAN_ROWS).astype(int)
        X = X[np.lexsort(X.T[::-1])[places]]
    gaps = pdist(X)
    gaps = gaps[gaps > 0] if len(gaps) and np.median(gaps) == 0 else gaps
    if not len(gaps) or not gaps.max() > 0:
        raise ValueError("all rows of X are equal; they have no median distance for the width of a kernel")
    return float(1.0 / np.median(gaps) ** 2)
