"""Joint graphical lasso with a penalty on nodes: block by block, by two-block alternating directions."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from treatise.graphical.node_based._couplings import column_norms, dual_norm, transposed
from treatise.optimize import logdet_prox, minimize_on_subspace, soft_threshold

_ONE_THREAD_BELOW = 400
"""Variables of a block below which threads of the linear algebra cost more than they save."""
_MILDER = 0.9
_STIFFNESS = 30.0
"""First weight of the quadratic term over the curvature of the diagonals alone: most entries lie off them, and are far
smaller. Over eighteen problems of 30 to 100 variables it takes two thirds of the iterations that a weight of one takes.
"""
_RELAXATION = 1.8


@dataclass(frozen=True)
class Continuation:
    """Where an alternation ended, to start a neighbouring problem from: one rho per variable's block."""

    y: np.ndarray
    dual: np.ndarray
    rho: np.ndarray


@dataclass(frozen=True)
class JointGraphs:
    """Precision matrices of several conditions, with a certificate.

    ``gap`` bounds how far ``objective`` is above the minimum; it is infinite where no dual point was found.
    """

    precision: np.ndarray
    V: np.ndarray
    objective: float
    gap: float
    primal_residual: float
    dual_residual: float
    blocks: np.ndarray
    n_iter: int
    converged: bool
    state: Continuation


def joint_graph_blocks(covariances, sizes, lam1):
    """Which variables can be solved apart from the rest, from the covariances alone.

    Two variables are in one block if a chain of pairs with ``n_k |S^k_ij| > lam1`` in some condition joins them. The
    condition is sufficient, so each block is a problem of its own for both penalties on nodes, and for any other
    penalty that does not grow when the entries between blocks are set to zero. Costs K p^2.

    Parameters
    ----------
    covariances : array-like of shape (K, p, p)
        One matrix per condition.
    sizes : array-like of shape (K,)
        Rows behind each.
    lam1 : float
        Penalty of the edges.

    Returns
    -------
    labels : ndarray of shape (p,)
        Number of the block of every variable.

    Examples
    --------
    >>> from treatise.graphical import joint_graph_blocks
    >>> S = [[[1, 0.5, 0.1], [0.5, 1, 0], [0.1, 0, 1]], [[1, 0, 0.2], [0, 1, 0], [0.2, 0, 1]]]
    >>> joint_graph_blocks(S, [10, 10], 3.0)
    array([0, 0, 1], dtype=int32)

    References
    ----------
    .. [1] Paper v15-0445, section 5, Theorems 6, 9 and 10.
    """
    strength = np.abs(np.asarray(covariances, dtype=np.float64)) * np.reshape(np.asarray(sizes, float), (-1, 1, 1))
    return connected_components(csr_array((strength > lam1).any(axis=0)), directed=False)[1]


def solve_joint_graphs(S, n, lam1, lam2, coupling, *, q=2, screen=True, tol=1e-6, max_iter=5000, start=None):
    """Minimise ``sum_k n_k (tr(S^k T^k) - log det T^k) + lam1 sum |T^k| + lam2 coupling(T^1, ..., T^K)``.

    Parameters
    ----------
    S : ndarray of shape (K, p, p)
        Covariances, checked.
    n : ndarray of shape (K,)
        Sizes.
    lam1, lam2 : float
        Penalties.
    coupling : PairDifferences or SharedColumns
        The penalty on nodes.
    q : {1, 2, inf}
        Its norm.
    screen : bool
        Whether to solve block by block.
    tol, max_iter : float, int
        For the relative residuals of each block, and its iterations.
    start : Continuation or None
        Of a neighbouring problem.

    Returns
    -------
    solution : JointGraphs
    """
    K, p = len(S), S.shape[-1]
    labels = joint_graph_blocks(S, n, lam1) if screen else np.zeros(p, dtype=np.int32)
    problem = _Problem(n, lam1, lam2, coupling, q, tol, max_iter)
    copies = 2 * K + coupling.n_parts
    y, dual = np.zeros((copies, p, p)), np.zeros((copies, p, p))
    rho = np.ones(p)
    precision, V = np.zeros((K, p, p)), np.zeros((coupling.n_parts, p, p))
    objective, gap, residuals, n_iter, converged = 0.0, 0.0, np.zeros(2), 0, True
    block_sizes = np.bincount(labels)
    # Variables that stand alone are matrices of size one, all solved side by side.
    alone = np.flatnonzero(block_sizes[labels] == 1)
    groups = [alone[:, None]] if alone.size else []
    groups += [np.flatnonzero(labels == block)[None, :] for block in np.flatnonzero(block_sizes > 1)]
    for members in groups:
        inside = (slice(None), members[:, :, None], members[:, None, :])
        first = None if start is None else (start.y[inside], start.dual[inside], float(start.rho[members[0, 0]]))
        found, block_precision = problem.solve(S[inside], first)
        y[inside], dual[inside], rho[members] = found.y, found.dual, found.rho
        precision[inside], V[inside] = block_precision, found.x[2 * K :]
        value, bound = problem.certificate(S[inside], block_precision, found)
        objective, gap = objective + value, gap + value - bound
        residuals = np.maximum(residuals, [found.primal_residual, found.dual_residual])
        n_iter, converged = max(n_iter, found.n_iter), converged and found.converged
    return JointGraphs(
        precision, V, float(objective), float(gap), *residuals.tolist(), labels, n_iter, converged,
        Continuation(y, dual, rho),
    )  # fmt: skip


