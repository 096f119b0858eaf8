"""Completion of a signed network by singular value projection (Chiang et al., JMLR 15:1177, Algorithm 1)."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from treatise.optimize._observed_factors_loops import entries_of

# Steps are halved when the error on the observed entries rises; below this share of the first nothing moves.
SMALLEST_STEP = 1e-6
# After each step that lowers it they grow: where rows have few entries, steps of one length would take thousands.
GROWTH = 1.5


class Projection(NamedTuple):
    """A symmetric matrix ``U diag(w) U'`` of low rank."""

    U: np.ndarray
    w: np.ndarray
    error: np.ndarray
    """Squared error on the observed entries after each step."""
    converged: bool

    def at(self, rows, columns):
        """Entries at pairs of a row and a column.

        Parameters
        ----------
        rows, columns : ndarray of int of shape (n,)
            The pairs.
        """
        return entries_of(rows.astype(np.int64), columns.astype(np.int64), self.U * self.w, self.U)


def project_singular_values(A, rank, *, max_iter=500, tol=1e-4, random_state=None):
    """A matrix of low rank that is close to the observed entries of a symmetric one.

    Gradient steps on the squared error of the observed entries, each followed by the best approximation of the rank.
    The first step is ``n^2 / (2 entries)``, as for entries observed at random; it grows while the error falls and is
    halved when it rises. The matrix is kept as factors, and its product with a vector costs O(entries + n rank).

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric; its stored entries are the observed ones.
    rank : int
        Rank, below n.
    max_iter : int, default=500
        Most steps.
    tol : float, default=1e-4
        Ends when a step lowers the error by less than this share, or below this share of the entries.
    random_state : int or None, default=None
        Starts the search for eigenvectors.

    Returns
    -------
    projection : Projection
    """
    n = A.shape[0]
    if rank >= n:
        raise ValueError(f"rank={rank} must be below the {n} nodes")
    rows, columns = (a.astype(np.int64) for a in A.tocoo().coords)
    start = np.random.default_rng(random_state).normal(size=n)
    U, w = np.zeros((n, rank)), np.zeros(rank)
    step = 0.5 * n * n / max(A.nnz, 1)
    first, residual, errors, converged = step, A, [float(A.nnz)], A.nnz == 0
    for _ in range(max_iter):
        if converged:
            break
        found = _low_rank(U, w, residual, step, rank, start)
        entries = entries_of(rows, columns, found[0] * found[1], found[0])
        error = float(np.sum((A.data - entries) ** 2))
        if error > errors[-1]:
            step /= 2.0
            converged = step < SMALLEST_STEP * first
            continue
        (U, w), residual = found, sparse.csr_array((A.data - entries, A.indices, A.indptr), shape=A.shape)
        converged = errors[-1] - error <= tol * errors[-1] or error <= tol * A.nnz
        errors.append(error)
        step *= GROWTH
    return Projection(U, w, np.array(errors), converged)


def _low_rank(U, w, residual, step, rank, start):
    """Eigenvectors of the largest absolute eigenvalues of ``U diag(w) U' + step residual``."""
    n = len(U)
    if n <= 3 * rank + 10:
        values, vectors = np.linalg.eigh((U * w) @ U.T + step * residual.toarray())
        kept = np.argsort(-np.abs(values))[:rank]
        return np.ascontiguousarray(vectors[:, kept]), values[kept]
    product = LinearOperator((n, n), matvec=lambda x: U @ (w * (U.T @ x)) + step * (residual @ x), dtype=np.float64)
    values, vectors = eigsh(product, k=rank, which="LM", v0=start, tol=1e-7)
    return np.ascontiguousarray(vectors), values


def befriend_themselves(A, factors):
    """Factors that fit an undirected network as well, and by which nodes are on the whole their own friends.

    Without an odd cycle of links, a part of the network falls into two sides that are linked only with one another.
    What the factors say of two nodes of one side may be turned round there without any link being fitted worse: which
    of both they say is chance, and wrong where they call a node its own foe.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric; its stored entries are the links.
    factors : ObservedFactors
        Of the network.

    Returns
    -------
    factors : ObservedFactors
    """
    n = A.shape[0]
    links = abs(A)
    # Walks of even and of odd length reach different copies of a node, unless it lies in a part with an odd cycle.
    _, part = connected_components(sparse.block_array([[None, links], [links, None]]), directed=False)
    even, odd = part[:n], part[n:]
    own = np.einsum("nk,nk->n", factors.W, factors.H)
    foes = (even != odd) & (np.bincount(np.minimum(even, odd), own, minlength=n)[np.minimum(even, odd)] < 0.0)
    first, second = foes & (even < odd), foes & (even > odd)
    signs = np.where([first, second], -1.0, 1.0)[:, :, np.newaxis]
    return factors._replace(W=factors.W * signs[0], H=factors.H * signs[1])
