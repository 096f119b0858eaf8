"""Projections on simplices: many short vectors, one after another, each with a given or a largest sum."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


def project_capped_simplex(values, cap, *, starts=None):
    """Closest vectors without negative entries whose sum is at most ``cap``.

    Negative entries become zero; where the rest still sums to more than ``cap``, all are lowered alike and those that
    would fall below zero stay there (Michelot). Costs O(n), in a few passes.

    Parameters
    ----------
    values : array-like of shape (n,)
        One vector, or several one after another.
    cap : float
        Largest sum of each vector, not negative.
    starts : array-like of int of shape (n_vectors + 1,) or None, default=None
        Where each vector begins, and where the last one ends; None takes all values as one vector.

    Returns
    -------
    projected : ndarray of shape (n,)

    Examples
    --------
    >>> from treatise.optimize import project_capped_simplex
    >>> project_capped_simplex([0.5, -1.0, 0.2], 1.0)
    array([0.5, 0. , 0.2])
    >>> project_capped_simplex([2.0, 1.5, 0.2], 1.0)
    array([0.75, 0.25, 0.  ])

    References
    ----------
    .. [1] Michelot, Journal of Optimization Theory and Applications 50:195, 1986; paper v12-0455, section 4.3.
    """
    projected = np.array(values, np.float64)
    if projected.ndim != 1 or not np.isfinite(projected).all():
        raise ValueError(f"values must be finite numbers in one dimension; their shape is {projected.shape}")
    if not (cap >= 0 and np.isfinite(cap)):
        raise ValueError(f"cap={cap!r} must be a finite number, not negative")
    starts = np.array([0, len(projected)]) if starts is None else np.ascontiguousarray(starts, np.int64)
    if (
        starts.ndim != 1
        or len(starts) < 1
        or starts[0] != 0
        or starts[-1] != len(projected)
        or (np.diff(starts) < 0).any()
    ):
        raise ValueError(f"starts must rise from 0 to the {len(projected)} values; they are {starts!r}")
    project_capped_simplices(starts, projected, float(cap))
    return projected


@compiled_step
def _lower(values, low, high, total):
    """Lower a part of the values alike until what is left above zero sums to ``total``.

    What is taken from all entries is found by dropping, again and again, the entries that would not stay positive;
    compiling a sort would cost more than it saves for so few.
    """
    threshold, count = -np.inf, high - low + 1
    while True:
        above, kept = 0.0, 0
        for k in range(low, high):
            if values[k] > threshold:
                above += values[k]
                kept += 1
        # Fewer each time: a value at the threshold, dropped and taken up again by rounding, would else go on for ever.
        if kept == 0 or kept >= count:
            break
        count, threshold = kept, (above - total) / kept
    for k in range(low, high):
        values[k] = max(values[k] - threshold, 0.0)


@compiled
def project_simplices(starts, values):
    """Move each part of ``values`` to the nearest point of the simplex."""
    for s in range(len(starts) - 1):
        _lower(values, starts[s], starts[s + 1], 1.0)


@compiled
def project_capped_simplices(starts, values, cap):
    """Move each part of ``values`` to the nearest point without negative entries and with a sum of at most ``cap``."""
    for s in range(len(starts) - 1):
        total = 0.0
        for k in range(starts[s], starts[s + 1]):
            values[k] = max(values[k], 0.0)
            total += values[k]
        if total > cap:
            _lower(values, starts[s], starts[s + 1], cap)
