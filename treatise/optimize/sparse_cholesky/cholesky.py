"""Cholesky factors of sparse positive definite matrices that share their zeros."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from treatise.optimize.sparse_cholesky import _numeric_loops as numeric
from treatise.optimize.sparse_cholesky import _symbolic_loops as symbolic
from treatise.optimize.sparse_cholesky._order_loops import eliminate

_WIDEST_GROUP, _FEW_COLUMNS, _SHARE_OF_ZEROS = 48, 4, 0.12
_DENSE_ROW = 10.0
"""A row with more entries than so many times the square root of the size is eliminated last, unasked."""


def fill_reducing_order(matrix):
    """An order of the variables of a symmetric sparse matrix in which elimination fills few zeros.

    Approximate minimum degree: the variable with about the fewest neighbours goes first. Rows with very many entries,
    such as a coefficient that all observations share, go last.

    Parameters
    ----------
    matrix : sparse matrix of shape (n, n)
        Symmetric; only the places of its entries matter.

    Returns
    -------
    order : ndarray of int of shape (n,)
        The variable to be eliminated first, second and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from treatise.optimize import fill_reducing_order
    >>> path = sparse.diags_array([np.ones(4), np.ones(4)], offsets=[-1, 1])
    >>> order = fill_reducing_order(path)  # from the ends, so that nothing is filled
    >>> int(order[0]) in (0, 4)
    True
    """
    graph = _graph(matrix)
    n = graph.shape[0]
    busy = np.diff(graph.indptr) > max(16.0, _DENSE_ROW * np.sqrt(n))
    free, held = np.flatnonzero(~busy), np.flatnonzero(busy)
    if len(held):
        graph = graph[free][:, free].tocsr()
        graph.sort_indices()
    m = len(free)
    rank, leader = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    if m:
        eliminate(graph.indptr.astype(np.int64), graph.indices.astype(np.int64), rank, leader)
    while m and not np.array_equal(leader, leader[leader]):
        leader = leader[leader]
    return np.append(free[np.argsort(rank[leader] if m else rank, kind="stable")], held)


def _graph(matrix):
    """The graph of the entries off the diagonal, both ways, as CSR with 64-bit indices."""
    pattern = sparse.csr_array(matrix)
    if pattern.shape[0] != pattern.shape[1]:
        raise ValueError(f"the matrix has shape {pattern.shape}; a Cholesky factor needs a square one")
    pattern = sparse.csr_array((np.ones(pattern.nnz), pattern.indices, pattern.indptr), shape=pattern.shape)
    pattern = sparse.coo_array(pattern + pattern.T)
    off = pattern.row != pattern.col
    graph = sparse.csr_array((pattern.data[off], (pattern.row[off], pattern.col[off])), shape=pattern.shape)
    graph.sort_indices()
    return graph


class CholeskyPlan:
    """Everything about sparse Cholesky factors that depends on the places of the entries alone.

    Made once for all matrices with the same zeros, as in every step of Newton's method or of expectation propagation:
    the order of elimination, the places of the factor's entries, and how columns with the same rows are handled as
    one block. The numbers of a factor then cost a pass of dense products.

    Parameters
    ----------
    pattern : sparse matrix of shape (n, n)
        Symmetric in its places; its values do not matter. The diagonal is always part of it.
    order : array-like of int of shape (n,) or None, default=None
        Order of elimination; None is :func:`fill_reducing_order`.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Variables in the order of elimination.
    rows, columns : ndarray
        Entries of the lower triangle of the pattern, to which the values in :meth:`factor` belong.
    n_entries : int
        Entries of the lower triangle of a factor.
    n_stored : int
        Numbers that a factor stores for them: blocks of columns hold some zeros.
    n_working : int
        Most numbers that wait in the making of a factor or of a selected inverse beside it.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from treatise.optimize import CholeskyPlan
    >>> matrix = sparse.diags_array([[-1.0] * 3, [2.0] * 4, [-1.0] * 3], offsets=[-1, 0, 1]).tocsr()
    >>> factor = CholeskyPlan(matrix).factor(matrix)
    >>> factor.solve(np.ones(4)).round(12), round(float(np.exp(factor.log_determinant)), 9)
    (array([2., 3., 3., 2.]), 5.0)
    >>> factor.selected_inverse().diagonal().round(12)
    array([0.8, 1.2, 1.2, 0.8])
    """

    def __init__(self, pattern, order=None):
        graph = _graph(pattern)
        self.n = n = graph.shape[0]
        if n == 0:
            raise ValueError("the matrix has no rows; a Cholesky factor needs one at least")
        order = fill_reducing_order(graph) if order is None else np.asarray(order, dtype=np.int64)
        if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
            raise ValueError(f"order must hold each of the numbers 0 to {n - 1} once")
        indptr, indices = _reordered(graph, order)
        parent, counts, post = (np.zeros(n, dtype=np.int64) for _ in range(3))
        symbolic.elimination_tree(indptr, indices, parent)
        symbolic.column_counts(indptr, indices, parent, counts)
        symbolic.postorder(parent, counts, post)
        self.order = order[post]
        self._place = np.empty(n, dtype=np.int64)
        self._place[self.order] = np.arange(n)
        self._group(*_reordered(graph, self.order), *_relabelled(parent, counts, post))
        lower = sparse.coo_array(sparse.tril(sparse.csr_array(graph) + sparse.eye_array(n)))
        self.rows, self.columns = lower.row.astype(np.int64), lower.col.astype(np.int64)
        self._entries = self.places(self.rows, self.columns)
        self._diagonal = self.places(np.arange(n), np.arange(n))

    def _group(self, indptr, indices, parent, counts):
        n = self.n
        self.n_entries = int(counts.sum())
        first = np.zeros(n + 1, dtype=np.int64)
        groups = symbolic.group_columns(parent, counts, _WIDEST_GROUP, _FEW_COLUMNS, _SHARE_OF_ZEROS, first)
        self._first = first = first[: groups + 1].copy()
        below = counts[first[1:] - 1] - 1
        self._row_start = np.append(0, np.cumsum(below))
        self._rows = np.empty(self._row_start[-1], dtype=np.int64)
        self._above, self._group_of = np.empty(groups, dtype=np.int64), np.empty(n, dtype=np.int64)
        if not symbolic.group_rows(
            indptr, indices, first, self._above, self._row_start, self._rows, self._group_of
        ):  # pragma: no cover - the counts are those of the tree
            raise AssertionError("the columns of the factor do not have the entries that were counted")
        self._relative = np.empty(len(self._rows), dtype=np.int64)
        symbolic.relative_rows(first, self._above, self._row_start, self._rows, self._relative)
        self._children = np.bincount(self._above[self._above >= 0], minlength=groups).astype(np.int64)
        wide = np.diff(first)
        self._start = np.append(0, np.cumsum((wide + below) * wide))
        self.n_stored = int(self._start[-1])
        self._stacks = numeric.stack_sizes(first, self._above, self._row_start, self._children)
        self.n_working = max(self._stacks)

    def places(self, rows, columns):
        """Where entries are stored, by row and column; an entry that the factor does not have is refused.

        Parameters
        ----------
        rows, columns : array-like of int
            Entries, of either triangle.

        Returns
        -------
        places : ndarray of int
        """
        one, other = self._place[np.asarray(rows)], self._place[np.asarray(columns)]
        found = np.empty(len(one), dtype=np.int64)
        symbolic.entry_places(
            np.maximum(one, other), np.minimum(one, other), self._first, self._row_start, self._rows,
            self._group_of, self._start, found,
        )  # fmt: skip
        if len(found) and found.min() < 0:
            k = int(np.argmin(found))
            raise ValueError(
                f"the entry ({np.asarray(rows)[k]}, {np.asarray(columns)[k]}) is not among those of the factor"
            )
        return found

    def values_of(self, matrix):
        """Values of a matrix, entry by entry as in ``rows`` and ``columns``; entries elsewhere are refused."""
        if matrix.shape != (self.n, self.n):
            raise ValueError(f"the matrix has shape {matrix.shape}; the plan is for {(self.n, self.n)}")
        lower = sparse.coo_array(sparse.tril(sparse.csr_array(matrix)))
        values = np.zeros(self.n_stored)
        np.add.at(values, self.places(lower.row, lower.col), lower.data)
        return values[self._entries]

    def factor(self, values):
        """The factor of one matrix.

        Parameters
        ----------
        values : ndarray of shape (n_entries,) or sparse matrix
            Entries of the lower triangle, as in ``rows`` and ``columns``; or the matrix.

        Returns
        -------
        factor : SparseCholesky

        Raises
        ------
        numpy.linalg.LinAlgError
            The matrix is not positive definite.
        """
        values = self.values_of(values) if sparse.issparse(values) else np.asarray(values, dtype=np.float64)
        if values.shape != self.rows.shape:
            raise ValueError(f"values has shape {values.shape}; the pattern has {len(self.rows)} entries")
        stored = np.zeros(self.n_stored)
        stored[self._entries] = values
        failed = numeric.factorize(
            self._first, self._above, self._row_start, self._relative, self._start, self._children,
            stored, np.empty(self._stacks[0]),
        )  # fmt: skip
        if failed >= 0:
            raise np.linalg.LinAlgError(
                f"the matrix is not positive definite: variable {self.order[failed]} has no positive pivot"
            )
        return SparseCholesky(self, stored)


def _reordered(graph, order):
    moved = sparse.csr_array(graph[order][:, order])
    moved.sort_indices()
    return moved.indptr.astype(np.int64), moved.indices.astype(np.int64)


def _relabelled(parent, counts, post):
    """Parents and counts when the columns stand in another order."""
    place = np.empty(len(post), dtype=np.int64)
    place[post] = np.arange(len(post))
    moved = parent[post]
    return np.where(moved >= 0, place[moved], -1), counts[post]


@dataclass(frozen=True)
class SparseCholesky:
    """The factor L of a sparse matrix ``L L'``, in the order of its plan.

    Attributes
    ----------
    plan : CholeskyPlan
        Where the entries are.
    values : ndarray of shape (n_stored,)
        The entries.
    """

    plan: CholeskyPlan
    values: np.ndarray

    @property
    def log_determinant(self):
        """Logarithm of the determinant of the matrix."""
        return 2.0 * float(np.log(self.values[self.plan._diagonal]).sum())

    def solve(self, right):
        """The solution for a right-hand side of shape (n,) or (n, k)."""
        x, layout = self._inner(right), self._layout()
        numeric.solve_lower(*layout, self.values, x)
        numeric.solve_upper(*layout, self.values, x)
        return self._outer(x, right)

    def color(self, noise):
        """A vector, or columns, whose covariance is the inverse, from independent entries of variance one."""
        x = self._inner(noise)
        numeric.solve_upper(*self._layout(), self.values, x)
        return self._outer(x, noise)

    def selected_inverse(self):
        """The inverse where the factor has its entries, by Takahashi's equations.

        Costs about twice the factor and stores as many numbers; see :class:`SelectedInverse`.
        """
        plan, inverse = self.plan, np.zeros(len(self.values))
        numeric.takahashi(
            plan._first, plan._above, plan._row_start, plan._relative, plan._start, plan._children,
            self.values, np.empty(plan._stacks[1]), inverse,
        )  # fmt: skip
        return SelectedInverse(plan, inverse)

    def _layout(self):
        return self.plan._first, self.plan._row_start, self.plan._rows, self.plan._start

    def _inner(self, right):
        right = np.asarray(right, dtype=np.float64)
        columns = right.reshape(len(right), -1)
        return np.ascontiguousarray(columns[self.plan.order])

    def _outer(self, x, right):
        found = np.empty_like(x)
        found[self.plan.order] = x
        return found.reshape(np.shape(right))


@dataclass(frozen=True)
class SelectedInverse:
    """Entries of the inverse of a sparse matrix, where its Cholesky factor has entries.

    Attributes
    ----------
    plan : CholeskyPlan
        Where the entries are.
    values : ndarray of shape (n_stored,)
        The entries.
    """

    plan: CholeskyPlan
    values: np.ndarray

    def diagonal(self):
        """The diagonal, of shape (n,)."""
        return self.values[self.plan._diagonal]

    def entries(self, rows, columns):
        """Entries by row and column, of either triangle."""
        return self.values[self.plan.places(rows, columns)]

    def on_pattern(self):
        """Entries of the lower triangle of the pattern, as in the plan's ``rows`` and ``columns``."""
        return self.values[self.plan._entries]
