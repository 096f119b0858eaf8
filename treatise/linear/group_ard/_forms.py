"""What the evidence of block variances needs, kept as blocks change: from the columns, or from the rows.

With ``W = (sum_i lambda_i G_i G_i' + sigma^2 I)^-1`` a block needs ``S_i = G_i' W G_i`` and ``q_i = G_i' W y``.
"""

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dgemm

from treatise.linear.group_ard._block_search import sweep_columns


def form_of(G, y, starts, noise_var):
    """The form that is faster: with about as many rows as columns that of the columns, which multiplies less."""
    return (ColumnForm if G.shape[1] <= 2 * len(y) else RowForm)(G, y, starts, noise_var)


def columns_of(blocks, starts):
    """Numbers of the columns of some blocks."""
    return np.concatenate([np.arange(starts[i], starts[i + 1]) for i in blocks])


class EvidenceForm(ABC):
    """``W`` under variances of blocks, in one way or another.

    Attributes
    ----------
    variances : ndarray of shape (n_blocks,)
        Variances of now.
    log_det, quadratic : float
        ``-log det W`` and ``y' W y``.
    """

    starts: np.ndarray
    variances: np.ndarray
    log_det: float
    quadratic: float

    @abstractmethod
    def restricted(self, blocks):
        """The form of some blocks alone, and the same rows."""

    @abstractmethod
    def begin(self, variances):
        """Take the variances of the blocks, and compute all anew."""

    @abstractmethod
    def change(self, i, variance):
        """Set one block's variance; a change of rank k."""

    @abstractmethod
    def products(self, columns):
        """``G' W G`` and ``G' W y`` of some columns."""

    @abstractmethod
    def diagonal(self):
        """Diagonal of ``G' W G``."""

    @abstractmethod
    def pulls(self):
        """``G' W y`` of all columns."""

    def sweep_single_columns(self, columns, gamma, determinant):
        """Where every block is one column and a compiled loop can do all of them: whether it did."""
        return False

    def block(self, i):
        """``S_i`` and ``q_i``."""
        return self.products(slice(self.starts[i], self.starts[i + 1]))

    def coefficients(self):
        """Posterior means of the coefficients (equation 5)."""
        return np.repeat(self.variances, np.diff(self.starts)) * self.pulls()

    def summaries(self):
        """Traces of all ``S_i`` and squared norms of all ``q_i``."""
        ends = self.starts[:-1]
        return np.add.reduceat(self.diagonal(), ends), np.add.reduceat(self.pulls() ** 2, ends)

    def coupling(self):
        """``|S_ij|^2`` and ``q_i' S_ij q_j`` for all pairs of blocks."""
        ends = self.starts[:-1]
        T, q = self.products(slice(None))
        return tuple(
            np.add.reduceat(np.add.reduceat(values, ends, axis=0), ends, axis=1)
            for values in (T**2, T * np.outer(q, q))
        )


