"""Signs of directed pairs as signs of pairs."""

import numpy as np
from scipy import sparse


def without_directions(A: sparse.csr_array) -> sparse.csr_array:
    """Signs of undirected pairs, ``sign(A + A')``: pairs that contradict each other are left out.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Signs of directed pairs.

    Returns
    -------
    csr_array of shape (n, n)
        Symmetric, of -1 and 1.
    """
    both = sparse.csr_array(A + A.T)
    both.data = np.sign(both.data)
    both.eliminate_zeros()
    return both
