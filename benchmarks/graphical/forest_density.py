"""Forest densities: information of all pairs and spanning trees beside peers, and the cost over columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from benchmarks._contest import Contest, Scaling
from treatise.graphical import ForestDensity
from treatise.inference import maximum_spanning_forest
from treatise.statistics import DensityGrids


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against scikit-learn's kernel density and scipy's spanning tree, and over columns."""
    X = columns(300, 5)
    yield Contest(
        work="mutual information of all pairs on 128 x 128 points: 300 rows, 5 columns",
        peer="scikit-learn",
        ours=lambda: DensityGrids(X).mutual_information(),
        theirs=lambda: _by_kernel_density(X),
        quality=lambda information: float(information.sum()),
        warm_up=lambda: DensityGrids(X[:20, :2]).mutual_information(),
        repeats=1,
    )
    weights = np.abs(np.corrcoef(columns(300, 2000).T))
    yield Contest(
        work="maximum spanning tree of a complete graph of 2000 nodes",
        peer="scipy",
        ours=lambda: maximum_spanning_forest(weights),
        theirs=lambda: np.argwhere(minimum_spanning_tree(-weights).toarray()),
        quality=lambda edges: float(weights[edges[:, 0], edges[:, 1]].sum()),
        warm_up=lambda: maximum_spanning_forest(weights[:9, :9]),
    )
    yield Scaling(
        work="ForestDensity().fit, 300 rows, 128 points, over columns",
        sizes=(125, 250, 500),
        prepare=_fit,
        warm_up=_fit(10),
    )


def columns(n_rows: int, n_columns: int) -> np.ndarray:
    """Columns in [0, 1], each dependent on the one before."""
    Z = np.random.default_rng(0).standard_normal((n_rows, n_columns))
    for column in range(1, n_columns):
        Z[:, column] = 0.5 * Z[:, column - 1] + 0.87 * Z[:, column]
    return (Z - Z.min(axis=0)) / np.ptp(Z, axis=0)


def _fit(n_columns: int) -> Any:
    X = columns(300, n_columns)
    return lambda: ForestDensity(random_state=0).fit(X)


def _by_kernel_density(X: np.ndarray) -> np.ndarray:
    """The same estimate from scikit-learn's densities at the points of the grid, pair after pair."""
    from sklearn.neighbors import KernelDensity

    grids = DensityGrids(X)  # for its bandwidths
    p, m = X.shape[1], len(grids.grid)
    single = [
        KernelDensity(bandwidth=width).fit(X[:, [k]]).score_samples(grids.grid[:, None])
        for k, width in enumerate(grids.bandwidths)
    ]
    points = np.stack(np.meshgrid(grids.grid, grids.grid, indexing="ij"), axis=-1).reshape(-1, 2)
    information = np.zeros((p, p))
    for i in range(p):
        for j in range(i):
            widths = grids.pair_bandwidths[[i, j]]
            log_pair = KernelDensity(bandwidth=1.0).fit(X[:, [i, j]] / widths).score_samples(points / widths)
            log_pair = log_pair.reshape(m, m) - np.log(widths).sum()
            ratio = log_pair - single[i][:, None] - single[j]
            information[i, j] = information[j, i] = (np.exp(log_pair) * ratio).sum() / (m - 1) ** 2
    return information
