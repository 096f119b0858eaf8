"""M-estimators of scatter: covariances in which far rows count less (Tyler, Student, Kent & Tyler's powers)."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from treatise.statistics.row_blocks import RowBlocks

# A scatter that has shrunk by this in some direction is that of a subspace, as far as rounding errors can tell.
_SINGULAR = 1e-13


def scatter_m_estimate(X, weight="tyler", *, shape=None, center=None, tol=1e-8, max_iter=2000):
    """Scatter matrix ``V = mean of u(d_i) x_i x_i'`` with ``d_i = x_i' V^-1 x_i`` and a falling weight u.

    Use it as a covariance that heavy tails and a moderate share of outlying rows do not carry off, affinely
    equivariant, without a tuning constant for Tyler's. Do not use it where more than one in ``n_features`` of the rows
    may be outliers far apart, and not with fewer rows than columns. One step costs O(n p^2); memory is X and one
    block.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    weight : {"tyler", "student", "power"}, default="tyler"
        ``p / d``, whose scatter has trace one since its size is not determined; ``(p + shape) / (shape + d)``, the
        likelihood of Student's distribution; or ``d ** -shape``, the common M-estimator of Kent & Tyler.
    shape : float or None, default=None
        Degrees of freedom of ``"student"`` (None is 1, Cauchy's), exponent of ``"power"`` (None is 0.9).
    center : array-like of shape (n_features,) or None, default=None
        Subtracted from each row; None takes X as it is. :func:`geometric_median` is a robust choice.
    tol : float, default=1e-8
        The steps end when the equation holds to this, relative to V: largest entry of the difference after V is
        made the identity.
    max_iter : int, default=2000
        Most steps; a ``ConvergenceWarning`` tells that they were too few.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Notes
    -----
    Where too many rows lie in a subspace (for Tyler's, more than the share ``dimension / n_features``) the equation has
    no solution of full rank. The steps then approach the scatter of that subspace, and end when the rest is lost in
    rounding errors: the leading eigenvectors span the subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import scatter_m_estimate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_cauchy((500, 1)) * (rng.normal(size=(500, 2)) * [3.0, 1.0])
    >>> scatter_m_estimate(X).round(1) + 0.0
    array([[0.9, 0. ],
           [0. , 0.1]])

    References
    ----------
    .. [1] Paper v15-0749, Section 3.1 (Equation 28), Section 3.2 (Equation 29) and Section 6.6.
    """
    X = check_array(X, dtype=np.float64)
    n, p = X.shape
    if n < p:
        raise ValueError(f"X has {n} rows for {p} columns; a scatter needs at least as many rows as columns")
    if center is not None and np.shape(center) != (p,):
        raise ValueError(f"center has shape {np.shape(center)}; give one number for each of the {p} columns")
    rule = _rule(weight, shape, p)
    rows = RowBlocks(X, None if center is None else np.asarray(center, dtype=np.float64))
    found, residual = _fixed_point(rows, rule, weight == "tyler", tol, max_iter)
    if residual > tol:
        warnings.warn(
            f"after max_iter={max_iter} steps the scatter's equation holds to {residual:.1e} and not to tol={tol:g}; "
            "raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found / np.trace(found) if weight == "tyler" else found


def _rule(weight: str, shape: float | None, p: int) -> Callable[[np.ndarray], np.ndarray]:
    """The weight as a function of the squared distance, which is above zero."""
    if shape is not None and not shape > 0:
        raise ValueError(f"shape={shape} must be above 0")
    if weight == "tyler":
        return lambda d: p / d
    if weight == "student":
        freedom = 1.0 if shape is None else float(shape)
        return lambda d: (p + freedom) / (freedom + d)
    if weight == "power":
        exponent = 0.9 if shape is None else float(shape)
        if exponent >= 1:
            raise ValueError(f"shape={shape} must be below 1: from there on far rows would count less than nothing")
        return lambda d: d**-exponent
    raise ValueError(f"weight={weight!r} must be 'tyler', 'student' or 'power'")


def _fixed_point(rows: RowBlocks, rule, sizeless: bool, tol: float, max_iter: int) -> tuple[np.ndarray, float]:
    """Kent & Tyler's steps, in the coordinates in which the present scatter is the identity."""
    n, p = rows.shape
    scatter = rows.gram() / n
    residual, start = np.inf, None
    for _ in range(max_iter):
        try:
            factor = cholesky(scatter, lower=True)
        except np.linalg.LinAlgError:
            if start is not None:
                return scatter, 0.0
            raise ValueError(
                f"the rows of X span fewer than its {p} columns; remove what follows from others"
            ) from None
        # Relative to where they began: columns of very different units are no subspace.
        sizes = np.diag(factor)
        start = sizes if start is None else start
        if (sizes / start).min() < _SINGULAR * (sizes / start).max():
            return scatter, 0.0
        # solve_triangular gives the inverse of the factor once; blocks are then plain products.
        whiten = solve_triangular(factor, np.eye(p), lower=True).T
        gram = np.zeros((p, p))
        for _, block in rows:
            block = block @ whiten
            distances = np.einsum("ij,ij->i", block, block)
            weights = np.where(distances > 0.0, rule(np.maximum(distances, 1e-300)), 0.0)
            block *= np.sqrt(weights)[:, np.newaxis]
            gram += block.T @ block
        gram /= n
        if sizeless:
            gram *= p / np.trace(gram)
        residual = float(np.abs(gram - np.eye(p)).max())
        scatter = factor @ gram @ factor.T
        scatter = (scatter + scatter.T) / 2
        if residual <= tol:
            break
    return scatter, residual
