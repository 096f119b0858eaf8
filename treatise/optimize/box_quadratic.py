"""A convex quadratic within bounds on each coordinate."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning


def minimize_box_quadratic(hessian, gradient, lower, upper, *, tol=1e-10, max_iter=1000):
    """Minimise ``x @ hessian @ x / 2 + gradient @ x`` subject to ``lower <= x <= upper``.

    Each iteration sweeps the coordinates once and then tries Newton's step on those that are free, which ends the
    work as soon as the sweeps have found which bounds hold with equality. Meant for one dense problem of up to a few
    hundred coordinates; for many right-hand sides with ``x >= 0`` see :func:`nonnegative_least_squares`. An
    iteration costs O(d^3).

    Parameters
    ----------
    hessian : ndarray of shape (d, d)
        Symmetric, positive semi-definite, with a positive diagonal.
    gradient : ndarray of shape (d,)
        Linear part.
    lower, upper : ndarray of shape (d,)
        Bounds, infinite where there are none.
    tol : float, default=1e-10
        Largest entry of the projected gradient at the end, as a share of the largest entry of ``gradient``.
    max_iter : int, default=1000
        Most iterations.

    Returns
    -------
    x : ndarray of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import minimize_box_quadratic
    >>> minimize_box_quadratic(np.eye(2), np.array([1.0, -1.0]), np.zeros(2), np.array([2.0, 0.5]))
    array([0. , 0.5])
    """
    if np.any(lower > upper):
        worst = int(np.argmax(lower - upper))
        raise ValueError(f"lower={lower[worst]:g} exceeds upper={upper[worst]:g} at coordinate {worst}")
    if np.any(np.diagonal(hessian) <= 0.0):
        raise ValueError("the diagonal of hessian must be positive; a coordinate without curvature has no minimum")
    x = np.clip(np.zeros(len(gradient)), lower, upper)
    scale = tol * max(np.abs(gradient).max(), np.finfo(float).tiny)
    for _ in range(max_iter):
        _sweep(hessian, gradient, lower, upper, x)
        slope = hessian @ x + gradient
        free = ~(((x <= lower) & (slope > 0.0)) | ((x >= upper) & (slope < 0.0)))
        if not free.any() or np.abs(slope[free]).max() <= scale:
            break
        moved = x.copy()
        newton = np.linalg.lstsq(hessian[np.ix_(free, free)], slope[free], rcond=None)[0]
        moved[free] -= newton
        moved = np.clip(moved, lower, upper)
        step = moved - x
        if slope @ step + 0.5 * step @ hessian @ step < 0.0:
            x = moved
    else:
        warnings.warn(
            f"a slope of {np.abs(slope[free]).max():.2g} is left after max_iter={max_iter} sweeps, where {scale:.2g} "
            "was asked for; raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=2,
        )
    return x


def _sweep(hessian, gradient, lower, upper, x):
    for i in range(len(x)):
        x[i] = min(max(x[i] - (hessian[i] @ x + gradient[i]) / hessian[i, i], lower[i]), upper[i])
