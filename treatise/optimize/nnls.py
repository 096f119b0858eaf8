"""Non-negative least squares for many right-hand sides at once."""

import contextlib
import warnings

import numpy as np
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from treatise._core.threads import over_ranges
from treatise.optimize._nnls_loops import BLOCK, descend_columns, pivot_columns

_OPTIMAL = 1e-6
"""Share of the largest right-hand side that a slope may miss optimality by."""


def nonnegative_least_squares(gram, cross, *, max_iter=1000):
    """Minimise ``|a z - b|**2`` over non-negative ``z``, for every column b, given ``a.T a`` and ``a.T b``.

    A few sweeps of coordinate descent find the support of every column, and block principal pivoting makes the
    solution exact; both are compiled, and large batches are shared out over threads. Meant for many columns and
    up to a few hundred coordinates; for one problem with an ill-conditioned ``a`` take
    :func:`scipy.optimize.nnls`, which never forms ``a.T a``. Costs O(m^2 + k^3) per column with m coordinates
    of which k are positive.

    Parameters
    ----------
    gram : array-like of shape (n_coordinates, n_coordinates)
        ``a.T a``.
    cross : array-like of shape (n_coordinates, n_columns)
        ``a.T b``, one column per problem.
    max_iter : int, default=1000
        Most sweeps over a column for which ``gram`` is singular; its solution is not unique, and the one given back
        is where the sweeps from zero end. A column that they do not bring there goes to SciPy's active sets.

    Returns
    -------
    ndarray of shape (n_coordinates, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import nonnegative_least_squares
    >>> a, b = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0], [-2.0]])
    >>> nonnegative_least_squares(a.T @ a, a.T @ b)
    array([[1.],
           [0.]])
    """
    gram = check_array(gram, dtype=np.float64, order="C", input_name="gram")
    cross = check_array(cross, dtype=np.float64, order="C", input_name="cross")
    if gram.shape != (len(cross), len(cross)):
        raise ValueError(
            f"gram has the shape {gram.shape}; cross has {len(cross)} rows, so it must be {(len(cross), len(cross))}"
        )
    solution = np.zeros_like(cross)
    descend(solution, gram, cross, tol=0.1, max_iter=10)
    solved = np.zeros(cross.shape[1], bool)
    over_ranges(
        lambda first, last: pivot_columns(solution, gram, cross, solved, first, last),
        cross.shape[1],
        cost=2.0 * len(gram) * cross.size,
    )
    if not solved.all():
        rest, its_cross = solution[:, ~solved], cross[:, ~solved]
        descend(rest, gram, its_cross, tol=1e-10, max_iter=max_iter)
        _finish_by_active_sets(rest, gram, its_cross)
        solution[:, ~solved] = rest
        _warn_unless_optimal(rest, gram, its_cross)
    return solution


def nonnegative_kkt_residual(gram, cross, solution):
    """How far solutions of non-negative least squares are from the optimum: a certificate for any solver's.

    At the optimum no solution is negative, the slope of half the squared error is zero where a coordinate is positive
    and not negative where it is zero. Zero, up to rounding, says that the column is solved, whichever of several
    solutions it is.

    Parameters
    ----------
    gram : array-like of shape (n_coordinates, n_coordinates)
        ``a.T a``.
    cross : array-like of shape (n_coordinates, n_columns)
        ``a.T b``.
    solution : array-like of shape (n_coordinates, n_columns)
        What is to be certified.

    Returns
    -------
    ndarray of shape (n_columns,)
        Largest violation of each column, as a share of its largest entry of ``cross``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import nonnegative_kkt_residual
    >>> gram, cross = np.array([[1.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [-1.0]])
    >>> nonnegative_kkt_residual(gram, cross, [[1.0], [0.0]]), nonnegative_kkt_residual(gram, cross, [[0.5], [0.0]])
    (array([0.]), array([0.5]))
    """
    gram, cross, solution = (np.asarray(values, dtype=np.float64) for values in (gram, cross, solution))
    slopes = gram @ solution - cross
    missed = np.abs(np.where(solution > 0.0, slopes, np.minimum(slopes, 0.0)))
    below = np.maximum(-solution, 0.0) * np.diag(gram)[:, np.newaxis]  # in the unit of a slope
    largest = np.abs(cross).max(axis=0, initial=0.0)
    return np.maximum(missed, below).max(axis=0, initial=0.0) / np.where(largest > 0.0, largest, 1.0)


def _finish_by_active_sets(solution, gram, cross):
    """Solve those columns, in place, that slow descent left short of the optimum, from a square root of ``gram``."""
    slow = np.flatnonzero(nonnegative_kkt_residual(gram, cross, solution) > _OPTIMAL)
    if not len(slow):
        return
    sizes, directions = np.linalg.eigh(gram)
    kept = sizes > len(gram) * np.finfo(np.float64).eps * sizes[-1]
    roots = np.sqrt(sizes[kept])
    root, sides = roots[:, np.newaxis] * directions[:, kept].T, directions[:, kept].T @ cross[:, slow]
    for column, side in zip(slow, sides.T / roots):
        with contextlib.suppress(RuntimeError):  # cycles, and leaves the column as it is
            solution[:, column] = nnls(root, side)[0]


def _warn_unless_optimal(solution, gram, cross):
    missed = nonnegative_kkt_residual(gram, cross, solution)
    if missed.max(initial=0.0) > _OPTIMAL:
        warnings.warn(
            f"{np.count_nonzero(missed > _OPTIMAL)} columns of non-negative least squares miss optimality by up to "
            f"{missed.max():.2g} of the largest right-hand side: the Gram matrix is singular, and neither descent nor "
            "active sets end; leave out columns that follow from others",
            ConvergenceWarning,
            stacklevel=3,
        )


def descend(solution, gram, cross, *, tol, max_iter):
    """Coordinate descent over the columns of C-ordered ``solution`` in place, unchecked, from where it stands.

    Parameters
    ----------
    solution, gram, cross : ndarray
        As in :func:`nonnegative_least_squares`.
    tol : float
        A block of columns is done when a sweep moves it by less than this share of what the first sweep did.
    max_iter : int
        Most sweeps.
    """
    blocks = -(-solution.shape[1] // BLOCK)
    over_ranges(
        lambda first, last: descend_columns(solution, gram, cross, first, last, tol, max_iter),
        blocks,
        # A multiplication takes a fifth of a nanosecond; a handful of sweeps are usual.
        cost=2.0 * len(gram) * solution.size,
    )
