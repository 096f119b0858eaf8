"""Kernels of the training rows as a chain sees them: fixed, with widths to be learned, or several with weights."""

import math

import numpy as np
from scipy.spatial.distance import pdist

from treatise.kernels import Gaussian, GramRows, Laplacian
from treatise.kernels.base import count

CACHE_BYTES, CACHE_ROWS = 128 << 20, 1024
"""What a chain keeps of a kernel's matrix at most: so many bytes, and so many rows, in proportion to the table."""
_MOST_ROWS = 1000
_WANTED, _FADING = 0.44, 0.6
"""Share of accepted moves of one number that mixes best; how fast the steps stop changing during the burn-in."""


class FixedKernel:
    """One kernel without parameters; rows of its matrix are computed once and kept up to a limit of memory."""

    def __init__(self, kernel, objects, cache_bytes=CACHE_BYTES):
        self.kernel, self.objects = kernel, objects
        self.rows = GramRows(kernel, objects, cache_bytes=min(cache_bytes, 8 * CACHE_ROWS * count(objects)))

    def column(self, row):
        """Kernel values of one row with all rows."""
        self.rows.clock += 1
        return self.rows.row(row)

    def block(self, positions):
        """Kernel values of all rows with some, (n, len(positions))."""
        positions = np.asarray(positions)
        if self.rows.holds_all and (self.rows.slot_of >= 0).all():
            return self.rows.store[self.rows.slot_of[positions]].T.copy()
        return self.kernel.block(self.objects, self.objects[positions])

    @property
    def parameters(self):
        return np.zeros(0)

    def moves(self, rng, steps):
        """Moves of parameters: none."""
        return ()


class WidthKernel:
    """``exp(-sum_j |x_j - z_j|^p / theta_j^p)`` with one width for all columns or one each, uniform on a box."""

    def __init__(self, name, X, widths, low, high):
        self.name, self.X, self.widths, self.low, self.high = name, X, np.asarray(widths, float), low, high
        self.kernel = Gaussian(1.0) if name == "rbf" else Laplacian(1.0)
        self.objects = self.kernel.prepare(X / self.widths)

    def column(self, row):
        return self.kernel.block(self.objects, self.objects[row : row + 1])[:, 0]

    def block(self, positions):
        return self.kernel.block(self.objects, self.objects[np.asarray(positions)])

    @property
    def parameters(self):
        return self.widths

    def moves(self, rng, steps):
        """Moves of one width each: its number, and what gives a candidate and the log of its correction.

        Widths walk on a logarithmic scale, so that steps do not depend on the unit of the columns; under the uniform
        prior the correction is the ratio of the widths. Of many widths a few take a turn.
        """
        for j in rng.permutation(len(self.widths))[:MOST_WIDTHS]:
            change = steps[j] * rng.standard_normal()
            yield int(j), lambda now, j=j, change=change: now._moved(j, change)

    def _moved(self, j, change):
        widths = self.widths.copy()
        widths[j] *= math.exp(change)
        if not self.low <= widths[j] <= self.high:
            return None
        return WidthKernel(self.name, self.X, widths, self.low, self.high), change


MOST_WIDTHS = 8
"""Widths that move after each block of sweeps."""


class WeightedKernels:
    """``sum_l a_l^2 K_l``: amplitudes that are zero with probability rho, else gamma distributed (section 6.1)."""

    def __init__(self, parts, amplitudes, rho, shape, rate):
        self.parts, self.amplitudes = parts, np.asarray(amplitudes, float)
        self.rho, self.shape, self.rate = rho, shape, rate

    def _sum(self, values):
        return sum(a * a * value for a, value in zip(self.amplitudes, values))

    def column(self, row):
        return self._sum(part.column(row) if a else 0.0 for a, part in zip(self.amplitudes, self.parts))

    def block(self, positions):
        return self._sum(part.block(positions) if a else 0.0 for a, part in zip(self.amplitudes, self.parts))

    @property
    def parameters(self):
        return self.amplitudes

    def moves(self, rng, steps):
        """Each amplitude takes a step of its own size, and then may leave zero or go there; one stays above it."""
        for j in rng.permutation(len(self.amplitudes)):
            change, drawn = steps[j] * rng.standard_normal(), rng.gamma(self.shape) / self.rate
            yield int(j), lambda now, j=j, change=change: now._walked(j, change)
            yield -1, lambda now, j=j, drawn=drawn: now._switched(j, drawn)

    def _with(self, j, value):
        amplitudes = self.amplitudes.copy()
        amplitudes[j] = value
        return WeightedKernels(self.parts, amplitudes, self.rho, self.shape, self.rate)

    def _walked(self, j, change):
        if self.amplitudes[j] == 0.0:
            return None
        value = self.amplitudes[j] * math.exp(change)
        # Gamma density times the ratio of a step on the logarithmic scale: a^shape exp(-rate a).
        return self._with(j, value), self.shape * change - self.rate * (value - self.amplitudes[j])

    def _switched(self, j, drawn):
        """From zero to a draw of the prior, or back to zero."""
        if not self.rho > 0.0:
            return None
        odds = math.log(self.rho / (1.0 - self.rho))
        if self.amplitudes[j] == 0.0:
            return self._with(j, drawn), -odds
        if np.count_nonzero(self.amplitudes) > 1:
            return self._with(j, 0.0), odds
        return None


def adapted(step, accepted, n_done):
    """A step that is accepted too often grows, one too seldom shrinks, by less and less."""
    return step * math.exp((accepted - _WANTED) / (1.0 + n_done) ** _FADING)


def mean_distance(name, X):
    """Mean distance of two rows, in the distance of a kernel; beyond 1 000 rows from so many of them."""
    if len(X) > _MOST_ROWS:
        # Evenly spaced in the order of their values, so that the order of the rows does not matter.
        places = np.linspace(0, len(X) - 1, _MOST_ROWS).astype(int)
        X = X[np.lexsort(X.T[::-1])[places]]
    gaps = pdist(X, "euclidean" if name == "rbf" else "cityblock")
    mean = float(gaps.mean()) if len(gaps) else 0.0
    return mean if mean > 0 else 1.0
