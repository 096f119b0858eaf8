"""Draws and probabilities of the Indian buffet process (Griffiths & Ghahramani, JMLR 12:1185)."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.special import gammaln


def draw_buffet(n_rows: int, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """A matrix of the process, customer by customer.

    Customer n takes each dish that m before took with probability ``m / n``, then ``Poisson(alpha / n)`` new ones.

    Parameters
    ----------
    n_rows : int
        Rows (customers).
    alpha : float
        Mean number of ones in a row.
    rng : Generator
        Random numbers.

    Returns
    -------
    Z : ndarray of int of shape (n_rows, n_features)
        Zeros and ones; no column is all zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.indian_buffet import draw_buffet
    >>> draw_buffet(5, 1.5, np.random.default_rng(1)).shape[0]
    5
    """
    taken: list[list[int]] = []
    for n in range(n_rows):
        for owners in taken:
            if rng.random() * (n + 1) < len(owners):
                owners.append(n)
        taken.extend([n] for _ in range(rng.poisson(alpha / (n + 1))))
    Z = np.zeros((n_rows, len(taken)), dtype=np.int64)
    for k, owners in enumerate(taken):
        Z[owners, k] = 1
    return Z


def expected_buffet_features(n_rows: int, alpha: float) -> float:
    """Mean number of columns: alpha times the harmonic number of the rows.

    Examples
    --------
    >>> from treatise.statistics.indian_buffet import expected_buffet_features
    >>> round(expected_buffet_features(20, 1.5), 3)
    5.397
    """
    return alpha * float((1.0 / np.arange(1, n_rows + 1)).sum())


def log_buffet_probability(Z: np.ndarray, alpha: float, n_times: np.ndarray | None = None) -> float:
    """Log probability of a matrix, the order of its columns forgotten.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
        Zeros and ones; columns of zeros count for nothing.
    alpha : float
        Mean number of ones in a row.
    n_times : ndarray of int of shape (n_rows,) or None, default=None
        How many rows each one of Z stands for; None is one each.

    Returns
    -------
    float

    Examples
    --------
    One row has Poisson many columns.

    >>> import numpy as np
    >>> from treatise.statistics.indian_buffet import log_buffet_probability
    >>> round(float(np.exp(log_buffet_probability(np.ones((1, 2)), 0.5))), 4)
    0.0758
    """
    Z = np.asarray(Z, dtype=bool)
    n_times = np.ones(len(Z), dtype=np.int64) if n_times is None else np.asarray(n_times)
    Z, n_times = Z[n_times > 0], n_times[n_times > 0]
    n, Z = int(n_times.sum()), Z[:, Z.any(axis=0)]
    sizes = n_times @ Z
    _, repeats = np.unique(Z, axis=1, return_counts=True) if Z.shape[1] else (None, np.zeros(0))
    return float(
        len(sizes) * np.log(alpha)
        - gammaln(repeats + 1).sum()
        - expected_buffet_features(n, alpha)
        + (gammaln(n - sizes + 1) + gammaln(sizes) - gammaln(n + 1)).sum()
    )


def buffet_classes(n_rows: int, most_features: int) -> Iterator[np.ndarray]:
    """Every matrix of at most so many columns, one of each set that differs in the order of columns alone.

    There are ``C(2^n + K - 1, K)`` of them: for some three rows and columns, where a posterior is to be exact.

    Parameters
    ----------
    n_rows : int
        Rows.
    most_features : int
        Largest number of columns.

    Yields
    ------
    Z : ndarray of int of shape (n_rows, n_features)

    Examples
    --------
    >>> from treatise.statistics.indian_buffet import buffet_classes
    >>> len(list(buffet_classes(2, 2)))  # none, three of one column, six of two
    10
    """
    columns = [column for column in product((0, 1), repeat=n_rows) if any(column)]
    for n_features in range(most_features + 1):
        for chosen in combinations_with_replacement(columns, n_features):
            yield np.array(chosen, dtype=np.int64).reshape(n_features, n_rows).T
