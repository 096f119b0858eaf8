"""The Chinese restaurant process, and restaurants with tables: probabilities, draws, and all partitions of few rows."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import gammaln


def set_partitions(n_rows: int) -> Iterator[np.ndarray]:
    """Every partition of some rows, as labels from 0 in the order in which groups appear.

    Parameters
    ----------
    n_rows : int
        Rows; ten have 115 975 partitions.

    Yields
    ------
    labels : ndarray of int of shape (n_rows,)

    Examples
    --------
    >>> from treatise.statistics.partitions import set_partitions
    >>> [labels.tolist() for labels in set_partitions(3)]
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    labels = [0] * n_rows

    def fill(i: int, used: int) -> Iterator[np.ndarray]:
        if i == n_rows:
            yield np.array(labels, dtype=np.int64)
            return
        for label in range(used + 1):
            labels[i] = label
            yield from fill(i + 1, max(used, label + 1))

    yield from fill(0, 0)


def nested_partitions(n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Every partition of rows into restaurants, and of each restaurant's rows into tables.

    Parameters
    ----------
    n_rows : int
        Rows; five have 358 nested partitions.

    Yields
    ------
    restaurants, tables : ndarray of int of shape (n_rows,)
        Labels from 0; no table stands in two restaurants.

    Examples
    --------
    >>> from treatise.statistics.partitions import nested_partitions
    >>> sum(1 for _ in nested_partitions(3))
    12
    """
    for restaurants in set_partitions(n_rows):
        members = [np.flatnonzero(restaurants == j) for j in range(restaurants.max() + 1)]
        for choice in product(*(list(set_partitions(len(rows))) for rows in members)):
            tables, used = np.empty(n_rows, dtype=np.int64), 0
            for rows, inside in zip(members, choice):
                tables[rows] = used + inside
                used += int(inside.max()) + 1
            yield restaurants, tables


def log_partition_probability(labels: np.ndarray, alpha: float) -> float:
    """Log probability of a partition under the Chinese restaurant process.

    Parameters
    ----------
    labels : array-like of int of shape (n_rows,)
        Group of each row; names do not matter.
    alpha : float
        Mass.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.partitions import log_partition_probability
    >>> round(float(np.exp(log_partition_probability([0, 0, 1], 1.0))), 4)
    0.1667
    """
    sizes = np.unique(np.asarray(labels), return_counts=True)[1]
    n = int(sizes.sum())
    return float(gammaln(alpha) - gammaln(alpha + n) + len(sizes) * np.log(alpha) + gammaln(sizes).sum())


def log_nested_partition_probability(
    restaurants: np.ndarray, tables: np.ndarray, alpha: float, table_alpha: float
) -> float:
    """Log probability of restaurants and their tables: one Chinese restaurant process inside another.

    Parameters
    ----------
    restaurants, tables : array-like of int of shape (n_rows,)
        Labels; rows of one table are of one restaurant.
    alpha, table_alpha : float
        Mass of the restaurants, and of the tables in each.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.partitions import log_nested_partition_probability, nested_partitions
    >>> logs = [log_nested_partition_probability(*found, 1.3, 0.7) for found in nested_partitions(4)]
    >>> float(np.exp(logs).sum().round(6))
    1.0
    """
    restaurants, tables = np.asarray(restaurants), np.asarray(tables)
    inside = sum(log_partition_probability(tables[restaurants == j], table_alpha) for j in np.unique(restaurants))
    return log_partition_probability(restaurants, alpha) + float(inside)


def draw_partition(n_rows: int, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """A partition of the Chinese restaurant process, row by row.

    Parameters
    ----------
    n_rows : int
        Rows.
    alpha : float
        Mass: a row joins a group of m with a chance in proportion to m, and a new one to ``alpha``.
    rng : Generator
        Random numbers.

    Returns
    -------
    labels : ndarray of int of shape (n_rows,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.partitions import draw_partition
    >>> draw_partition(6, 1.0, np.random.default_rng(1)).shape
    (6,)
    """
    labels, sizes = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows)
    used = 0
    for i in range(n_rows):
        weights = np.append(sizes[:used], alpha)
        labels[i] = rng.choice(used + 1, p=weights / weights.sum())
        sizes[labels[i]] += 1
        used = max(used, int(labels[i]) + 1)
    return labels


def draw_nested_partition(
    n_rows: int, alpha: float, table_alphas: float | np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Restaurants, and tables in each.

    Parameters
    ----------
    n_rows : int
        Rows.
    alpha : float
        Mass of the restaurants.
    table_alphas : float or ndarray of shape (n_rows,)
        Mass of the tables, of all restaurants or of each that may come to be.
    rng : Generator
        Random numbers.

    Returns
    -------
    restaurants, tables : ndarray of int of shape (n_rows,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.partitions import draw_nested_partition
    >>> restaurants, tables = draw_nested_partition(6, 1.0, 1.0, np.random.default_rng(1))
    >>> bool(tables.max() >= restaurants.max())
    True
    """
    restaurants = draw_partition(n_rows, alpha, rng)
    masses = np.broadcast_to(table_alphas, n_rows)
    tables, used = np.empty(n_rows, dtype=np.int64), 0
    for j in range(restaurants.max() + 1):
        rows = np.flatnonzero(restaurants == j)
        tables[rows] = used + draw_partition(len(rows), float(masses[j]), rng)
        used = int(tables[rows].max()) + 1
    return restaurants, tables
