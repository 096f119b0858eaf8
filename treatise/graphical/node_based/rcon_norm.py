"""The row-column overlap norm: how few whole nodes explain symmetric matrices."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.graphical.node_based._couplings import column_norms, transposed
from treatise.optimize import minimize_on_subspace, prox_column_norms


def rcon_norm(matrices, q=2, *, tol=1e-9, max_iter=20000):
    """Row-column overlap norm of one or several symmetric matrices.

    The least ``sum_j ||(V^1_j, ..., V^K_j)||_q`` over matrices V with ``T^k = V^k + (V^k)'``: column j is what node j
    contributes. It is small when all the non-zeros lie in a few rows and the same columns, unlike a plain sum of
    column norms, which charges both ends of every edge. With ``q=1`` it is half the sum of the absolute entries. Use it
    to judge by how many nodes two precision matrices differ; as a penalty it is part of
    :class:`NodePerturbationGraphs` and :class:`CoHubGraphs`. An iteration costs K p^2.

    Parameters
    ----------
    matrices : array-like of shape (p, p) or (K, p, p)
        Symmetric.
    q : {1, 2, inf}, default=2
        Norm of a column.
    tol : float, default=1e-9
        Relative residuals at which the splitting into columns stands.
    max_iter : int, default=20000
        Iterations at most.

    Returns
    -------
    norm : float
        From above: the value of a splitting that satisfies the equations.

    Examples
    --------
    A star costs what its centre costs, and no more:

    >>> import numpy as np
    >>> from treatise.graphical import rcon_norm
    >>> star = np.zeros((5, 5))
    >>> star[2, [0, 1, 3, 4]] = star[[0, 1, 3, 4], 2] = 1.0
    >>> round(rcon_norm(star), 6), round(float(np.linalg.norm(star, axis=0).sum()), 6)
    (2.0, 6.0)

    References
    ----------
    .. [1] Paper v15-0445, Definition 1.
    """
    T = np.asarray(matrices, dtype=np.float64)
    T = T[None] if T.ndim == 2 else T
    if T.ndim != 3 or T.shape[1] != T.shape[2]:
        raise ValueError(f"matrices must be square, one or several of one size; their shape is {np.shape(matrices)}")
    size = np.abs(T).max(initial=0.0)
    if not np.isfinite(size):
        raise ValueError("the matrices have an entry that is not finite")
    if np.abs(T - transposed(T)).max(initial=0.0) > 1e-10 * size:
        raise ValueError("the norm is defined for symmetric matrices; one of these is not")
    if q not in (1, 2, np.inf):
        raise ValueError(f"q={q!r} is no norm of columns that can be treated here; choose 1, 2 or numpy.inf")
    if q == 1:
        return float(np.abs(T).sum() / 2)
    if size == 0:
        return 0.0
    T, K = T / size, len(T)

    def stacked(V):
        return np.concatenate(list(V), axis=-2)

    def prox(V, rho):
        return np.stack(np.split(prox_column_norms(stacked(V), 1.0 / rho, q), K))

    def project(V):
        return V + (T - V - transposed(V)) / 2

    found = minimize_on_subspace(prox, project, T / 2, rho=1.0, tol=tol, max_iter=max_iter)
    if not found.converged:
        warnings.warn(
            f"the norm is an upper bound only: after max_iter={max_iter} iterations its residual is "
            f"{max(found.primal_residual, found.dual_residual):.1e}, above tol={tol:g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return float(size * column_norms(stacked(found.y), q).sum())
