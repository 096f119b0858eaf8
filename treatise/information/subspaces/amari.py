"""How well subspaces were recovered."""

import numpy as np


def amari_index(transfer, found, true) -> float:
    """Amari's index of a recovered mixture, over blocks: 0 if each found group holds one true source, at most 1.

    Parameters
    ----------
    transfer : ndarray of shape (n_components, n_sources)
        Unmixing matrix times mixing matrix: how much of each source is in each component.
    found, true : list of array of int
        Groups of the components and of the sources, as many of each.

    Returns
    -------
    index : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import amari_index
    >>> groups = [[0, 1], [2, 3]]
    >>> amari_index(np.kron(np.eye(2)[::-1], np.ones((2, 2))), groups, groups)
    0.0
    >>> amari_index(np.ones((4, 4)), groups, groups)
    1.0
    """
    if len(found) != len(true):
        raise ValueError(f"{len(found)} groups were found where {len(true)} sources are; the index needs as many")
    if len(true) == 1:
        return 0.0
    blocks = np.array([[np.abs(transfer[np.ix_(rows, columns)]).sum() for columns in true] for rows in found])
    if np.any(blocks.sum(axis=0) == 0) or np.any(blocks.sum(axis=1) == 0):
        raise ValueError("a source or a group has nothing in common with any other side; the index is not defined")
    across = (blocks.sum(axis=1) / blocks.max(axis=1) - 1.0).sum()
    down = (blocks.sum(axis=0) / blocks.max(axis=0) - 1.0).sum()
    return float((across + down) / (2.0 * len(true) * (len(true) - 1)))
