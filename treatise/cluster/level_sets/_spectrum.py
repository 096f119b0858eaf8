"""Leading eigenvectors of the random walk on a graph, component by component.

The eigenvalue 1 has one eigenvector for each component, which Lanczos steps would miss in part. So the components are
found first; each has its constant vector, and further ones are sought inside of it.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

_DENSE = 400


class Spectrum(NamedTuple):
    """Eigenvalues of the walk, descending, and eigenvectors of unit length in the degrees' inner product."""

    eigenvalues: np.ndarray
    vectors: np.ndarray
    converged: bool


def leading_spectrum(graph, part_of, n_parts, wanted, *, tol=1e-7, max_restarts=5000, seed=0):
    """The ``wanted`` leading eigenvalues of ``D^-1 K``, or all, and their eigenvectors.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Similarities K.
    part_of : ndarray of int of shape (n,)
        Component of each row, from 0.
    n_parts : int
        Number of components.
    wanted : int
        Number of eigenvalues, at least ``n_parts``.
    """
    n = graph.shape[0]
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    values, vectors, converged = [], [], True
    for part in range(n_parts):
        inside = np.flatnonzero(part_of == part)
        constant = np.zeros(n)
        constant[inside] = 1.0 / np.sqrt(degrees[inside].sum())
        values.append(1.0)
        vectors.append(constant)
        more = min(wanted - n_parts, len(inside) - 1)
        if more > 0:
            found, inner, done = _beyond_constant(
                graph[inside][:, inside], degrees[inside], more, tol, max_restarts, seed
            )
            converged = converged and done
            for value, vector in zip(found, inner.T):
                spread = np.zeros(n)
                spread[inside] = vector
                values.append(float(value))
                vectors.append(spread)
    order = np.argsort(-np.array(values), kind="stable")[:wanted]
    return Spectrum(np.array(values)[order], np.column_stack(vectors)[:, order], converged)


def _beyond_constant(graph, degrees, more, tol, max_restarts, seed):
    """Eigenvalues after the first of one component, descending, with eigenvectors of the walk."""
    roots = np.sqrt(degrees)
    scaled = sparse.diags_array(1.0 / roots) @ graph @ sparse.diags_array(1.0 / roots)
    m, converged = len(degrees), True
    if m <= max(_DENSE, 3 * more):
        values, vectors = eigh(scaled.toarray())
    else:
        start = np.random.default_rng(seed).normal(size=m)
        try:
            values, vectors = eigsh(
                scaled.tocsr(),
                k=more + 1,
                which="LA",
                tol=tol,
                v0=start,
                ncv=min(m, max(4 * more, 40)),
                maxiter=max_restarts,
            )
        except ArpackNoConvergence as short:
            values, vectors, converged = short.eigenvalues, short.eigenvectors, False
    order = np.argsort(values)[::-1][1 : more + 1]
    return np.clip(values[order], -1.0, 1.0), _signed(vectors[:, order]) / roots[:, np.newaxis], converged


def _signed(vectors):
    """Each with its largest entry above zero."""
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])])
