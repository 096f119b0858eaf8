"""Noise in a matrix, told from parts by the singular values: white noise, or what independent columns would show."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.utils.sparsefuncs import mean_variance_axis

LARGEST = 2000
"""Of the smaller side of X: beyond that its singular values would take longer than all the rest."""
FEWEST = 10
"""Singular values of which it can be told whether they are spread like those of noise."""
ROUNDING = 1e-7
"""Singular values below this share of the largest are nought: they come from products."""
ROOM = 1.05
"""How far beyond the edge of its limit law the spectrum of a finite matrix of noise may reach."""
FEW = 1 / 3
"""Share of the singular values up to which those above white noise are taken for parts."""
MOST_SOUGHT = 100
"""Singular values that are looked at where the smaller side of X is beyond the largest."""


class WhiteNoise(NamedTuple):
    """What the singular values tell: how many are above those of noise, and the standard deviation of one entry's."""

    n_above: int
    deviation: float

    def largest_row_sum(self, shape):
        """About the largest sum of magnitudes that normal noise has in a row of a matrix of this shape."""
        n, p = shape
        spread = np.sqrt(2.0 * np.log(max(n, 2)) * p * (1.0 - 2.0 / np.pi))
        return self.deviation * (p * np.sqrt(2.0 / np.pi) + spread)


def count_parts(X):
    """How many parts a matrix shows, for whoever does not know; the smaller side of X where nothing can be told.

    As many as there are singular values above those of white noise, if that is to be seen and they are few. Real data
    have weak traces of much else above it: then as many as there are directions along which the columns, in units of
    their own spread, lie further from nought than independent columns would (Horn's parallel analysis, with the edge of
    Marchenko & Pastur's law in place of shuffled columns). Data of low rank without noise have as many parts as their
    rank, which is not cut here.
    """
    (n, p), small = X.shape, min(X.shape)
    noise = white_noise(X)
    if noise is not None and noise.n_above <= FEW * small:
        return noise.n_above
    if small < FEWEST:
        return small
    values = _largest_singular_values(_in_units_of_spread(X))
    if len(values) == small and np.sum(values > ROUNDING * values[0]) <= small / 2:
        return small  # of low rank, without noise
    edge = np.sqrt(ROOM) * (np.sqrt(n) + np.sqrt(p))
    return max(1, int(np.sum(values > edge)))


def _in_units_of_spread(X):
    variance = mean_variance_axis(X, axis=0)[1] if sparse.issparse(X) else X.var(axis=0)
    scale = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=variance > 0.0)
    return sparse.csr_array(X @ sparse.diags_array(scale)) if sparse.issparse(X) else X * scale


def _largest_singular_values(X):
    """All singular values, the largest first; of large data some of the largest."""
    small = min(X.shape)
    if small > LARGEST:
        start = np.ones(small) / np.sqrt(small)
        return np.sort(svds(X, MOST_SOUGHT, v0=start, return_singular_vectors=False))[::-1]
    products = X.T @ X if X.shape[1] == small else X @ X.T
    squares = np.linalg.eigvalsh(products.toarray() if sparse.issparse(products) else products)
    return np.sqrt(np.clip(squares, 0.0, None))[::-1]


def white_noise(X):
    """The white noise in a matrix, or None where none is to be seen.

    The singular values of a matrix of independent errors fill an interval (Marchenko & Pastur) whose place in relation
    to their median depends on the shape alone. Those above its upper end are taken off, and the interval is found anew
    from the others, until none is above. If these are many, and begin where the interval does, they are noise.
    """
    small, large = sorted(X.shape)
    if small > LARGEST:
        return None
    values = _largest_singular_values(X)
    if values[-1] <= ROUNDING * values[0]:
        return None  # of lower rank, without noise
    ratio = small / large
    unit_median, above, before = _median_of_noise(ratio), 0, -1
    while above != before and small - above >= max(FEWEST, small / 2):
        level = np.sqrt(np.median(values[above:] ** 2) / unit_median)
        before, above = above, int(np.sum(values > ROOM * level * (1.0 + np.sqrt(ratio))))
    seen = above == before and above > 0 and values[-1] >= level * (1.0 - np.sqrt(ratio)) / ROOM**2
    return WhiteNoise(above, float(level / np.sqrt(large))) if seen else None


def _median_of_noise(ratio):
    """Median eigenvalue of ``E.T @ E / large`` for independent errors E of variance one (the law's limit)."""
    low, high = (1.0 - np.sqrt(ratio)) ** 2, (1.0 + np.sqrt(ratio)) ** 2
    # In the angle of the interval the density has no poles.
    angle = (np.arange(4096) + 0.5) * np.pi / 4096
    at = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(angle)
    mass = np.cumsum(np.sin(angle) ** 2 / at)
    return float(np.interp(0.5, mass / mass[-1], at))
