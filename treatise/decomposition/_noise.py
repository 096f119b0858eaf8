"""White noise in a matrix, told from parts by the singular values, where the small ones are those of noise."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

LARGEST = 2000
"""Of the smaller side of X: beyond that its singular values would take longer than all the rest."""
FEWEST = 10
"""Singular values of which it can be told whether they are spread like those of noise."""
ROUNDING = 1e-7
"""Singular values below this share of the largest are nought: they come from products."""
ROOM = 1.05
"""How far beyond the edge of its limit law the spectrum of a finite matrix of noise may reach."""


class WhiteNoise(NamedTuple):
    """What the singular values tell: how many are above those of noise, and the standard deviation of one entry's."""

    n_above: int
    deviation: float

    def largest_row_sum(self, shape):
        """About the largest sum of magnitudes that normal noise has in a row of a matrix of this shape."""
        n, p = shape
        spread = np.sqrt(2.0 * np.log(max(n, 2)) * p * (1.0 - 2.0 / np.pi))
        return self.deviation * (p * np.sqrt(2.0 / np.pi) + spread)


def white_noise(X):
    """The white noise in a matrix, or None where none is to be seen.

    The singular values of a matrix of independent errors fill an interval (Marchenko & Pastur) whose place in relation
    to their median depends on the shape alone. Those above its upper end are taken off, and the interval is found anew
    from the others, until none is above. If these are many, and begin where the interval does, they are noise.
    """
    small, large = sorted(X.shape)
    if small > LARGEST:
        return None
    products = X.T @ X if X.shape[1] == small else X @ X.T
    squares = np.linalg.eigvalsh(products.toarray() if sparse.issparse(products) else products)
    values = np.sqrt(np.clip(squares, 0.0, None))[::-1]
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
