"""2-satisfiability in linear time, by the strongly connected components of its implications."""

import numpy as np
from scipy import sparse

from treatise._core.jit import compiled


@compiled
def components_in_order(indptr, indices):
    """Number of each node's strongly connected component; one that is reached from another has a lower number.

    Tarjan's algorithm with a stack of its own in place of recursion.
    """
    n = len(indptr) - 1
    number, low, component = np.full(n, -1), np.empty(n, np.int64), np.full(n, -1)
    path, place, waiting = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    seen = n_waiting = n_components = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        depth = 0
        path[0] = root
        place[0] = indptr[root]
        number[root] = low[root] = seen
        seen += 1
        waiting[n_waiting] = root
        n_waiting += 1
        while depth >= 0:
            node = path[depth]
            if place[depth] < indptr[node + 1]:
                other = indices[place[depth]]
                place[depth] += 1
                if number[other] < 0:
                    number[other] = low[other] = seen
                    seen += 1
                    waiting[n_waiting] = other
                    n_waiting += 1
                    depth += 1
                    path[depth] = other
                    place[depth] = indptr[other]
                elif component[other] < 0:
                    low[node] = min(low[node], number[other])
                continue
            if low[node] == number[node]:
                while True:
                    n_waiting -= 1
                    component[waiting[n_waiting]] = n_components
                    if waiting[n_waiting] == node:
                        break
                n_components += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
    return component


def two_sat(n_variables, clauses):
    """Truth values that make every clause of two literals true, or None where there are none.

    Costs time and memory in proportion to variables and clauses.

    Parameters
    ----------
    n_variables : int
        Number of variables.
    clauses : array-like of int of shape (n_clauses, 2)
        Pairs of literals, of which one at least must hold: ``i`` says that variable i, counted from 1, is true, ``-i``
        that it is false. A clause of one literal has it twice.

    Returns
    -------
    ndarray of bool of shape (n_variables,) or None

    Examples
    --------
    >>> from treatise.theory import two_sat
    >>> two_sat(3, [(1, 2), (-1, 3), (-3, -3)])
    array([False,  True, False])
    >>> two_sat(1, [(1, 1), (-1, -1)]) is None
    True
    """
    if n_variables < 0:
        raise ValueError(f"n_variables={n_variables} is no number of variables")
    clauses = np.asarray(clauses)
    if clauses.size == 0:
        return np.zeros(n_variables, dtype=bool)
    if clauses.ndim != 2 or clauses.shape[1] != 2 or not np.issubdtype(clauses.dtype, np.integer):
        raise ValueError(f"clauses must be pairs of whole numbers, got shape {clauses.shape} of {clauses.dtype}")
    sizes = np.abs(clauses)
    if sizes.min() < 1 or sizes.max() > n_variables:
        wrong = clauses[(sizes < 1) | (sizes > n_variables)][0]
        raise ValueError(f"a clause has the literal {wrong}; literals are 1 to {n_variables} and their negatives")
    # Variable i true is node 2 i, false is node 2 i + 1; (a or b) means: not a implies b, not b implies a.
    nodes = 2 * (sizes - 1) + (clauses < 0)
    tails = np.concatenate([nodes[:, 0], nodes[:, 1]]) ^ 1
    heads = np.concatenate([nodes[:, 1], nodes[:, 0]])
    graph = sparse.csr_array(
        (np.ones(len(tails), dtype=bool), (tails, heads)), shape=(2 * n_variables, 2 * n_variables)
    )
    component = components_in_order(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))
    true, false = component[::2], component[1::2]
    return None if np.any(true == false) else true < false
