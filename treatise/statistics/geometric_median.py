"""The point with the least sum of distances to the rows of a table (Weiszfeld's steps, with a duality gap)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from treatise.statistics.row_blocks import RowBlocks

# Distances below this share of the median one count as this: Weiszfeld's weights have no end at a row itself.
_FLOOR = 1e-10


def geometric_median(X, *, tol=1e-6, max_iter=1000):
    """Point with the least sum of distances to the rows: a centre that half of the rows cannot carry off.

    Use it to centre data with outlying rows before a method that takes the centre as given. It turns with the data,
    unlike the medians of the columns; it is not affinely equivariant, so columns of different units should be scaled
    before. One step costs O(n p); memory is X and one block.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    tol : float, default=1e-6
        The steps end when the sum of distances is at most this share above the least, as a dual bound proves.
    max_iter : int, default=1000
        Most steps; a ``ConvergenceWarning`` tells that they were too few.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import geometric_median
    >>> X = np.vstack([np.eye(3), -np.eye(3), [[100.0, 0.0, 0.0]]])
    >>> geometric_median(X).round(2) + 0.0
    array([0.26, 0.  , 0.  ])

    References
    ----------
    .. [1] Paper v15-0749, Equation (1).
    """
    X = check_array(X, dtype=np.float64)
    center, excess = median_of_rows(X, tol=tol, max_iter=max_iter)
    if excess > tol:
        warnings.warn(
            f"after max_iter={max_iter} steps the sum of distances may be a share of {excess:.1e} above the least, "
            f"more than tol={tol:g}; raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    return center


def median_of_rows(X: np.ndarray, *, tol: float, max_iter: int) -> tuple[np.ndarray, float]:
    """The geometric median and the share by which its sum of distances may exceed the least.

    The dual problem is to maximise ``sum u_i . x_i`` over vectors of length at most one whose sum is zero. At the
    weighted mean of a step, the weighted differences sum to zero; divided by the longest of them they are feasible.
    """
    center = X.mean(axis=0)
    distances = RowBlocks(X, center).norms()
    unit = np.median(distances) or distances.max()
    if unit == 0.0:
        return center, 0.0
    lower, excess = 0.0, np.inf
    for _ in range(max_iter):
        weights = 1.0 / np.maximum(distances, _FLOOR * unit)
        center = weights @ X / weights.sum()
        distances = RowBlocks(X, center).norms()
        stretch = max(float((weights * distances).max()), 1.0)
        lower = max(lower, float(weights @ distances**2) / stretch)
        excess = float(distances.sum()) / lower - 1.0 if lower > 0.0 else np.inf
        if excess <= tol:
            break
    return center, excess
