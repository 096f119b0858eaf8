"""The span of centred rows, found without loss: where they fill fewer dimensions, all work is done in those."""

import numpy as np

# Below this ratio of its eigenvalues a gram matrix cannot tell the rank, and the rows themselves are asked.
_TELLS = 1e-10


def span_of(rows):
    """Orthonormal columns that span the rows, or None where they span the whole space.

    Parameters
    ----------
    rows : RowBlocks
        Centred rows.
    """
    n, dimension = rows.shape
    if n > dimension:
        eigenvalues = np.linalg.eigvalsh(rows.gram())
        if eigenvalues[0] > _TELLS * eigenvalues[-1]:
            return None
    triangle = np.zeros((0, dimension))
    for _, block in rows:
        triangle = np.linalg.qr(np.vstack([triangle, block]), mode="r")
    _, sizes, directions = np.linalg.svd(triangle, full_matrices=False)
    rank = int(np.sum(sizes > sizes[0] * max(n, dimension) * np.finfo(float).eps))
    return None if rank == dimension else directions[:rank].T
