"""Batch clustering procedures for a window of a stream: the experts of Choromanska (2014), Section 5.3."""

import numpy as np

from treatise.online.clustering._window_loops import distance_seeds, lloyd, running_means


def lloyd_centers(window, n_clusters, rng):
    """Centres by Lloyd's algorithm from rows drawn at random.

    Parameters
    ----------
    window : ndarray of shape (n_rows, n_features)
        The rows.
    n_clusters : int
        Centres wanted; fewer come back where there are fewer rows.
    rng : RandomState
        Of the first centres.

    Returns
    -------
    centers : ndarray of shape (<= n_clusters, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import lloyd_centers
    >>> lloyd_centers(np.array([[0.0], [1.0], [8.0], [9.0]]), 4, np.random.RandomState(0)).ravel().tolist()
    [8.0, 9.0, 1.0, 0.0]
    """
    centers = window[rng.choice(len(window), min(n_clusters, len(window)), replace=False)]
    lloyd(window, centers)
    return centers


def kmeans_plus_plus_centers(window, n_clusters, rng):
    """Centres by Lloyd's algorithm from seeds that keep apart (k-means++).

    Parameters
    ----------
    window : ndarray of shape (n_rows, n_features)
        The rows.
    n_clusters : int
        Centres wanted; fewer come back where there are fewer distinct rows.
    rng : RandomState
        Of the seeds.

    Returns
    -------
    centers : ndarray of shape (<= n_clusters, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import kmeans_plus_plus_centers
    >>> window = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> sorted(kmeans_plus_plus_centers(window, 2, np.random.RandomState(0)).ravel().tolist())
    [0.5, 8.5]
    """
    n_clusters = min(n_clusters, len(window))
    centers = distance_seeds(window, np.arange(n_clusters), rng.random_sample(n_clusters))
    lloyd(window, centers)
    return centers


def online_kmeans_centers(window, n_clusters, rng):
    """Centres by the online heuristic: the first rows, each moved to the mean of the rows it was nearest to.

    Parameters
    ----------
    window : ndarray of shape (n_rows, n_features)
        The rows, in the order of the stream.
    n_clusters : int
        Centres wanted; fewer come back where there are fewer rows.
    rng : RandomState
        Not used.

    Returns
    -------
    centers : ndarray of shape (<= n_clusters, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import online_kmeans_centers
    >>> online_kmeans_centers(np.array([[0.0], [4.0], [1.0], [5.0]]), 2, None).ravel().tolist()
    [0.5, 4.5]
    """
    centers = window[:n_clusters].copy()
    running_means(window, centers)
    return centers


def kmeans_sharp_centers(window, n_clusters, rng, factor=3.0):
    """About ``factor * n_clusters * log(n_clusters)`` rows that represent the window (k-means#).

    Rows are drawn in ``n_clusters`` rounds, ``factor * log(n_clusters)`` in each, with chances proportional to the
    squared distance from those of earlier rounds. More centres than asked for, in exchange for a cost within a
    constant of the best with ``n_clusters``.

    Parameters
    ----------
    window : ndarray of shape (n_rows, n_features)
        The rows.
    n_clusters : int
        k.
    rng : RandomState
        Of the draws.
    factor : float, default=3.0
        The thesis also takes 2.25 and 1.5.

    Returns
    -------
    centers : ndarray of shape (n_centers, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.online import kmeans_sharp_centers
    >>> kmeans_sharp_centers(np.arange(100.0)[:, None], 5, np.random.RandomState(0)).shape
    (24, 1)
    """
    n_draws = max(1, round(factor * n_clusters * np.log(n_clusters)))
    n_draws = min(n_draws, len(window))
    rounds = np.arange(n_draws) * n_clusters // n_draws
    return distance_seeds(window, rounds, rng.random_sample(n_draws))
