"""Distances between partitions, and the one that stands for many draws."""

from typing import Any

import numpy as np

from treatise.statistics.partitions._loops import BINDER, VARIATION, distance_terms, mean_distances


def variation_of_information(first: Any, second: Any) -> float:
    """What two partitions do not tell of each other, in bits: H(a | b) + H(b | a).

    A distance; zero for equal partitions, at most the logarithm of the number of rows.

    Parameters
    ----------
    first, second : array-like of shape (n_rows,)
        Labels; their names do not matter.

    Returns
    -------
    float

    Examples
    --------
    >>> from treatise.statistics.partitions import variation_of_information
    >>> variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    2.0
    """
    return _distance(first, second, VARIATION)


def binder_distance(first: Any, second: Any) -> float:
    """Share of the ordered pairs of rows on which two partitions disagree (Binder, 1978), a row with itself included.

    Parameters
    ----------
    first, second : array-like of shape (n_rows,)
        Labels; their names do not matter.

    Returns
    -------
    float

    Examples
    --------
    >>> from treatise.statistics.partitions import binder_distance
    >>> binder_distance([0, 0, 1, 1], [0, 0, 0, 1])
    0.375
    """
    return _distance(first, second, BINDER)


def co_clustering(partitions: Any) -> np.ndarray:
    """Share of the partitions in which two rows are together, of all pairs.

    Parameters
    ----------
    partitions : array-like of shape (n_partitions, n_rows)
        Labels, such as draws of a sampler.

    Returns
    -------
    together : ndarray of shape (n_rows, n_rows)

    Examples
    --------
    >>> from treatise.statistics.partitions import co_clustering
    >>> co_clustering([[0, 0, 1], [0, 1, 1]])[1]
    array([0.5, 1. , 0.5])
    """
    partitions = _many(partitions)
    together = np.zeros((partitions.shape[1], partitions.shape[1]))
    for labels in partitions:
        together += labels[:, np.newaxis] == labels
    return together / len(partitions)


def representative_partition(partitions: Any, *, loss: str = "variation", most: int = 300) -> tuple[int, float]:
    """The drawn partition whose mean distance from all of them is least.

    Unlike the most frequent one, which of many draws is often seen once, it stands in the middle of them.

    Parameters
    ----------
    partitions : array-like of shape (n_partitions, n_rows)
        Labels, such as draws of a sampler.
    loss : {"variation", "binder"}, default="variation"
        Variation of information, or Binder's, which makes more groups of one row.
    most : int, default=300
        Partitions that are looked at, evenly spaced: the cost is their square times the rows.

    Returns
    -------
    chosen : int
        Its place among the partitions.
    expected_loss : float
        Its mean distance.

    Examples
    --------
    >>> from treatise.statistics.partitions import representative_partition
    >>> representative_partition([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])[0]
    0
    """
    kinds = {"variation": VARIATION, "binder": BINDER}
    if loss not in kinds:
        raise ValueError(f"loss={loss!r} is not known; choose 'variation' or 'binder'")
    partitions = _many(partitions)
    places = np.unique(np.linspace(0, len(partitions) - 1, min(most, len(partitions))).round().astype(np.int64))
    seen = np.array([np.unique(labels, return_inverse=True)[1] for labels in partitions[places]], dtype=np.int64)
    kind = kinds[loss]
    distances = mean_distances(seen, seen, distance_terms(seen.shape[1], kind), 1.0 if kind == VARIATION else -1.0)
    best = int(np.argmin(distances))
    return int(places[best]), float(distances[best])


def _many(partitions: Any) -> np.ndarray:
    partitions = np.asarray(partitions)
    if partitions.ndim != 2 or partitions.size == 0:
        raise ValueError(f"partitions has shape {partitions.shape}; give one row of labels for each partition")
    return partitions


def _distance(first: Any, second: Any, kind: int) -> float:
    first, second = np.asarray(first), np.asarray(second)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise ValueError(f"labels of shapes {first.shape} and {second.shape}; give one for each of the same rows")
    a, b = (np.unique(labels, return_inverse=True)[1][np.newaxis].astype(np.int64) for labels in (first, second))
    found = mean_distances(a, b, distance_terms(len(first), kind), 1.0 if kind == VARIATION else -1.0)
    return abs(float(found[0]))
