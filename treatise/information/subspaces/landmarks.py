"""Spectral clustering of very many elements through their affinity to a few landmarks."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import MiniBatchKMeans
from sklearn.utils import check_random_state

from treatise._core.progress import progress

_BLOCK = 1 << 22


def landmark_spectral_clustering(features, n_clusters, *, n_landmarks=500, n_nearest=5, random_state=None):
    """Spectral clustering of elements whose affinities are squared products of their feature vectors.

    Each element keeps its affinities to the nearest few of the landmarks, drawn among the elements; the spectrum of the
    graph through landmarks follows from a matrix of their number. A million elements take minutes where the whole
    matrix of affinities would not fit any memory. Use it for the components of large independent subspace analyses,
    with centred squares of the components as features; for a few thousand elements take the whole matrix.

    Costs O(n_elements n_landmarks n_features) for the affinities, and k-means of the elements in ``n_clusters``
    dimensions; memory is the features and ``n_nearest + n_clusters`` numbers for each element.

    Parameters
    ----------
    features : ndarray of shape (n_elements, n_features)
        Feature vectors, brought to length one here; float32 halves the memory.
    n_clusters : int
        Number of clusters.
    n_landmarks : int, default=500
        Landmarks; several for each cluster are needed.
    n_nearest : int, default=5
        Landmarks that an element keeps.
    random_state : int, RandomState instance or None, default=None
        Draws the landmarks and starts k-means.

    Returns
    -------
    labels : ndarray of int of shape (n_elements,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import landmark_spectral_clustering
    >>> directions = np.repeat(np.eye(3), 100, axis=0)
    >>> noisy = directions + 0.1 * np.random.default_rng(0).normal(size=(300, 3))
    >>> labels = landmark_spectral_clustering(noisy, 3, n_landmarks=30, random_state=0)
    >>> [len(set(labels[group : group + 100])) for group in (0, 100, 200)]
    [1, 1, 1]

    References
    ----------
    .. [1] Paper v15-0283, "ISA Objectives and Optimization".
    """
    rng, n = check_random_state(random_state), len(features)
    n_landmarks, n_nearest = min(n_landmarks, n), min(n_nearest, n_landmarks, n)
    if not 1 <= n_clusters <= n_landmarks:
        raise ValueError(
            f"n_clusters={n_clusters} must be between 1 and the {n_landmarks} landmarks; take more of these"
        )
    landmarks = _unit(features[np.sort(rng.choice(n, n_landmarks, replace=False))])
    graph = _affinities(features, landmarks, n_nearest)
    # Columns scaled by their degree: left singular vectors of the result are the spectrum of the graph (rows sum to 1).
    scale = 1.0 / np.sqrt(np.maximum(np.asarray(graph.sum(axis=0)).ravel(), 1e-12))
    small = (graph.T @ graph).toarray() * scale[:, np.newaxis] * scale
    vectors = np.linalg.eigh(small)[1]
    vectors = vectors[:, ::-1][:, :n_clusters] * scale[:, np.newaxis]
    embedded = (graph @ vectors).astype(np.float32)
    embedded /= np.maximum(np.linalg.norm(embedded, axis=1, keepdims=True), 1e-12)
    model = MiniBatchKMeans(n_clusters, n_init=5, batch_size=4096, random_state=rng)
    return model.fit_predict(embedded)


def _unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)


def _affinities(features, landmarks, n_nearest):
    """Affinities of each element to its nearest landmarks, brought to a sum of one."""
    n, width = len(features), max(1, _BLOCK // len(landmarks))
    columns, values = np.empty((n, n_nearest), np.int32), np.empty((n, n_nearest), np.float32)
    with progress("affinities", n) as advance:
        for start in range(0, n, width):
            products = _unit(features[start : start + width]) @ landmarks.T
            near = np.argpartition(products, -n_nearest, axis=1)[:, -n_nearest:]
            columns[start : start + width] = near
            values[start : start + width] = np.maximum(np.take_along_axis(products, near, axis=1), 1e-6) ** 2
            advance(len(products))
    values /= values.sum(axis=1, keepdims=True)
    starts = np.arange(0, n * n_nearest + 1, n_nearest)
    return csr_array((values.ravel(), columns.ravel(), starts), shape=(n, len(landmarks)))
