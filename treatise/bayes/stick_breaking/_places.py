"""Places of rows: what users give, centres of kernels among them, widths that suit the centres, and smoothing."""

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.utils import check_array

from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.stick_breaking._sticks import Places

_WIDTH_STEPS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
"""Kernel widths over the squared distance between neighbouring centres."""

_MOST_CENTERS, _ROWS_A_CENTER = 100, 8
"""Centres that are chosen by themselves: kernels that reach a row or two would follow the noise."""


def checked_locations(locations, n_rows, n_columns=None, what="locations"):
    """Locations as an array of floats, (n_rows, n_columns); numbers alone are a column."""
    locations = np.asarray(locations)
    if locations.ndim == 1:
        locations = locations[:, np.newaxis]
    locations = check_array(locations, dtype=np.float64, input_name=what)
    check_magnitudes(locations, what)
    if n_rows is not None and len(locations) != n_rows:
        raise ValueError(f"{what} has {len(locations)} rows and X has {n_rows}; give the place of every row of X")
    if n_columns is not None and locations.shape[1] != n_columns:
        raise ValueError(
            f"{what} has {locations.shape[1]} columns; {n_columns} are needed, as many as in the locations of the fit"
        )
    return locations


def chosen_centers(centers, locations):
    """Centres of the kernels: those given, all different places, or some that are far apart."""
    if not isinstance(centers, (str, int, np.integer)):
        return checked_locations(centers, None, locations.shape[1], "centers")
    different = np.unique(locations, axis=0)
    if centers == "auto":
        centers = min(_MOST_CENTERS, max(len(different) // _ROWS_A_CENTER, 1))
    if centers == "all" or len(different) <= centers:
        return different
    return far_apart(different, int(centers))


def far_apart(places, count):
    """Places each as far as can be from those before; the first is the one nearest to the mean."""
    chosen = [int(((places - places.mean(axis=0)) ** 2).sum(axis=1).argmin())]
    nearest = ((places - places[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(nearest.argmax()))
        np.minimum(nearest, ((places - places[chosen[-1]]) ** 2).sum(axis=1), out=nearest)
    return places[np.sort(chosen)]


def chosen_widths(widths, centers):
    """Kernel widths, ascending: those given, or some that reach from one centre to a few around it."""
    if isinstance(widths, str):
        if len(centers) < 2:
            return np.array([1.0])
        spacing = np.median(cKDTree(centers).query(centers, k=2)[0][:, 1])
        return spacing**2 * _WIDTH_STEPS
    found = np.unique(np.atleast_1d(np.asarray(widths, dtype=np.float64)))
    if not (len(found) and np.isfinite(found).all() and found[0] > 0):
        raise ValueError(f"widths={widths!r} must be one or more finite numbers above zero")
    return found


def places_of(locations, centers):
    """Squared distances between rows and centres; without locations there is no centre."""
    if not len(centers):
        return Places(np.zeros((len(locations), 0)))
    return Places(cdist(locations, centers, "sqeuclidean"))


def smoothed(Y, locations, n_neighbors):
    """Means of the features over each row and those nearest to it."""
    n_neighbors = min(n_neighbors, len(Y))
    if n_neighbors == 1:
        return Y
    near = cKDTree(locations).query(locations, k=n_neighbors)[1]
    total = Y[near[:, 0]].copy()
    for at in range(1, n_neighbors):
        total += Y[near[:, at]]
    return total / n_neighbors
