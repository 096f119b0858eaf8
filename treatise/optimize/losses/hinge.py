"""The hinge, its square, and the square made straight far on the wrong side."""

import math
from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.losses.loss import KinkedLoss, Loss

HINGE = 2
SQUARED_HINGE = 3


@dataclass(frozen=True)
class HingeLoss(KinkedLoss):
    """What a margin lacks to one, ``max(0, 1 - y s)``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import HingeLoss
    >>> HingeLoss().value(1.0, np.array([-1.0, 0.5, 2.0]))
    array([2. , 0.5, 0. ])
    """

    name = "hinge"
    number = HINGE
    of_labels = True

    def value(self, y, s):
        """The loss."""
        return np.maximum(1.0 - y * s, 0.0)

    def left(self, y, s):
        """Derivative in the score from below."""
        z = y * s
        return np.where(y > 0, np.where(z <= 1, -1.0, 0.0), np.where(z < 1, 1.0, 0.0))

    def right(self, y, s):
        """Derivative in the score from above."""
        z = y * s
        return np.where(y > 0, np.where(z < 1, -1.0, 0.0), np.where(z <= 1, 1.0, 0.0))


@compiled
def hinge_at(y, s):
    """Value and slope; none at the kink."""
    short = 1.0 - y * s
    return (short, -y) if short > 0.0 else (0.0, 0.0)


@compiled
def hinge_step(y, s, rate, q):
    """The step of the gradient flow, which rests at the kink."""
    short = 1.0 - y * s
    return -y * min(rate, short / q) if short > 0.0 else 0.0


@dataclass(frozen=True)
class SquaredHingeLoss(Loss):
    """The square of what a margin lacks to one, ``max(0, 1 - y s)^2``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import SquaredHingeLoss
    >>> SquaredHingeLoss().value(1.0, np.array([-1.0, 0.5, 2.0]))
    array([4.  , 0.25, 0.  ])
    """

    name = "squared_hinge"
    number = SQUARED_HINGE
    of_labels = True
    curvature_bound = 2.0

    def value(self, y, s):
        """The loss."""
        return np.maximum(1.0 - y * s, 0.0) ** 2

    def derivative(self, y, s):
        """Derivative in the score."""
        return -2.0 * y * np.maximum(1.0 - y * s, 0.0)

    def curvature(self, y, s):
        """Second derivative in the score."""
        return np.where(y * s < 1, 2.0, 0.0)


@compiled
def squared_hinge_at(y, s):
    """Value and slope."""
    short = max(0.0, 1.0 - y * s)
    return short * short, -2.0 * y * short


@compiled
def squared_hinge_step(y, s, rate, q):
    """The step of the gradient flow: what the margin lacks shrinks by exp(-2 rate q)."""
    short = 1.0 - y * s
    return y * short * math.expm1(-2.0 * rate * q) / q if short > 0.0 else 0.0


@dataclass(frozen=True)
class ModifiedHuberLoss(Loss):
    """The squared hinge for margins from -1 on, and its tangent -4 y s below: no row pulls harder than 4.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import ModifiedHuberLoss
    >>> ModifiedHuberLoss().value(1.0, np.array([-3.0, 0.5, 2.0]))
    array([12.  ,  0.25,  0.  ])
    """

    name = "modified_huber"
    of_labels = True
    curvature_bound = 2.0

    def value(self, y, s):
        """The loss."""
        z = y * s
        return np.where(z < -1, -4.0 * z, np.maximum(1.0 - z, 0.0) ** 2)

    def derivative(self, y, s):
        """Derivative in the score."""
        z = y * s
        return y * np.where(z < -1, -4.0, -2.0 * np.maximum(1.0 - z, 0.0))

    def curvature(self, y, s):
        """Second derivative in the score."""
        z = y * s
        return np.where((z >= -1) & (z < 1), 2.0, 0.0)
