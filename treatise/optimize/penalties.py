"""Penalties: what they cost, and the step towards less of it; with the formulas that compiled solvers share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled


class Penalty(ABC):
    """A convex price of a point, by its value and its proximal operator.

    A new penalty is one small class of two methods. Its ``prox`` is what :func:`minimize_on_subspace` asks for.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import L1Penalty
    >>> L1Penalty(2.0).value(np.array([-1.0, 0.5])), L1Penalty(2.0).prox(np.array([-3.0, 0.5]))
    (3.0, array([-1.,  0.]))
    """

    @abstractmethod
    def value(self, x):
        """The price."""

    @abstractmethod
    def prox(self, v, rho=1.0):
        """The x that minimises ``value(x) + rho / 2 ||x - v||^2``."""


@dataclass(frozen=True)
class L1Penalty(Penalty):
    """``weight * sum |x|``, which sets entries to zero.

    Parameters
    ----------
    weight : float or ndarray
        Price of an entry, or of each.
    """

    weight: float | np.ndarray

    def value(self, x):
        """The price."""
        return float(np.sum(self.weight * np.abs(x)))

    def prox(self, v, rho=1.0):
        """Every entry moves towards zero by the weight over rho."""
        return soft_threshold(v, self.weight / rho)


@dataclass(frozen=True)
class L2Penalty(Penalty):
    """``weight / 2 * sum x^2``, which shrinks.

    Parameters
    ----------
    weight : float or ndarray
        Price of an entry's half square, or of each.
    """

    weight: float | np.ndarray

    def value(self, x):
        """The price."""
        return 0.5 * float(np.sum(self.weight * np.square(x)))

    def prox(self, v, rho=1.0):
        """Every entry is divided by one plus the weight over rho."""
        return v / (1.0 + self.weight / rho)


@dataclass(frozen=True)
class GroupPenalty(Penalty):
    """``weight * sum_j ||x_j||`` over groups of entries, which sets whole groups to zero.

    Parameters
    ----------
    weight : float
        Price of a group's norm.
    starts : ndarray of int of shape (n_groups + 1,)
        Group j has the entries ``starts[j]:starts[j + 1]``; it may be empty.
    """

    weight: float
    starts: np.ndarray

    def value(self, x):
        """The price."""
        return float(self.weight * group_norms(x, self.starts).sum())

    def prox(self, v, rho=1.0):
        """Every group is shortened by the weight over rho, or vanishes."""
        shares = np.array([kept_share(norm, self.weight / rho) for norm in group_norms(v, self.starts)])
        return np.repeat(shares, np.diff(self.starts)) * v


@dataclass(frozen=True)
class ColumnNormPenalty(Penalty):
    """``weight * sum_j ||X_j||_q`` over the columns of a matrix, the l1/lq norm.

    Parameters
    ----------
    weight : float
        Price of a column's norm.
    q : {1, 2, inf}, default=2
        The norm.
    """

    weight: float
    q: float = 2

    def value(self, x):
        """The price."""
        return float(self.weight * np.sum(np.linalg.norm(x, ord=self.q, axis=-2)))

    def prox(self, v, rho=1.0):
        """See :func:`prox_column_norms`."""
        return prox_column_norms(v, self.weight / rho, self.q)


@dataclass(frozen=True)
class NonnegativeL1Penalty(Penalty):
    """``weight * sum x`` over entries that must not be negative, which sets entries to zero.

    Parameters
    ----------
    weight : float or ndarray
        Price of an entry, or of each; not negative.
    """

    weight: float | np.ndarray

    def value(self, x):
        """The price; infinite where an entry is negative."""
        return float(np.sum(self.weight * x)) if np.all(x >= 0) else np.inf

    def prox(self, v, rho=1.0):
        """Every entry falls by the weight over rho, not below zero."""
        return np.maximum(v - self.weight / rho, 0.0)


@dataclass(frozen=True)
class NuclearPenalty(Penalty):
    """``weight`` times the sum of the singular values of a matrix, which lowers its rank.

    Parameters
    ----------
    weight : float
        Price of a singular value.
    """

    weight: float

    def value(self, x):
        """The price."""
        return float(self.weight * np.linalg.svd(x, compute_uv=False).sum())

    def prox(self, v, rho=1.0):
        """Every singular value is moved towards zero by the weight over rho."""
        return singular_value_threshold(v, self.weight / rho)


@dataclass(frozen=True)
class BoxConstraint(Penalty):
    """Nothing within bounds on each entry, and an infinite price outside.

    Parameters
    ----------
    lower, upper : float or ndarray, default=-inf and inf
        The bounds.
    """

    lower: float | np.ndarray = -np.inf
    upper: float | np.ndarray = np.inf

    def value(self, x):
        """Zero or infinity."""
        return 0.0 if np.all((self.lower <= x) & (x <= self.upper)) else np.inf

    def prox(self, v, rho=1.0):
        """The nearest point within the bounds."""
        return np.clip(v, self.lower, self.upper)


@compiled
def shrunk(value, threshold):
    """A number moved towards zero by the threshold: the operator of the absolute value."""
    if value > threshold:
        return value - threshold
    if value < -threshold:
        return value + threshold
    return 0.0


@compiled
def kept_share(norm, threshold):
    """What is left of a vector of a norm that is shortened by the threshold: the operator of the Euclidean norm."""
    return 1.0 - threshold / norm if norm > threshold else 0.0


@compiled
def group_norms(values, starts):
    """Euclidean norm of each group of entries."""
    norms = np.empty(len(starts) - 1)
    for j in range(len(norms)):
        total = 0.0
        for e in range(starts[j], starts[j + 1]):
            total += values[e] * values[e]
        norms[j] = np.sqrt(total)
    return norms


def soft_threshold(A, threshold):
    """The X that minimises ``||X - A||^2 / 2 + threshold * sum |X|``: every entry is moved towards zero.

    Parameters
    ----------
    A : array-like
        Any shape.
    threshold : float or array-like
        How far; not negative. Must broadcast against A.

    Returns
    -------
    X : ndarray of the shape of A
        Exactly zero where ``|A| <= threshold``.

    Examples
    --------
    >>> from treatise.optimize import soft_threshold
    >>> soft_threshold([-3.0, 0.5, 2.0], 1.0)
    array([-2.,  0.,  1.])
    """
    A = np.asarray(A, dtype=np.float64)
    # Adding zero turns the minus zeros of small negative entries into zeros.
    return A - np.clip(A, -threshold, threshold) + 0.0


def singular_value_threshold(A, threshold):
    """The X that minimises ``||X - A||^2 / 2 + threshold * (sum of singular values of X)``.

    Costs one decomposition of the matrix. A large matrix most of whose singular values fall below the threshold is
    decomposed through the smaller of its two Gram matrices, at a fraction of that cost; singular values below a ten
    millionth of the largest are not seen then, which matters for thresholds as small alone, where the plain way is
    taken.

    Parameters
    ----------
    A : array-like of shape (rows, columns)
        The matrix.
    threshold : float
        Not negative.

    Returns
    -------
    X : ndarray of the shape of A
        Of as many singular values as A has above the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import singular_value_threshold
    >>> singular_value_threshold(np.diag([3.0, 0.5]), 1.0)
    array([[2., 0.],
           [0., 0.]])
    """
    A = np.asarray(A, dtype=np.float64)
    if A.ndim != 2:
        raise ValueError(f"A has {A.ndim} dimensions; a matrix has two")
    if threshold <= 0.0 or not A.size:
        return A.copy()
    tall = A if len(A) >= A.shape[1] else A.T
    squares, vectors = np.linalg.eigh(tall.T @ tall)
    sizes = np.sqrt(np.maximum(squares, 0.0))
    if threshold <= 1e-6 * sizes[-1]:
        left, sizes, right = np.linalg.svd(A, full_matrices=False)
        kept = sizes > threshold
        return (left[:, kept] * (sizes[kept] - threshold)) @ right[kept]
    kept = sizes > threshold
    shrunk_part = vectors[:, kept] * (1.0 - threshold / sizes[kept])
    X = (tall @ shrunk_part) @ vectors[:, kept].T + 0.0
    return X if tall is A else X.T


def project_columns_on_l1_ball(A, radius):
    """The nearest matrix whose columns have absolute values that sum to at most ``radius``.

    Sorts every column; costs rows log(rows) for each.

    Parameters
    ----------
    A : array-like of shape (..., rows, columns)
        Leading axes count matrices, each treated alone.
    radius : float
        Not negative.

    Returns
    -------
    X : ndarray of the shape of A

    Examples
    --------
    >>> from treatise.optimize import project_columns_on_l1_ball
    >>> project_columns_on_l1_ball([[3.0, 0.2], [1.0, -0.1]], 2.0)
    array([[ 2. ,  0.2],
           [ 0. , -0.1]])
    """
    A = np.asarray(A, dtype=np.float64)
    size = np.abs(A)
    if not A.size:
        return A.copy()
    if radius <= 0:
        return np.zeros_like(A)
    falling = -np.sort(-size, axis=-2)
    excess = np.cumsum(falling, axis=-2) - radius
    count = np.arange(1, A.shape[-2] + 1)[:, None]
    # The largest number of entries that stay when all of them give up the same amount.
    last = np.sum(falling * count > excess, axis=-2, keepdims=True) - 1
    cut = np.take_along_axis(excess, last, axis=-2) / (last + 1)
    return soft_threshold(A, np.maximum(cut, 0.0))


def prox_column_norms(A, penalty, q):
    """The X that minimises ``||X - A||^2 / 2 + penalty * sum_j ||X_j||_q`` over matrices with columns ``X_j``.

    The operator of the l1/lq norm. With ``q=2`` or infinity whole columns become zero, which is what selects them;
    with ``q=1`` it is :func:`soft_threshold`.

    Parameters
    ----------
    A : array-like of shape (..., rows, columns)
        Leading axes count matrices, each treated alone.
    penalty : float
        Not negative.
    q : {1, 2, inf}
        Norm of a column.

    Returns
    -------
    X : ndarray of the shape of A

    Examples
    --------
    >>> from treatise.optimize import prox_column_norms
    >>> prox_column_norms([[3.0, 0.3], [4.0, 0.4]], 1.0, 2)
    array([[2.4, 0. ],
           [3.2, 0. ]])

    References
    ----------
    .. [1] Paper v15-0445, section 4.2.1, the operator T_q.
    """
    A = np.asarray(A, dtype=np.float64)
    if q == 1:
        return soft_threshold(A, penalty)
    if q == 2:
        length = np.sqrt(np.einsum("...ij,...ij->...j", A, A))[..., None, :]
        return A * np.maximum(1.0 - penalty / np.where(length > penalty, length, np.inf), 0.0) * (length > penalty)
    if q == np.inf:
        # Moreau: the operator of a norm is what the projection on the dual norm's ball leaves over.
        return A - project_columns_on_l1_ball(A, penalty)
    raise ValueError(f"q={q!r} is no norm of columns that can be treated here; choose 1, 2 or numpy.inf")
