"""The variants of Sections 5.1 and 5.2 of v15-0749: artificial outliers, one direction at a time, a ridge, a cap."""

from typing import NamedTuple

import numpy as np

from treatise.decomposition.median_subspace._programs import Capped, Plain, Ridge, Spread
from treatise.decomposition.median_subspace._reweighting import minimise
from treatise.decomposition.median_subspace.dimension import eigengap_dimension
from treatise.statistics.row_blocks import RowBlocks


class Found(NamedTuple):
    """Directions in order of falling robust variance, and the minimisation behind them."""

    directions: np.ndarray
    """As columns; the first ones are the components."""
    eigenvalues: np.ndarray
    """Of Q, ascending."""
    Q: np.ndarray
    center: np.ndarray
    lengths: np.ndarray
    objectives: list
    gap: float
    reached: bool
    n_iter: int
    ridge: float = 0.0


def spectrum(Q):
    """Eigenvalues of Q, ascending, those that are lost in rounding errors as such errors, and eigenvectors."""
    eigenvalues, vectors = np.linalg.eigh(Q)
    return np.maximum(eigenvalues, np.finfo(float).eps * eigenvalues[-1] * 1e-2), vectors


def found_by(minimum, **more) -> Found:
    """The outcome of one minimisation."""
    eigenvalues, vectors = spectrum(minimum.Q)
    steps = len(minimum.objectives) - 1
    return Found(
        vectors, eigenvalues, minimum.Q, minimum.center, minimum.lengths, minimum.objectives, minimum.gap,
        minimum.reached, more.pop("n_iter", steps), **more,
    )  # fmt: skip


def geometric_median_subspace(rows, **settings) -> Found:
    """GMS: problem (4)."""
    return found_by(minimise(rows, Plain(), **settings))


def reaper(rows, n_components, **settings) -> Found:
    """REAPER: eigenvalues of at most ``1 / (D - d)``."""
    return found_by(minimise(rows, Capped(rows.shape[1] - n_components), **settings))


def with_artificial_outliers(rows, random, **settings) -> Found:
    """GMS2: twice as many normal outliers as dimensions beside the rows, all on the unit sphere."""
    n_rows, dimension = rows.shape
    added = random.standard_normal((2 * dimension, dimension))
    added /= np.linalg.norm(added, axis=1, keepdims=True)
    found = found_by(minimise(RowBlocks(np.vstack([rows.by(np.eye(dimension)), added])), Plain(), **settings))
    return found._replace(lengths=found.lengths[:n_rows])


def spread(rows, **settings) -> Found:
    """GMS beside the expected pull of as many even outliers as ``"gms2"`` draws, as long as the rows' median."""
    return found_by(minimise(rows, Spread(2.0 * np.sqrt(rows.shape[1])), **settings))


def with_ridge(rows, ridge, **settings) -> Found:
    """Problem (42) for a given ridge."""
    return found_by(minimise(rows, Ridge(ridge), **settings), ridge=ridge)


def with_matching_ridge(rows, n_components, **settings) -> Found:
    """Problem (42) with the ridge of largest eigengap after ``n_components`` eigenvalues, by bisection.

    A small ridge leaves too many small eigenvalues and a large one too few (Section 5.1), so that the logarithm of the
    ridge is halved towards the side with the right number; of all tried, the widest gap at that number wins.
    """
    low, high = -6.0, 3.0
    scale, n_iter, tried = rows.norms().sum(), 0, {}
    for _ in range(12):
        middle = (low + high) / 2
        found = with_ridge(rows, scale * 10.0**middle, **settings)
        n_iter += found.n_iter
        tried[float(np.diff(np.log(found.eigenvalues))[n_components - 1])] = found
        dimension, factor = eigengap_dimension(found.eigenvalues)
        if dimension == n_components and factor > 1e6:
            break
        low, high = (middle, high) if dimension > n_components else (low, middle)
    return tried[max(tried)]._replace(n_iter=n_iter)


def one_by_one(rows, n_components, all_at_once, **settings) -> Found:
    """EGMS (Algorithm 3): remove the direction in which Q is largest, minimise in what is left, and so on.

    With ``all_at_once`` every round removes all directions above the largest gap between eigenvalues.
    """
    first = found = geometric_median_subspace(rows, **settings)
    frame, center = np.eye(rows.shape[1]), np.zeros(rows.shape[1])
    removed: list[np.ndarray] = []
    n_iter, gap, reached = first.n_iter, first.gap, first.reached
    while frame.shape[1] > n_components:
        left = max(eigengap_dimension(found.eigenvalues)[0] if all_at_once else frame.shape[1] - 1, n_components)
        dropped = found.directions[:, left:]
        center += frame @ dropped @ (dropped.T @ found.center)
        removed.insert(0, frame @ dropped)
        # Softened: rows in a kernel that the next round need not have would keep Q there.
        start = np.diag(found.eigenvalues[:left] / (2.0 * found.eigenvalues[:left].sum()) + 0.5 / left)
        frame = frame @ found.directions[:, :left]
        found = geometric_median_subspace(RowBlocks(rows.by(frame)), start=start, **settings)
        n_iter, gap, reached = n_iter + found.n_iter, max(gap, found.gap), reached and found.reached
    directions = np.hstack([frame @ found.directions, *removed])
    return first._replace(
        directions=directions, center=center + frame @ found.center, n_iter=n_iter, gap=gap, reached=reached
    )
