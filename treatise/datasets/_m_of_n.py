"""Boolean rows of which those with enough ones among a few relevant features are positive."""

import numpy as np
from sklearn.utils import check_random_state


def make_m_of_n(
    n_samples: int = 1000,
    n_features: int = 100,
    *,
    m: int = 7,
    n: int = 10,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fair bits; the class is whether at least m of n of them, drawn at random, are one (seven-of-ten).

    Parameters
    ----------
    n_samples : int, default=1000
        Rows.
    n_features : int, default=100
        Bits in a row.
    m, n : int, default=7 and 10
        Ones that make a row positive, of so many relevant bits.
    random_state : int, RandomState instance or None, default=None
        Draws the relevant bits and the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones.
    y : ndarray of int of shape (n_samples,)
        1 where the rule holds, else 0.
    relevant : ndarray of int of shape (n,)
        The relevant bits, in increasing order.

    Examples
    --------
    >>> from treatise.datasets import make_m_of_n
    >>> X, y, relevant = make_m_of_n(random_state=0)
    >>> bool(((X[:, relevant].sum(axis=1) >= 7) == y).all())
    True
    """
    if not 1 <= m <= n <= n_features:
        raise ValueError(f"m={m} of n={n} among n_features={n_features} bits: each must be at most the next")
    rng = check_random_state(random_state)
    relevant = np.sort(rng.choice(n_features, n, replace=False))
    X = rng.randint(0, 2, (n_samples, n_features)).astype(np.float64)
    return X, (X[:, relevant].sum(axis=1) >= m).astype(int), relevant
