"""Hard samples made from other hard problems (Theorems 7 and 9 of JMLR 5:891)."""

import numpy as np
from scipy import sparse


def sample_of_vertex_cover(edges, n_vertices):
    """A sample of coincidence 1 and sparseness 2 whose best neuron tells a smallest vertex cover (Theorem 9).

    Of its ``n_vertices + 2 n_edges`` examples a neuron agrees with all but k at best, where k vertices touch every
    edge and no fewer do.

    Parameters
    ----------
    edges : array-like of int of shape (n_edges, 2)
        Pairs of vertices, counted from 0.
    n_vertices : int
        Number of vertices.

    Returns
    -------
    X : csr_array of shape (n_vertices + 2 n_edges, 2 n_vertices)
    y : ndarray of int

    Examples
    --------
    >>> from treatise.theory import fit_threshold_neuron, sample_of_vertex_cover
    >>> X, y = sample_of_vertex_cover([(0, 1), (1, 2), (2, 3)], 4)
    >>> fit_threshold_neuron(X, y, task="max").error
    2.0
    """
    edges = _checked(edges, 2, n_vertices, "edges")
    vertices = np.arange(n_vertices)
    return _sample(
        [np.stack([vertices, n_vertices + vertices], axis=1), edges, edges + n_vertices], [0, 1, 1], 2 * n_vertices
    )


def sample_of_one_in_three(triples, n_variables):
    """A sample of sparseness 4 with a consistent neuron just where a 1-in-3 assignment exists (Theorem 7).

    Its coincidence is 1 where no two triples share more than one variable.

    Parameters
    ----------
    triples : array-like of int of shape (n_triples, 3)
        Variables, counted from 0, of which exactly one of each triple is to be true.
    n_variables : int
        Number of variables.

    Returns
    -------
    X : csr_array of shape (4 n_variables + 3 n_triples + 3, 4 n_variables + n_triples + 2)
    y : ndarray of int

    Examples
    --------
    >>> from treatise.theory import fit_threshold_neuron, sample_of_one_in_three
    >>> X, y = sample_of_one_in_three([(0, 1, 2)], 3)
    >>> fit_threshold_neuron(X, y).weights[:3].sum()
    np.float64(1.0)
    """
    triples, n = _checked(triples, 3, n_variables, "triples"), n_variables
    m = len(triples)
    i, own, one, last = np.arange(n), 4 * n + np.arange(m), 4 * n + m, 4 * n + m + 1
    ends, marks = np.full(n, last), np.full(m, last)
    parts = [
        (np.stack([i, n + i], axis=1), 0), (np.stack([2 * n + i, 3 * n + i], axis=1), 0),
        (np.stack([i, 3 * n + i, ends], axis=1), 1), (np.stack([n + i, 2 * n + i, ends], axis=1), 1),
        (np.column_stack([triples, own]), 1), (n + triples, 1), (np.stack([own, marks], axis=1), 1),
        (np.array([[one]]), 0), (np.array([[last]]), 0), (np.array([[one, last]]), 1),
    ]  # fmt: skip
    return _sample([places for places, _ in parts], [label for _, label in parts], 4 * n + m + 2)


def _checked(groups, width, size, name):
    groups = np.asarray(groups, dtype=np.int64).reshape(-1, width)
    if groups.size and not (groups.min() >= 0 and groups.max() < size):
        raise ValueError(f"{name} must name places from 0 to {size - 1}; got {groups.min()} to {groups.max()}")
    ordered = np.sort(groups, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise ValueError(f"{name} must have {width} different members each")
    return groups


def _sample(parts, labels, n_columns):
    """Rows with ones at the places given, part after part."""
    sizes = np.concatenate([np.full(len(part), part.shape[1]) for part in parts])
    indices = np.concatenate([part.reshape(-1) for part in parts])
    starts = np.r_[0, np.cumsum(sizes)]
    X = sparse.csr_array((np.ones(len(indices)), indices, starts), shape=(len(sizes), n_columns))
    X.sort_indices()
    return X, np.concatenate([np.full(len(part), label) for part, label in zip(parts, labels)])
