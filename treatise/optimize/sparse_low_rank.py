"""The nearest matrix that is both sparse and of low rank."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from treatise.optimize.penalties import L1Penalty, NonnegativeL1Penalty, NuclearPenalty

# Price of the distance between the two copies, on the scale of the distance to Y; from 2 to 100 were tried.
RHO = 30.0


class SparseLowRank(NamedTuple):
    """A sparse matrix of low rank near a given one."""

    matrix: np.ndarray
    """The matrix: exactly sparse; its smallest singular values are zero up to the gap."""
    objective: float
    """What is minimised, at the matrix."""
    gap: float
    """How much the objective is at most above the least."""
    converged: bool
    """Whether the gap is as small as asked for."""
    n_iter: int
    """Steps."""


def denoise_sparse_low_rank(Y, tau, gamma, *, nonnegative=False, tol=1e-8, max_iter=5000):
    """Minimise ``||X - Y||^2 + tau * (sum of singular values of X) + gamma * sum |X|``.

    Use it where a matrix of links or ratings is made of few overlapping groups and most entries are noise. Each penalty
    alone has a closed form, :func:`soft_threshold` and :func:`singular_value_threshold`; both need a splitting: one
    decomposition for each of some hundred steps. It ends with a duality gap. Applying the two operators in turn, as is
    often done, ends elsewhere.

    Parameters
    ----------
    Y : array-like of shape (rows, columns)
        The matrix.
    tau, gamma : float
        Prices of singular values and of entries; not negative.
    nonnegative : bool, default=False
        Whether entries of X must not be negative.
    tol : float, default=1e-8
        Gap at which it ends, as a share of ``||Y||^2``.
    max_iter : int, default=5000
        Most steps; a warning tells where they do not suffice.

    Returns
    -------
    SparseLowRank
        ``matrix``, ``objective``, ``gap``, ``converged`` and ``n_iter``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import denoise_sparse_low_rank
    >>> block = np.zeros((6, 6))
    >>> block[:3, :3] = 5.0
    >>> noisy = block + 0.2 * np.random.default_rng(0).normal(size=(6, 6))
    >>> found = denoise_sparse_low_rank(noisy, 1.0, 1.0)
    >>> np.linalg.matrix_rank(found.matrix, tol=1e-3), bool(np.all((found.matrix != 0) == (block != 0)))
    (np.int64(1), True)

    References
    ----------
    .. [1] Paper v15-0565, Section 5.1, the static estimate; the splitting is our own choice.
    """
    Y = check_array(Y, dtype=np.float64, input_name="Y")
    if not (tau >= 0 and gamma >= 0 and np.isfinite([tau, gamma]).all()):
        raise ValueError(f"tau={tau} and gamma={gamma} must be finite and not negative")
    entries = NonnegativeL1Penalty(gamma) if nonnegative else L1Penalty(gamma)
    values = NuclearPenalty(tau)
    total = float(np.sum(Y**2)) or 1.0
    X = entries.prox(Y, 2.0)
    low, dual = X, np.zeros_like(Y)
    objective, gap = np.inf, np.inf
    for step in range(1, max_iter + 1):
        # Alternating directions: X with the distance and the entries' price, its copy with the singular values'.
        X = entries.prox((2.0 * Y + RHO * (low - dual)) / (2.0 + RHO), 2.0 + RHO)
        ahead = 1.6 * X - 0.6 * low
        low = values.prox(ahead + dual, RHO)
        dual = dual + ahead - low
        if step % 10 == 0 or step == max_iter:
            objective = float(np.sum((X - Y) ** 2)) + entries.value(X) + values.value(X)
            gap = objective - _dual_value(Y, RHO * dual, entries, nonnegative)
            if gap <= tol * total:
                break
    converged = bool(gap <= tol * total)
    if not converged:
        warnings.warn(
            f"the gap is {gap:.3g} after max_iter={max_iter} steps, above tol={tol:g} of the squares of Y",
            ConvergenceWarning,
            stacklevel=2,
        )
    return SparseLowRank(X, objective, float(gap), converged, step)


def _dual_value(Y, slopes, entries, nonnegative):
    """The bound of slopes of the singular values' price, which the splitting keeps within that price's ball.

    For any such slopes Z, no X has less than the least of ``||X - Y||^2 + <Z, X> + (price of entries)``.
    """
    X = entries.prox(Y - slopes / 2.0, 2.0)
    return float(np.sum((X - Y) ** 2) + np.sum(slopes * X)) + entries.value(X)
