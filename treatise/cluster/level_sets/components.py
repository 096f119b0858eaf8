"""Connected components of a level set, and their number by level (the graph estimate of Biau, Cadre & Pelletier)."""

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_array

from treatise.cluster.level_sets._graph import neighbor_scale, similarity_graph
from treatise.cluster.level_sets.density import default_neighbors, fitted_density, retained_rows


def level_set_components(X, *, level=None, keep_fraction=0.9, radius=None, density="knn", min_size=1):
    """Connected components of the rows above a level of the density, linked within a radius.

    Use it where a count of dense regions is wanted, fast, and the radius is known to be below the distance between
    them; :class:`LevelSetSpectralClustering` tells regions apart that a radius too large has joined.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    level : float or None, default=None
        Density below which a row is noise; None takes ``keep_fraction``.
    keep_fraction : float, default=0.9
        Share of rows above the level.
    radius : float or None, default=None
        Rows nearer than this are linked; None is 1.5 times what reaches ``2 log n`` neighbours from nearly every
        row.
    density : {"knn", "gaussian"} or estimator, default="knn"
        As for :class:`LevelSetSpectralClustering`.
    min_size : int, default=1
        Components with fewer rows are noise.

    Returns
    -------
    labels : ndarray of int of shape (n_samples,)
        Component of each row, by falling size; -1 is noise.
    n_components : int
        Number of components.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.cluster import level_set_components
    >>> X = np.r_[np.arange(0, 1, 0.05), np.arange(3, 3.5, 0.05), 9.0][:, np.newaxis]
    >>> labels, count = level_set_components(X, radius=0.5, keep_fraction=0.9)
    >>> count, int(labels[-1])
    (2, -1)

    References
    ----------
    .. [1] Paper v12-0385, Sections 1 and 4.
    """
    X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    log_densities = fitted_density(density, X).score_samples(X)
    retained, _ = retained_rows(log_densities, level, keep_fraction)
    return _components(X, retained, _radius(radius, X[retained]), min_size)


def component_counts(X, levels, *, radius=None, density="knn", min_size=1):
    """Number of connected components of the level sets of several levels.

    Use it to see which levels part the data: a count that stays over a range of levels is one to trust.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    levels : array-like of float
        Densities; 0 keeps all rows.
    radius, density, min_size :
        As for :func:`level_set_components`; the radius None is that of all rows.

    Returns
    -------
    ndarray of int
        0 for a level above the density of every row.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.cluster import component_counts
    >>> X = np.r_[np.arange(0, 1, 0.05), np.arange(3, 3.5, 0.05), 9.0][:, np.newaxis]
    >>> component_counts(X, [0.0, 0.05, 100.0], radius=0.5)
    array([3, 2, 0])
    """
    X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    log_densities = np.asarray(fitted_density(density, X).score_samples(X))
    radius, counts = _radius(radius, X), []
    for level in np.atleast_1d(np.asarray(levels, dtype=np.float64)):
        if not level >= 0.0:
            raise ValueError(f"levels holds {level:g}; densities are 0 or more")
        retained = log_densities >= (np.log(level) if level > 0.0 else -np.inf)
        counts.append(_components(X, retained, radius, min_size)[1] if retained.any() else 0)
    return np.array(counts)


def _radius(radius, rows):
    if radius is None:
        return neighbor_scale(rows, default_neighbors(len(rows)))
    if not radius > 0.0:
        raise ValueError(f"radius={radius:g} must be above 0")
    return float(radius)


def _components(X, retained, radius, min_size):
    _, part_of = connected_components(similarity_graph(X[retained], radius), directed=False)
    sizes = np.bincount(part_of)
    order = np.argsort(-sizes, kind="stable")
    count = int(np.sum(sizes >= min_size))
    rank = np.full(len(sizes), -1)
    rank[order[:count]] = np.arange(count)
    labels = np.full(len(X), -1, dtype=np.int64)
    labels[retained] = rank[part_of]
    return labels, count
