"""Hoyer's sparseness of a vector, and the projection that gives a vector any sparseness (JMLR 5:1457)."""

import numpy as np
from sklearn.utils import check_array

from treatise._core.threads import over_ranges
from treatise.optimize._projection_loops import project_rows

# Of one entry in one projection, over all passes; decides only when threads pay.
_NANOSECONDS_PER_ENTRY = 4.0


def hoyer_sparseness(X, axis=None):
    """How much of a vector sits in few of its entries: 0 when all are equal in size, 1 when one is not zero.

    The measure of section 3.1, ``(sqrt(n) - L1/L2) / (sqrt(n) - 1)``. It does not change with the scale or
    the signs of the vector, and unlike a count of zeros it sees small entries as nearly zero. Do not use it to
    compare vectors of very different length: n entries of which m are equal and the rest zero have a value that
    falls with m/n only roughly. Costs O(n).

    Parameters
    ----------
    X : array-like
        Numbers of either sign.
    axis : int or None, default=None
        The axis along which a vector runs; None takes all of X as one vector.

    Returns
    -------
    float or ndarray
        One value per vector, between 0 and 1. A vector of zeros and a vector of one entry count as having
        all entries equal: 0.

    Examples
    --------
    >>> from treatise.optimize import hoyer_sparseness
    >>> hoyer_sparseness([[1, 1, 1, 1], [3, 1, 0, 0], [0, 0, 7, 0]], axis=1).round(3)
    array([0.   , 0.735, 1.   ])

    References
    ----------
    .. [1] Paper v05-1457, section 3.1.
    """
    X = np.asarray(X, dtype=float)
    size = X.size if axis is None else X.shape[axis]
    l1, l2 = np.abs(X).sum(axis=axis), np.sqrt((X * X).sum(axis=axis))
    if size < 2:
        return np.zeros_like(l2)[()]
    ratio = np.divide(l1, l2, out=np.full_like(l2, np.sqrt(size)), where=l2 > 0)
    # Rounding may step over the ends of the range.
    return np.clip((np.sqrt(size) - ratio) / (np.sqrt(size) - 1), 0.0, 1.0)


def project_l1_l2(X, l1, l2, *, nonnegative=True, axis=-1, return_n_iter=False):
    """Closest vectors, in Euclidean distance, that have the given L1 and L2 norms.

    Each vector is treated alone, exactly, in compiled code; large batches are shared out over threads. Use it
    to give weights a chosen sparseness while training; when the norms follow from a sparseness,
    :func:`project_sparseness` is shorter. The set is not convex: where several points are equally close (equal
    entries compete for the peak) the entry that comes first wins.

    A pass costs O(n) and drops entries that end at zero; about ten passes are enough for ten thousand entries.

    Parameters
    ----------
    X : array-like
        The vectors, of at least one dimension. It is not changed.
    l1, l2 : float or array-like
        The norms, one for all vectors or one for each (the shape of X without ``axis``). Each must satisfy
        ``l2 <= l1 <= sqrt(n) * l2``, else no such vector exists.
    nonnegative : bool, default=True
        Ask for non-negative vectors. False keeps the sign of every entry.
    axis : int, default=-1
        The axis along which a vector runs.
    return_n_iter : bool, default=False
        Also return the number of passes that each vector took.

    Returns
    -------
    projected : ndarray
        Of the shape of X, in double precision.
    n_iter : ndarray of int
        Passes per vector; only with ``return_n_iter``.

    Examples
    --------
    >>> from treatise.optimize import project_l1_l2
    >>> project_l1_l2([3.0, 1.0, 0.5, 0.2], 1.5, 1.0).round(4)
    array([0.9278, 0.322 , 0.1705, 0.0796])

    References
    ----------
    .. [1] Paper v05-1457, section 3.3, the projection operator.
    """
    vectors, restore = _as_rows(X, axis)
    norms = [_per_vector(value, name, vectors, restore) for name, value in (("l1", l1), ("l2", l2))]
    _require_feasible(*norms, vectors.shape[1])
    return _project(vectors, *norms, nonnegative, restore, return_n_iter)


