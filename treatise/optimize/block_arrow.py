"""Systems whose matrix is an arrow of blocks: effects of many groups beside a few that all rows share."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from treatise._core.jit import compiled

_FEW_BORDER_COLUMNS = 32
"""Up to here a compiled loop over rows beats products of matrices."""
_CHUNK_NUMBERS = 1 << 22


@dataclass(frozen=True)
class BlockArrow:
    """A symmetric matrix ``[[A, B'], [B, D]]`` with blocks D along the diagonal, one for each group.

    Parameters
    ----------
    border : ndarray of shape (b, b)
        A, the part that all groups share.
    coupling : ndarray of shape (n_groups, q, b)
        B, the rows of each group.
    blocks : ndarray of shape (n_groups, q, q)
        D, the block of each group.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import BlockArrow
    >>> arrow = BlockArrow(np.eye(1) * 3, np.ones((2, 1, 1)), np.ones((2, 1, 1)) * 2)
    >>> shared, own = arrow.factor().solve(np.array([1.0]), np.zeros((2, 1)))
    >>> shared, own.ravel()
    (array([0.5]), array([-0.25, -0.25]))
    """

    border: np.ndarray
    coupling: np.ndarray
    blocks: np.ndarray

    @classmethod
    def of_rows(cls, shared, own, group, n_groups, weight):
        """``C' diag(weight) C`` of rows ``C`` that have shared entries, and own ones in the columns of their group.

        Parameters
        ----------
        shared : ndarray of shape (n_rows, b)
            Entries in the border's columns.
        own : ndarray of shape (n_rows, q)
            Entries in the columns of the row's group.
        group : ndarray of int of shape (n_rows,)
            Group of each row.
        n_groups : int
            Number of groups.
        weight : ndarray of shape (n_rows,)
            Weight of each row.

        Returns
        -------
        arrow : BlockArrow
        """
        q, b = own.shape[1], shared.shape[1]
        coupling, blocks = np.zeros((n_groups, q, b)), np.zeros((n_groups, q, q))
        gather(shared, own, group, weight, coupling, blocks)
        return cls((shared * weight[:, None]).T @ shared, coupling, blocks)

    def plus(self, border, block):
        """The sum with a matrix on the border and one matrix on every block."""
        return BlockArrow(self.border + border, self.coupling, self.blocks + block)

    def mixed(self, other, share):
        """``(1 - share)`` of this matrix and ``share`` of another."""
        return BlockArrow(
            (1 - share) * self.border + share * other.border,
            (1 - share) * self.coupling + share * other.coupling,
            (1 - share) * self.blocks + share * other.blocks,
        )

    def times(self, shared, own):
        """The product with a vector, given and returned as its shared part and that of the groups."""
        flat, b = self.coupling.reshape(-1, len(shared)), own.ravel()
        return (
            self.border @ shared + flat.T @ b,
            (flat @ shared).reshape(own.shape) + np.einsum("gqr,gr->gq", self.blocks, own),
        )

    def factor(self):
        """The factors of a positive definite matrix; :class:`numpy.linalg.LinAlgError` where it is none.

        The blocks go first: of the border what remains is ``S = A - B' D^-1 B``. Costs ``n_groups (q^3 + q^2 b + q
        b^2) + b^3``.

        Returns
        -------
        factor : ArrowFactor
        """
        roots, reduced = np.empty_like(self.blocks), np.empty_like(self.coupling)
        log_determinant = eliminate_blocks(self.blocks, self.coupling, roots, reduced)
        if not np.isfinite(log_determinant):
            raise np.linalg.LinAlgError("a block is not positive definite")
        b = len(self.border)
        schur = self.border - self.coupling.reshape(-1, b).T @ reduced.reshape(-1, b)
        root = cholesky(schur, lower=True, check_finite=False)
        if not np.isfinite(root).all():
            raise np.linalg.LinAlgError("the border is not positive definite")
        return ArrowFactor(root, roots, reduced, log_determinant + 2 * float(np.log(np.diag(root)).sum()))


@dataclass(frozen=True)
class ArrowFactor:
    """What solves systems with a :class:`BlockArrow`, and holds the parts of its inverse that the arrow covers.

    Attributes
    ----------
    root : ndarray of shape (b, b)
        Lower triangle: ``root root' = A - B' D^-1 B``.
    roots : ndarray of shape (n_groups, q, q)
        Lower triangles of the blocks.
    reduced : ndarray of shape (n_groups, q, b)
        ``D^-1 B``.
    log_determinant : float
        Of the whole matrix.
    """

    root: np.ndarray
    roots: np.ndarray
    reduced: np.ndarray
    log_determinant: float

    def solve(self, shared, own):
        """The solution for a right-hand side, both as the shared part and that of the groups, (n_groups, q)."""
        b = len(self.root)
        flat = self.reduced.reshape(-1, b)
        inner = solve_triangular(self.root, shared - flat.T @ own.ravel(), lower=True, check_finite=False)
        border = solve_triangular(self.root, inner, lower=True, trans=1, check_finite=False)
        solved = np.empty(own.shape)
        solve_blocks(self.roots, np.ascontiguousarray(own, dtype=np.float64), solved)
        return border, solved - (flat @ border).reshape(own.shape)

    def color(self, shared, own):
        """A vector whose covariance is the inverse, from one of independent entries of variance one."""
        border = solve_triangular(self.root, shared, lower=True, trans=1, check_finite=False)
        colored = np.empty(own.shape)
        solve_upper(self.roots, np.ascontiguousarray(own, dtype=np.float64), colored)
        return border, colored - (self.reduced.reshape(-1, len(border)) @ border).reshape(own.shape)

    def border_inverse(self):
        """The border's part of the inverse, of shape (b, b)."""
        half = solve_triangular(self.root, np.eye(len(self.root)), lower=True, check_finite=False)
        return half.T @ half

    def block_inverses(self):
        """The blocks of the inverse, of shape (n_groups, q, q)."""
        groups, q, b = self.reduced.shape
        half = solve_triangular(self.root, self.reduced.reshape(-1, b).T, lower=True, check_finite=False)
        half = half.T.reshape(groups, q, b)
        found = np.einsum("gqb,grb->gqr", half, half)
        add_block_inverses(self.roots, found)
        return found

    def coupling_inverse(self):
        """The rows of the groups in the border's columns of the inverse, of shape (n_groups, q, b)."""
        return -(self.reduced.reshape(-1, len(self.root)) @ self.border_inverse()).reshape(self.reduced.shape)

    def row_variances(self, shared, own, group):
        """``c' M^-1 c`` for rows as in :meth:`BlockArrow.of_rows`, of shape (n_rows,)."""
        n, b = shared.shape
        found = np.empty(n)
        if b <= _FEW_BORDER_COLUMNS:
            quadratic_forms(shared, own, group, self.root, self.roots, self.reduced, found)
            return found
        step = max(1, _CHUNK_NUMBERS // b)
        for first in range(0, n, step):
            part = slice(first, first + step)
            rest = shared[part].copy()
            for k in range(own.shape[1]):
                rest -= own[part, k : k + 1] * self.reduced[group[part], k]
            half = solve_triangular(self.root, rest.T, lower=True, check_finite=False)
            found[part] = np.einsum("bi,bi->i", half, half)
        add_block_forms(own, group, self.roots, found)
        return found


@compiled
def gather(shared, own, group, weight, coupling, blocks):
    """Adds ``weight z x'`` and ``weight z z'`` of every row to its group's coupling and block."""
    for i in range(len(group)):
        g = group[i]
        for k in range(own.shape[1]):
            scaled = weight[i] * own[i, k]
            for j in range(shared.shape[1]):
                coupling[g, k, j] += scaled * shared[i, j]
            for r in range(own.shape[1]):
                blocks[g, k, r] += scaled * own[i, r]


@compiled
def gather_vector(own, group, values, out):
    """Adds ``value z`` of every row to its group's vector."""
    for i in range(len(group)):
        for k in range(own.shape[1]):
            out[group[i], k] += values[i] * own[i, k]


@compiled
def eliminate_blocks(blocks, coupling, roots, reduced):
    """Triangular roots of the blocks and ``D^-1 B``; gives the logarithm of their determinants, or NaN."""
    groups, q, b = coupling.shape
    total = 0.0
    for g in range(groups):
        for k in range(q):
            for r in range(k + 1):
                value = blocks[g, k, r]
                for s in range(r):
                    value -= roots[g, k, s] * roots[g, r, s]
                if r < k:
                    roots[g, k, r] = value / roots[g, r, r]
                    roots[g, r, k] = 0.0
                else:
                    if not value > 0.0:
                        return np.nan
                    roots[g, k, k] = np.sqrt(value)
                    total += np.log(value)
        for j in range(b):
            for k in range(q):
                value = coupling[g, k, j]
                for s in range(k):
                    value -= roots[g, k, s] * reduced[g, s, j]
                reduced[g, k, j] = value / roots[g, k, k]
            for k in range(q - 1, -1, -1):
                value = reduced[g, k, j]
                for s in range(k + 1, q):
                    value -= roots[g, s, k] * reduced[g, s, j]
                reduced[g, k, j] = value / roots[g, k, k]
    return total


@compiled
def solve_blocks(roots, right, out):
    """``D^-1 right`` group by group."""
    groups, q = right.shape
    for g in range(groups):
        for k in range(q):
            value = right[g, k]
            for s in range(k):
                value -= roots[g, k, s] * out[g, s]
            out[g, k] = value / roots[g, k, k]
        for k in range(q - 1, -1, -1):
            value = out[g, k]
            for s in range(k + 1, q):
                value -= roots[g, s, k] * out[g, s]
            out[g, k] = value / roots[g, k, k]


@compiled
def solve_upper(roots, right, out):
    """``L'^-1 right`` group by group, with L the triangular root of the block."""
    groups, q = right.shape
    for g in range(groups):
        for k in range(q - 1, -1, -1):
            value = right[g, k]
            for s in range(k + 1, q):
                value -= roots[g, s, k] * out[g, s]
            out[g, k] = value / roots[g, k, k]


@compiled
def add_block_inverses(roots, out):
    """Adds ``D^-1`` of every group."""
    groups, q = roots.shape[0], roots.shape[1]
    column = np.empty(q)
    for g in range(groups):
        for r in range(q):
            for k in range(q):
                value = 1.0 if k == r else 0.0
                for s in range(k):
                    value -= roots[g, k, s] * column[s]
                column[k] = value / roots[g, k, k]
            for k in range(q - 1, -1, -1):
                value = column[k]
                for s in range(k + 1, q):
                    value -= roots[g, s, k] * column[s]
                column[k] = value / roots[g, k, k]
            for k in range(q):
                out[g, k, r] += column[k]


@compiled
def add_block_forms(own, group, roots, out):
    """Adds ``z' D^-1 z`` of every row."""
    q = own.shape[1]
    half = np.empty(q)
    for i in range(len(group)):
        for k in range(q):
            value = own[i, k]
            for s in range(k):
                value -= roots[group[i], k, s] * half[s]
            half[k] = value / roots[group[i], k, k]
            out[i] += half[k] * half[k]


@compiled
def quadratic_forms(shared, own, group, root, roots, reduced, out):
    """``z' D^-1 z + |root^-1 (x - B' D^-1 z)|^2`` of every row: the inverse of the arrow, block by block."""
    q, b = own.shape[1], shared.shape[1]
    rest = np.empty(b)
    for i in range(len(group)):
        total = 0.0
        for j in range(b):
            value = shared[i, j]
            for k in range(q):
                value -= own[i, k] * reduced[group[i], k, j]
            for s in range(j):
                value -= root[j, s] * rest[s]
            rest[j] = value / root[j, j]
            total += rest[j] * rest[j]
        out[i] = total
    add_block_forms(own, group, roots, out)
