"""The similarity graph of a kernel with bounded reach, and the scale at which it is drawn."""

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree
from sklearn.metrics.pairwise import euclidean_distances

# Beyond these dimensions a tree looks at nearly every pair anyway, and products are faster.
_TREE = 12
_BLOCK = 1024
# A scale too large costs little (Theorem 10), one too small cuts groups at thin places.
_BEYOND = 1.5


def triweight(squares):
    """``(1 - u^2)^3`` inside the unit ball: twice differentiable, of bounded support, above zero within."""
    return np.maximum(1.0 - squares, 0.0) ** 3


def near_pairs(A, B, radius):
    """Squared distances below the squared radius between rows of A and of B, as a sparse matrix.

    Zero distances are kept as entries; the diagonal of a table with itself is there.
    """
    if A.shape[1] <= _TREE:
        found = cKDTree(A).sparse_distance_matrix(cKDTree(B), radius, output_type="coo_matrix")
        i, j, squares = found.row, found.col, found.data**2
    else:
        parts = [_block_pairs(A[start : start + _BLOCK], B, radius, start) for start in range(0, len(A), _BLOCK)]
        i, j, squares = (np.concatenate(arrays) for arrays in zip(*parts))
    inside = squares < radius**2
    return i[inside], j[inside], squares[inside]


def _block_pairs(rows, B, radius, start):
    squares = euclidean_distances(rows, B, squared=True)
    i, j = np.nonzero(squares < radius**2)
    return i + start, j, squares[i, j]


def similarities(A, B, scale):
    """The kernel between rows of A and rows of B, sparse."""
    i, j, squares = near_pairs(A, B, scale)
    values = triweight(squares / scale**2)
    return sparse.csr_array((values, (i, j)), shape=(len(A), len(B)))


def similarity_graph(X, scale):
    """The kernel between all rows: symmetric, with ones on the diagonal."""
    graph = similarities(X, X, scale)
    # Rounding of distances in many dimensions may differ by direction, and leave a row a little away from itself.
    graph = (graph + graph.T) / 2.0
    graph.setdiag(1.0)
    return graph.tocsr()


def neighbor_scale(X, n_neighbors):
    """Radius that reaches well beyond as many neighbours from nearly every row."""
    if len(X) == 1:
        return 1.0
    k = min(n_neighbors, len(X) - 1)
    if X.shape[1] <= _TREE:
        distances = cKDTree(X).query(X, k=[k + 1])[0][:, 0]
    else:
        distances = np.concatenate(
            [
                np.sqrt(np.partition(euclidean_distances(X[s : s + _BLOCK], X, squared=True), k, axis=1)[:, k])
                for s in range(0, len(X), _BLOCK)
            ]
        )
    reach = float(np.quantile(distances, 0.95)) or float(distances.max())
    return _BEYOND * reach if reach > 0.0 else 1.0