def project_sparseness(X, sparseness, *, l2=None, nonnegative=True, axis=-1):
    """Closest vectors that have a given Hoyer sparseness at a given length.

    Parameters
    ----------
    X : array-like
        The vectors. It is not changed.
    sparseness : float
        The value of :func:`hoyer_sparseness` to give to every vector, from 0 (all entries equal in size) to
        1 (one entry left).
    l2 : float, array-like or None, default=None
        The L2 norms of the result; None keeps those of X.
    nonnegative, axis
        As in :func:`project_l1_l2`.

    Returns
    -------
    ndarray
        Of the shape of X, in double precision.

    Examples
    --------
    >>> from treatise.optimize import hoyer_sparseness, project_sparseness
    >>> weights = project_sparseness([3.0, -1.0, 0.5, 0.2], 0.8, nonnegative=False)
    >>> weights.round(3)
    array([ 3.138, -0.665,  0.047,  0.   ])
    >>> round(float(hoyer_sparseness(weights)), 6)
    0.8

    References
    ----------
    .. [1] Paper v05-1457, sections 3.1 and 3.3.
    """
    vectors, restore = _as_rows(X, axis)
    if l2 is None:
        l2 = np.linalg.norm(vectors, axis=1)
    else:
        l2 = _per_vector(l2, "l2", vectors, restore)
    l1 = l2 * l1_of_unit_vector(vectors.shape[1], sparseness)
    return _project(vectors, l1, l2, nonnegative, restore, False)


def l1_of_unit_vector(size, sparseness):
    """L1 norm of a vector of ``size`` entries with L2 norm one and the given Hoyer sparseness.

    Parameters
    ----------
    size : int
        Number of entries; at least 2, as a single entry has no sparseness.
    sparseness : float
        From 0 to 1.

    Returns
    -------
    float
        Between ``sqrt(size)`` (sparseness 0) and 1 (sparseness 1).

    Examples
    --------
    >>> from treatise.optimize import l1_of_unit_vector
    >>> l1_of_unit_vector(4, 0.5)
    1.5
    """
    if not 0 <= sparseness <= 1:
        raise ValueError(f"sparseness={sparseness!r} lies outside the range from 0 (all equal) to 1 (one entry left)")
    if size < 2:
        raise ValueError(f"vectors of {size} entry have no sparseness to choose; at least 2 entries are needed")
    return float(np.sqrt(size) - (np.sqrt(size) - 1) * sparseness)


def _as_rows(X, axis):
    """X as rows of one table (a copy), and what turns such rows, or one value per row, back."""
    X = np.asarray(X, dtype=float)
    if X.ndim == 0 or X.size == 0:
        raise ValueError(f"X has the shape {X.shape}; a projection needs vectors of at least one entry")
    moved = np.moveaxis(X, axis, -1)
    rows = np.array(moved.reshape(-1, moved.shape[-1]), order="C")
    check_array(rows, input_name="X")

    def restore(result):
        if result.ndim == 2:
            return np.moveaxis(result.reshape(moved.shape), -1, axis)
        return result.reshape(moved.shape[:-1])[()]

    return rows, restore


def _per_vector(value, name, vectors, restore):
    """One norm per row, broadcast from what the caller gave."""
    norms = np.empty(np.shape(restore(np.empty(len(vectors)))))
    try:
        norms[...] = value
    except ValueError:
        raise ValueError(
            f"{name} has the shape {np.shape(value)}; one norm per vector would be {norms.shape}"
        ) from None
    return norms.reshape(-1)


def _require_feasible(l1, l2, size):
    # The bounds may be missed by the rounding of the caller's own square root.
    slack = 1e-12 * l1
    impossible = ~((l2 >= 0) & (l2 <= l1 + slack) & (l1 <= np.sqrt(size) * l2 + slack) & np.isfinite(l1))
    if impossible.any():
        i = int(impossible.argmax())
        raise ValueError(
            f"no vector of {size} entries has l1={l1[i]:g} and l2={l2[i]:g}; "
            f"l1 must lie between l2 and sqrt(n) * l2, here {l2[i]:g} to {np.sqrt(size) * l2[i]:g}"
        )


def _project(vectors, l1, l2, nonnegative, restore, return_n_iter):
    signs = None if nonnegative else np.where(vectors < 0, -1.0, 1.0)
    projected = vectors if nonnegative else np.abs(vectors)
    n_iter = project_in_place(projected, l1, l2)
    if signs is not None:
        projected *= signs
    return (restore(projected), restore(n_iter)) if return_n_iter else restore(projected)


def project_in_place(rows, l1, l2):
    """Project the rows of a C-ordered table, unchecked, and return the passes of each."""
    passes = np.empty(len(rows), np.int64)
    over_ranges(
        lambda first, last: project_rows(rows, l1, l2, passes, first, last),
        len(rows),
        cost=_NANOSECONDS_PER_ENTRY * rows.size,
    )
    return passes