@dataclass(frozen=True)
class _Problem:
    """One block, or several of equal size: arrays are (copies, blocks, size, size)."""

    n: np.ndarray
    lam1: float
    lam2: float
    coupling: object
    q: float
    tol: float
    max_iter: int

    def solve(self, S, first):
        """The alternation's end, and precision matrices with exact zeros."""
        K, n = len(S), self.n.reshape(-1, 1, 1, 1)
        if first is None:
            on = np.arange(S.shape[-1])
            # A variance of zero without a penalty on the diagonal still has a finite optimum where lam2 ties the
            # conditions: any finite start will do.
            alone = self.n[:, None, None] / (self.n[:, None, None] * S[..., on, on] + self.lam1).clip(1e-8)
            Y = np.zeros_like(S)
            Y[..., on, on] = alone
            rho = _STIFFNESS * float(np.mean(self.n)) / float(np.mean(alone**2))
            first = np.concatenate([Y, Y, self.coupling.split(Y)]), None, rho
        y, dual, rho = first

        def prox(v, rho):
            x = np.empty_like(v)
            x[:K] = logdet_prox(v[:K] - n * S / rho, np.broadcast_to(self.n[:, None] / rho, S.shape[:2]))
            x[K : 2 * K] = soft_threshold(v[K : 2 * K], self.lam1 / rho)
            x[2 * K :] = self.coupling.prox(v[2 * K :], self.lam2 / rho, self.q)
            return x

        def project(v):
            A = (v[:K] + v[K : 2 * K]) / 2
            # Exactly symmetric, so that the zeros of Z are too.
            Y, U = self.coupling.project((A + transposed(A)) / 2, v[2 * K :])
            return np.concatenate([Y, Y, U])

        limits = 1 if S.shape[-1] < _ONE_THREAD_BELOW else None
        with threadpool_limits(limits, user_api="blas"):
            found = minimize_on_subspace(
                prox, project, y, dual=dual, rho=rho, relaxation=_RELAXATION, tol=self.tol, max_iter=self.max_iter
            )
        return found, self._positive_definite(found.x[:K], found.x[K : 2 * K], found.x[2 * K :])

    def _positive_definite(self, T, Z, V):
        """The sparse copy Z, settled; T is the positive definite one."""
        # The couplings settle stacks without the axis of blocks.
        settled = np.stack([self.coupling.settle(Z[:, b], V[:, b]) for b in range(Z.shape[1])], axis=1)
        on = np.arange(Z.shape[-1])
        diagonal = settled[..., on, on]
        diagonal = np.where(diagonal > 0, diagonal, T[..., on, on])
        settled[..., on, on] = diagonal
        for k, b in np.ndindex(*Z.shape[:2]):
            # Only an alternation that was stopped early leaves Z indefinite; smaller edges keep its zeros.
            while not _is_positive_definite(settled[k, b]):
                settled[k, b] *= _MILDER
                settled[k, b][on, on] = diagonal[k, b]
        return settled

    def certificate(self, S, precision, found):
        """The objective at the precision matrices, and a bound from below on its minimum."""
        K, n = len(S), self.n[:, None]
        V = found.x[2 * K :]
        # Any V that satisfies the equations bounds the norm from above.
        U = V + self.coupling.split(precision) - (V + transposed(V)) / 2
        log_det = np.linalg.slogdet(precision)[1]
        value = (n * (np.einsum("kbij,kbij->kb", S, precision) - log_det)).sum()
        value += self.lam1 * np.abs(precision).sum()
        value += self.lam2 * column_norms(self.coupling.columns(U), self.q).sum()
        prices = (-found.dual[2 * K :] - transposed(found.dual[2 * K :])) / 2
        longest = column_norms(self.coupling.columns(prices), dual_norm(self.q)).max(initial=0.0)
        if longest > self.lam2:
            prices = prices * (self.lam2 / longest)
        edges = np.clip(-found.dual[K : 2 * K], -self.lam1, self.lam1)
        W = S + (edges + self.coupling.pull(prices)) / self.n.reshape(-1, 1, 1, 1)
        sign, log_det = np.linalg.slogdet(W)
        if (sign <= 0).any():
            return value, -np.inf
        return value, float((n * (S.shape[-1] + log_det)).sum())


def _is_positive_definite(A):
    try:
        np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return False
    return True
