"""Data seen through a quadratic model: values ``Tr(W X_i)`` and weighted sums of the ``X_i``, X_i never formed."""

import numpy as np
from scipy import sparse


class RowMeasurements:
    """``X_i = z_i z_i'`` for the rows z_i of a table, dense or sparse."""

    def __init__(self, Z):
        self.Z = Z

    def __len__(self):
        return self.Z.shape[0]

    @property
    def dimension(self):
        """Number of rows and columns of W."""
        return self.Z.shape[1]

    def project(self, B):
        """The rows seen in a basis, ``Z B``."""
        return np.asarray(self.Z @ B)

    def values(self, projected, others=None):
        """``Tr(G H' X_i)`` of all measurements, from their projections on G and on H (on G itself if not given)."""
        return np.einsum("ij,ij->i", projected, projected if others is None else others)

    def weighted_sum(self, weights, projected):
        """``sum_i weights_i X_i B``, from the projections on B."""
        return np.asarray(self.Z.T @ (weights[:, None] * projected))

    def take(self, chosen):
        """Some of the measurements."""
        return RowMeasurements(self.Z[chosen])


class MatrixMeasurements:
    """``X_i`` any matrices: the eigenvectors of their symmetric parts are rows, their eigenvalues have signs."""

    def __init__(self, rows, signs):
        self.rows = rows
        self.signs = signs

    @classmethod
    def of_matrices(cls, X):
        """Of a stack of shape (n, d, d)."""
        values, vectors = np.linalg.eigh((X + X.transpose(0, 2, 1)) / 2.0)
        rows = np.sqrt(np.abs(values))[:, :, None] * vectors.transpose(0, 2, 1)
        return cls(rows, np.sign(values))

    def __len__(self):
        return len(self.rows)

    @property
    def dimension(self):
        """Number of rows and columns of W."""
        return self.rows.shape[2]

    def project(self, B):
        """The rows seen in a basis, one below the other."""
        return self.rows.reshape(-1, self.dimension) @ B

    def values(self, projected, others=None):
        """``Tr(G H' X_i)`` of all measurements, from their projections on G and on H (on G itself if not given)."""
        products = np.einsum("ij,ij->i", projected, projected if others is None else others)
        return (products.reshape(self.signs.shape) * self.signs).sum(axis=1)

    def weighted_sum(self, weights, projected):
        """``sum_i weights_i X_i B``, from the projections on B."""
        signed = (weights[:, None] * self.signs).ravel()
        return self.rows.reshape(-1, self.dimension).T @ (signed[:, None] * projected)

    def take(self, chosen):
        """Some of the measurements."""
        return MatrixMeasurements(self.rows[chosen], self.signs[chosen])


class PairMeasurements:
    """``X_k = (x_i - x_j)(x_i - x_j)'`` for pairs of rows of a table; without a table, of unit vectors.

    Costs one product with the table, not with the differences: n rows instead of as many as there are pairs.
    """

    def __init__(self, pairs, n_objects, X=None):
        self.pairs = pairs
        self.n_objects = n_objects
        self.X = X
        count = len(pairs)
        ones = np.ones(count)
        places = (np.tile(np.arange(count), 2), pairs.T.ravel())
        self.differences = sparse.csr_array((np.concatenate([ones, -ones]), places), shape=(count, n_objects))

    def __len__(self):
        return len(self.pairs)

    @property
    def dimension(self):
        """Number of rows and columns of W."""
        return self.n_objects if self.X is None else self.X.shape[1]

    def project(self, B):
        """The differences seen in a basis."""
        located = B if self.X is None else np.asarray(self.X @ B)
        return located[self.pairs[:, 0]] - located[self.pairs[:, 1]]

    def values(self, projected, others=None):
        """``Tr(G H' X_k)`` of all pairs, from their projections on G and on H (on G itself if not given)."""
        return np.einsum("ij,ij->i", projected, projected if others is None else others)

    def weighted_sum(self, weights, projected):
        """``sum_k weights_k X_k B``, from the projections on B."""
        pulled = self.differences.T @ (weights[:, None] * projected)
        return pulled if self.X is None else np.asarray(self.X.T @ pulled)

    def take(self, chosen):
        """Some of the measurements; few pairs touch few rows, so that their differences are formed."""
        pairs = self.pairs[chosen]
        if self.X is None:
            return PairMeasurements(pairs, self.n_objects)
        return RowMeasurements(self.X[pairs[:, 0]] - self.X[pairs[:, 1]])
