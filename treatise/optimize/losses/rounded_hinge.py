"""Hinges with a rounded corner, of slope at most one and bounded curvature (JMLR 12:1069, Section 3.4)."""

from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.losses.loss import Loss

HUBER_HINGE = 6
SMOOTH_HINGE = 7


@dataclass(frozen=True)
class _RoundedHinge(Loss):
    h: float = 0.5

    of_labels = True

    def __post_init__(self):
        if not self.h > 0:
            raise ValueError(f"h={self.h} of a rounded hinge must be positive")

    @property
    def parameter(self):
        """Half the width of the corner."""
        return self.h

    def _corner(self, y, s):
        """Where scores lie in the corner: -1 at its end without loss, 1 where the hinge is straight."""
        return np.clip((1.0 - y * s) / self.h, -1.0, 1.0)


@dataclass(frozen=True)
class HuberHingeLoss(_RoundedHinge):
    """The hinge with a parabola around its corner, ``(1 + h - y s)^2 / 4h`` where ``|1 - y s| <= h``.

    Parameters
    ----------
    h : float, default=0.5
        Half the width of the corner.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import HuberHingeLoss
    >>> HuberHingeLoss(0.5).value(1.0, np.array([0.0, 1.0, 2.0]))
    array([1.   , 0.125, 0.   ])

    References
    ----------
    .. [1] Paper v12-1069, Equation 7.
    """

    name = "huber_hinge"
    number = HUBER_HINGE

    @property
    def curvature_bound(self):
        """The paper's c: 1 / 2h."""
        return 0.5 / self.h

    def value(self, y, s):
        """The loss."""
        short, reach = 1.0 - y * s, self.h * (1.0 + self._corner(y, s))
        return np.where(short > self.h, short, reach * reach / (4.0 * self.h))

    def derivative(self, y, s):
        """Derivative in the score."""
        return -0.5 * y * (1.0 + self._corner(y, s))

    def curvature(self, y, s):
        """Second derivative in the score."""
        return np.where(np.abs(1.0 - y * s) <= self.h, self.curvature_bound, 0.0)


@compiled
def huber_hinge_at(h, y, s):
    """Value and slope."""
    short = 1.0 - y * s
    if short < -h:
        return 0.0, 0.0
    if short > h:
        return short, -y
    reach = short + h
    return reach * reach / (4.0 * h), -y * reach / (2.0 * h)


@compiled
def huber_hinge_curvature(h, y, s):
    """Second derivative."""
    return 1.0 / (2.0 * h) if abs(1.0 - y * s) <= h else 0.0


@dataclass(frozen=True)
class SmoothHingeLoss(_RoundedHinge):
    """The hinge with a polynomial of fourth degree around its corner, so that its curvature is continuous.

    Parameters
    ----------
    h : float, default=0.5
        Half the width of the corner.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import SmoothHingeLoss
    >>> SmoothHingeLoss(0.5).value(1.0, np.array([0.0, 1.0, 2.0]))
    array([1.     , 0.09375, 0.     ])

    References
    ----------
    .. [1] Paper v12-1069, Section 3.4.
    """

    name = "smooth_hinge"
    number = SMOOTH_HINGE

    @property
    def curvature_bound(self):
        """The paper's c: 3 / 4h."""
        return 0.75 / self.h

    def value(self, y, s):
        """The loss."""
        short, u = 1.0 - y * s, self._corner(y, s)
        return np.where(short > self.h, short, self.h * (((6.0 - u * u) * u + 8.0) * u + 3.0) / 16.0)

    def derivative(self, y, s):
        """Derivative in the score."""
        u = self._corner(y, s)
        return y * (u * u * u - 3.0 * u - 2.0) / 4.0

    def curvature(self, y, s):
        """Second derivative in the score."""
        return self.curvature_bound * (1.0 - self._corner(y, s) ** 2)


@compiled
def smooth_hinge_at(h, y, s):
    """Value and slope."""
    short = 1.0 - y * s
    if short < -h:
        return 0.0, 0.0
    if short > h:
        return short, -y
    u = short / h
    return h * (((6.0 - u * u) * u + 8.0) * u + 3.0) / 16.0, y * (u * u * u - 3.0 * u - 2.0) / 4.0


@compiled
def smooth_hinge_curvature(h, y, s):
    """Second derivative."""
    u = (1.0 - y * s) / h
    return 3.0 * (1.0 - u * u) / (4.0 * h) if abs(u) <= 1.0 else 0.0
