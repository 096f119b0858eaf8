"""A density of one number on a grid."""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import simpson
from scipy.interpolate import CubicSpline


@dataclass(frozen=True)
class Marginal:
    """The posterior density of one number of the field.

    Attributes
    ----------
    x : ndarray of shape (n_grid,)
        Evenly spaced points.
    density : ndarray of shape (n_grid,)
        Density there; it integrates to one. That of ``"ep-opw"`` may be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import Marginal
    >>> x = np.linspace(-8, 8, 81)
    >>> law = Marginal.of_values(x, np.exp(-(x**2) / 2))
    >>> round(law.variance, 9), law.quantile(0.975).round(2)
    (1.0, np.float64(1.96))
    """

    x: np.ndarray
    density: np.ndarray

    @classmethod
    def of_values(cls, x, values):
        """The density in proportion to values."""
        return cls(x, values / _integral(x, values))

    def pdf(self, points):
        """The density at any points, by a cubic through its values; zero outside of the grid."""
        points = np.asarray(points, dtype=np.float64)
        inside = (points >= self.x[0]) & (points <= self.x[-1])
        found = CubicSpline(self.x, self.density)(np.clip(points, self.x[0], self.x[-1]))
        if self.density.min() >= 0:
            found = np.maximum(found, 0.0)
        return np.where(inside, found, 0.0)

    @property
    def mean(self):
        """Its mean."""
        return float(_integral(self.x, self.x * self.density))

    @property
    def variance(self):
        """Its variance."""
        return float(_integral(self.x, (self.x - self.mean) ** 2 * self.density))

    def cdf(self, points):
        """Probability of numbers up to each of the points."""
        area = CubicSpline(self.x, self.density).antiderivative()
        points = np.clip(np.asarray(points, dtype=np.float64), self.x[0], self.x[-1])
        return np.clip((area(points) - area(self.x[0])) / (area(self.x[-1]) - area(self.x[0])), 0.0, 1.0)

    def quantile(self, share):
        """Numbers below which lies a share of the mass."""
        fine = np.linspace(self.x[0], self.x[-1], 32 * len(self.x))
        return np.interp(share, np.maximum.accumulate(self.cdf(fine)), fine)

    def expectation(self, function):
        """Of a function of the number."""
        return float(_integral(self.x, function(self.x) * self.density))


def _integral(x, values):
    """Where the values end at zero the trapezoidal rule is exact to rounding; where they are cut off it is not."""
    ends = max(abs(values[0]), abs(values[-1]))
    return simpson(values, x=x) if ends > 1e-6 * np.abs(values).max() else np.trapezoid(values, x)
