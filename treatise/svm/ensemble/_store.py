"""Support vectors of several machines in one store."""

from itertools import pairwise

import numpy as np
from scipy import sparse

from treatise.kernels import Prepared


def joined(first, second):
    """Two collections of prepared objects as one."""
    if isinstance(first, Prepared):
        companions = [joined(*pair) for pair in zip(first.companions, second.companions)]
        return Prepared(joined(first.objects, second.objects), *companions)
    if sparse.issparse(first):
        return sparse.vstack([first, second], format="csr")
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    if isinstance(first, list):
        return first + second
    raise TypeError(f"objects of type {type(first).__name__} cannot be joined; fit all of them at once")


def distinct_rows(rows):
    """Which rows differ, by exact equality of all their numbers.

    Returns the position of the first of each kind of row, and for every row the place of its kind among those.
    """
    if sparse.issparse(rows):
        rows = sparse.csr_matrix(rows, copy=True)
        rows.eliminate_zeros()
        rows.sort_indices()
        spans = [slice(*ends) for ends in pairwise(rows.indptr)]
        keys = [(rows.indices[span].tobytes(), rows.data[span].tobytes()) for span in spans]
    else:
        # Adding zero turns -0.0 into 0.0, which equals it and has other bytes.
        keys = [row.tobytes() for row in np.ascontiguousarray(rows, np.float64) + 0.0]
    place_of: dict = {}
    places = np.array([place_of.setdefault(key, len(place_of)) for key in keys], np.int64)
    return np.unique(places, return_index=True)[1], places
