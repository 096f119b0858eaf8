"""How many groups a spectrum shows, and which embedded rows belong together."""

import numpy as np
from scipy.linalg import qr
from sklearn.cluster import KMeans

# Distances of eigenvalues from one grow along a single long piece as 1, 4, 9, ...: a step beyond this is a gap.
STEP = 8.0


def count_groups(eigenvalues, n_parts):
    """Number of groups: the components, or more where the spectrum has a gap further on.

    Inside one piece of the level set the distances of the eigenvalues from one never grow by more than four from one
    to the next, which a long thin piece does. Where they do, the eigenvalues before the step belong to pieces that the
    graph joins only weakly (Theorem 10 of v12-0385).
    """
    distances = np.maximum(1.0 - eigenvalues[n_parts:], 1e-15)
    if len(distances) < 2:
        return n_parts
    steps = distances[1:] / distances[:-1]
    best = int(np.argmax(steps))
    return n_parts + best + 1 if steps[best] >= STEP else n_parts


def partition(embedding, n_groups):
    """Groups of embedded rows by k-means from rows that are far apart, found by pivoting: nothing is drawn.

    Returns
    -------
    labels : ndarray of int
    centers : ndarray of shape (n_groups, n_dimensions)
    """
    lengths = np.linalg.norm(embedding, axis=1)
    directions = embedding / np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis]
    chosen = qr(directions.T, mode="r", pivoting=True)[1][:n_groups]
    if len(np.unique(embedding[chosen], axis=0)) < n_groups:
        raise ValueError(f"the rows have fewer than {n_groups} different places in the embedding; ask for fewer groups")
    found = KMeans(n_groups, init=embedding[chosen], n_init=1, max_iter=1000, tol=1e-10).fit(embedding)
    return found.labels_.astype(np.int64), found.cluster_centers_


def by_size(labels, X):
    """New number of each group: by falling size, and by place where sizes are equal.

    Returns
    -------
    ndarray of int
        At the old number, the new one.
    """
    n_groups = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=n_groups)
    means = np.array([X[labels == group].mean(axis=0) for group in range(n_groups)])
    order = np.lexsort([*means.T[::-1], -sizes])
    ranks = np.empty(n_groups, dtype=np.int64)
    ranks[order] = np.arange(n_groups)
    return ranks
