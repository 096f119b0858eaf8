"""The graph of some of the variables when the others are not seen (JMLR 15:147, Definition 23)."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def marginal_graph(adjacency, vertices):
    """Graph among some vertices that holds for them alone: those joined by a path through unseen ones become adjacent.

    Costs one search through the vertices that are left out.

    Parameters
    ----------
    adjacency : array-like of bool of shape (p, p)
        The whole graph, symmetric.
    vertices : array-like of int of shape (k,)
        The vertices that are seen.

    Returns
    -------
    marginal : ndarray of bool of shape (k, k)
        In the order of ``vertices``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import marginal_graph
    >>> chain = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    >>> marginal_graph(chain, [0, 2, 3]).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    adjacency = np.asarray(adjacency, dtype=bool)
    seen = np.asarray(vertices, dtype=np.int64)
    hidden = np.setdiff1d(np.arange(len(adjacency)), seen)
    marginal = adjacency[np.ix_(seen, seen)]
    if len(hidden):
        n_parts, part = connected_components(csr_array(adjacency[np.ix_(hidden, hidden)]), directed=False)
        rows, columns = np.nonzero(adjacency[np.ix_(hidden, seen)])
        touches = np.zeros((n_parts, len(seen)), dtype=bool)
        touches[part[rows], columns] = True
        for reached in touches[touches.sum(axis=1) > 1]:
            marginal |= np.outer(reached, reached)
    np.fill_diagonal(marginal, False)
    return marginal
