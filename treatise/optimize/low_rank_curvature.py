"""A sum of outer products kept as low rank plus diagonal, always from above (Choromanska, 2014, Section 2.3)."""

import numpy as np


class LowRankCurvature:
    r"""Upper bound :math:`V^\top\mathrm{diag}(s)V+\mathrm{diag}(D)` on a growing sum of outer products.

    What leaves the ``rank`` leading directions is not dropped but moved to the diagonal, as
    :math:`vv^\top\preceq\|v\|_1\mathrm{diag}(|v|)`, so that the difference to the exact sum stays positive
    semi-definite. Adding m rows costs O(m d (rank + m)); memory is O(rank * d). The diagonal pays for what is moved
    with up to d times its trace: where a full d x d matrix can be had, have it.

    Parameters
    ----------
    diagonal : ndarray of shape (d,)
        Diagonal part to begin with, such as the strength of a ridge penalty.
    rank : int
        Number of directions to keep, from 1 on.

    Attributes
    ----------
    directions : ndarray of shape (<= rank, d)
        V, orthonormal rows.
    values : ndarray
        s, one for each direction.
    diagonal : ndarray of shape (d,)
        D.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import LowRankCurvature
    >>> rows = np.array([[3.0, 0.0], [0.0, 1.0]])
    >>> curvature = LowRankCurvature(np.zeros(2), rank=1).add(rows)
    >>> curvature.values, curvature.diagonal
    (array([9.]), array([0., 1.]))

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, 2014, Algorithm 4. As printed it drops the products
       of a row's part within the kept directions and its rest outside, and is then no upper bound: (1, 1) added to
       the direction (1, 0) gives the unit matrix. Here old directions and new rows are turned together, as the text
       says, and rows may come many at a time, which moves less to the diagonal.
    """

    def __init__(self, diagonal, rank):
        if rank < 1:
            raise ValueError(f"rank={rank} keeps no direction; it must be 1 at least")
        self.diagonal = np.array(diagonal, dtype=np.float64)
        self.rank = rank
        self.directions = np.empty((0, len(self.diagonal)))
        self.values = np.empty(0)

    def add(self, rows):
        """Add the sum of the rows' outer products.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, d)
            What to add.

        Returns
        -------
        self : LowRankCurvature
        """
        stacked = np.vstack([np.sqrt(self.values)[:, None] * self.directions, rows])
        _, roots, right = np.linalg.svd(stacked, full_matrices=False)
        squares = roots**2
        leaving = right[self.rank :]
        self.diagonal += (squares[self.rank :] * np.abs(leaving).sum(axis=1)) @ np.abs(leaving)
        self.directions, self.values = right[: self.rank], squares[: self.rank]
        return self

    def solve(self, vector):
        """The inverse times a vector, by the formula of Woodbury; the diagonal must be positive.

        Parameters
        ----------
        vector : ndarray of shape (d,)
            Right-hand side.

        Returns
        -------
        solution : ndarray of shape (d,)
        """
        scaled = vector / self.diagonal
        kept = self.values > 0.0
        V, values = self.directions[kept], self.values[kept]
        inner = np.diag(1.0 / values) + (V / self.diagonal) @ V.T
        return scaled - (V.T @ np.linalg.solve(inner, V @ scaled)) / self.diagonal

    def dense(self):
        """The bound as a full matrix.

        Returns
        -------
        matrix : ndarray of shape (d, d)
        """
        return (self.directions.T * self.values) @ self.directions + np.diag(self.diagonal)