class ColumnForm(EvidenceForm):
    """``G' W G`` and ``G' W y``: for columns that are not many more than the rows."""

    def __init__(self, G, y, starts, noise_var):
        self.gram, self.cross, self.square = G.T @ G, G.T @ y, float(y @ y)
        self.n, self.starts, self.noise_var = len(y), starts, noise_var

    def restricted(self, blocks):
        """The form of some blocks alone, and the same rows."""
        columns = columns_of(blocks, self.starts)
        part = ColumnForm.__new__(ColumnForm)
        part.gram, part.cross, part.square = self.gram[np.ix_(columns, columns)], self.cross[columns], self.square
        part.n, part.noise_var = self.n, self.noise_var
        part.starts = np.cumsum(np.append(0, np.diff(self.starts)[blocks]))
        return part

    def begin(self, variances):
        """Take the variances of the blocks, and compute all anew."""
        self.variances = variances.copy()
        columns = np.repeat(variances, np.diff(self.starts))
        used = np.flatnonzero(columns)
        s = self.noise_var
        inner = self.gram[np.ix_(used, used)] * columns[used] + s * np.eye(len(used))
        self.log_det = self.n * np.log(s) + (float(np.linalg.slogdet(inner / s)[1]) if len(used) else 0.0)
        # For columns in use (A L + s)^-1 A, which subtracts nothing and keeps its digits where there is hardly noise.
        both = np.linalg.solve(inner, np.column_stack([self.gram[used], self.cross[used]]))
        T, self.pull = np.empty_like(self.gram), np.empty(len(columns))
        T[used], self.pull[used] = both[:, :-1], both[:, -1]
        idle = np.flatnonzero(columns == 0)
        if len(idle):
            back = self.gram[np.ix_(idle, used)] * columns[used]
            T[idle] = (self.gram[idle] - back @ both[:, :-1]) / s
            T[np.ix_(idle, used)] = both[:, idle].T
            self.pull[idle] = (self.cross[idle] - back @ both[:, -1]) / s
        self.T = np.asfortranarray((T + T.T) / 2)
        self.quadratic = (self.square - float(self.cross @ (columns * self.pull))) / s

    def change(self, i, variance):
        """Set one block's variance; a change of rank k."""
        delta = variance - self.variances[i]
        part = slice(self.starts[i], self.starts[i + 1])
        column, q = np.array(self.T[:, part], order="F"), self.pull[part].copy()
        inner = np.eye(len(q)) + delta * column[part]
        K = delta * np.linalg.solve(inner, np.column_stack([column.T, q]))
        self.quadratic -= float(q @ K[:, -1])
        self.log_det += float(np.linalg.slogdet(inner)[1])
        self.pull -= column @ K[:, -1]
        self.T = dgemm(-1.0, column, K[:, :-1], 1.0, self.T, overwrite_c=1)
        self.variances[i] = variance

    def products(self, columns):
        """``G' W G`` and ``G' W y`` of some columns."""
        return self.T[columns, columns], self.pull[columns]

    def diagonal(self):
        """Diagonal of ``G' W G``."""
        return np.diag(self.T)

    def pulls(self):
        """``G' W y`` of all columns."""
        return self.pull

    def sweep_single_columns(self, columns, gamma, determinant):
        """Where every block is one column, all steps in one compiled loop; whether that was done."""
        if len(self.starts) - 1 != len(self.pull):
            return False
        log_det, quadratic = sweep_columns(self.T.T, self.pull, self.variances, columns, gamma, determinant)
        self.log_det += log_det
        self.quadratic += quadratic
        return True


class RowForm(EvidenceForm):
    """``W`` itself: for columns that are many more than the rows."""

    def __init__(self, G, y, starts, noise_var):
        self.G, self.y, self.n = np.asfortranarray(G), y, len(y)
        self.starts, self.noise_var = starts, noise_var

    def restricted(self, blocks):
        """The form of some blocks alone: of columns, where these are few."""
        G = self.G[:, columns_of(blocks, self.starts)]
        return form_of(G, self.y, np.cumsum(np.append(0, np.diff(self.starts)[blocks])), self.noise_var)

    def begin(self, variances):
        """Take the variances of the blocks, and compute all anew."""
        self.variances = variances.copy()
        columns = np.repeat(variances, np.diff(self.starts))
        used = np.flatnonzero(columns)
        part = self.G[:, used]
        total = (part * columns[used]) @ part.T + self.noise_var * np.eye(self.n)
        factor = cho_factor(total, lower=True)
        self.log_det = 2 * float(np.log(np.diag(factor[0])).sum())
        self.W = np.asfortranarray(cho_solve(factor, np.eye(self.n)))
        self.weighted = self.W @ self.y
        self.quadratic = float(self.y @ self.weighted)

    def change(self, i, variance):
        """Set one block's variance; a change of rank k."""
        delta = variance - self.variances[i]
        block = self.G[:, self.starts[i] : self.starts[i + 1]]
        column = np.asfortranarray(self.W @ block)
        q = block.T @ self.weighted
        inner = np.eye(len(q)) + delta * (block.T @ column)
        K = delta * np.linalg.solve(inner, np.column_stack([column.T, q]))
        self.quadratic -= float(q @ K[:, -1])
        self.log_det += float(np.linalg.slogdet(inner)[1])
        self.weighted -= column @ K[:, -1]
        self.W = dgemm(-1.0, column, K[:, :-1], 1.0, self.W, overwrite_c=1)
        self.variances[i] = variance

    def products(self, columns):
        """``G' W G`` and ``G' W y`` of some columns."""
        part = self.G[:, columns]
        return part.T @ (self.W @ part), part.T @ self.weighted

    def diagonal(self):
        """Diagonal of ``G' W G``."""
        return np.einsum("ij,ij->j", self.G, self.W @ self.G)

    def pulls(self):
        """``G' W y`` of all columns."""
        return self.G.T @ self.weighted
