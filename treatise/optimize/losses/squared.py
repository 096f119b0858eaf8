"""Half the squared error, and Huber's loss, which follows it up to a width."""

import math
from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.losses.loss import Loss

SQUARED = 1


@dataclass(frozen=True)
class SquaredLoss(Loss):
    """Half the squared error, ``(s - y)^2 / 2``.

    Examples
    --------
    >>> from treatise.optimize import SquaredLoss
    >>> SquaredLoss().value(1.0, 4.0), SquaredLoss().derivative(1.0, 4.0)
    (4.5, 3.0)
    """

    name = "squared"
    number = SQUARED
    curvature_bound = 1.0

    def value(self, y, s):
        """The loss."""
        return 0.5 * (s - y) * (s - y)

    def derivative(self, y, s):
        """Derivative in the score."""
        return s - y

    def curvature(self, y, s):
        """One everywhere."""
        return np.ones(np.broadcast_shapes(np.shape(y), np.shape(s)))


@compiled
def squared_at(y, s):
    """Value and slope."""
    return 0.5 * (s - y) * (s - y), s - y


@compiled
def squared_step(y, s, rate, q):
    """The step of the gradient flow: the error shrinks by exp(-rate q)."""
    return -(s - y) * math.expm1(-rate * q) / q


@dataclass(frozen=True)
class HuberLoss(Loss):
    """Half the squared error up to ``width``, then the tangent, so that a far number pulls no harder than that.

    Parameters
    ----------
    width : float, default=0.1
        Largest error that is squared, and largest slope.

    Examples
    --------
    >>> from treatise.optimize import HuberLoss
    >>> float(HuberLoss(1.0).value(0.0, 0.5)), float(HuberLoss(1.0).value(0.0, 3.0))
    (0.125, 2.5)
    """

    width: float = 0.1

    name = "huber"
    curvature_bound = 1.0

    def __post_init__(self):
        if not self.width >= 0:
            raise ValueError(f"width={self.width} of a loss must not be negative")

    def value(self, y, s):
        """The loss."""
        e = np.abs(s - y)
        return np.where(e <= self.width, 0.5 * e * e, self.width * e - 0.5 * self.width**2)

    def derivative(self, y, s):
        """Derivative in the score."""
        return np.clip(s - y, -self.width, self.width)

    def curvature(self, y, s):
        """One within the width, zero beyond."""
        return np.where(np.abs(s - y) <= self.width, 1.0, 0.0)
