"""Losses of straight pieces: the absolute error, with a zone that costs nothing, and tilted."""

from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.losses.loss import KinkedLoss

QUANTILE = 4


@dataclass(frozen=True)
class AbsoluteLoss(KinkedLoss):
    """The absolute error, ``|s - y|``: its minimum is the median.

    Examples
    --------
    >>> from treatise.optimize import AbsoluteLoss
    >>> AbsoluteLoss().value(1.0, -2.0)
    np.float64(3.0)
    """

    name = "absolute"

    def value(self, y, s):
        """The loss."""
        return np.abs(s - y)

    def left(self, y, s):
        """Derivative in the score from below."""
        return np.where(s - y > 0, 1.0, -1.0)

    def right(self, y, s):
        """Derivative in the score from above."""
        return np.where(s - y >= 0, 1.0, -1.0)


@dataclass(frozen=True)
class EpsilonInsensitiveLoss(KinkedLoss):
    """The absolute error beyond a zone that costs nothing, ``max(0, |s - y| - width)``.

    Parameters
    ----------
    width : float, default=0.1
        Largest error that costs nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import EpsilonInsensitiveLoss
    >>> EpsilonInsensitiveLoss(0.5).value(0.0, np.array([0.25, 2.0]))
    array([0. , 1.5])
    """

    width: float = 0.1

    name = "epsilon_insensitive"

    def __post_init__(self):
        if not self.width >= 0:
            raise ValueError(f"width={self.width} of a loss must not be negative")

    def value(self, y, s):
        """The loss."""
        return np.maximum(np.abs(s - y) - self.width, 0.0)

    def left(self, y, s):
        """Derivative in the score from below."""
        e = s - y
        return np.where(e > self.width, 1.0, np.where(e <= -self.width, -1.0, 0.0))

    def right(self, y, s):
        """Derivative in the score from above."""
        e = s - y
        return np.where(e >= self.width, 1.0, np.where(e < -self.width, -1.0, 0.0))


@dataclass(frozen=True)
class QuantileLoss(KinkedLoss):
    """The tilted absolute error, ``tau (y - s)`` below y and ``(1 - tau) (s - y)`` above: its minimum is a quantile.

    Parameters
    ----------
    tau : float, default=0.5
        Level of the quantile.

    Examples
    --------
    >>> from treatise.optimize import QuantileLoss
    >>> QuantileLoss(0.9).derivative(3.0, 0.0)
    np.float64(-0.9)
    """

    tau: float = 0.5

    name = "quantile"
    number = QUANTILE

    def __post_init__(self):
        if not 0 < self.tau < 1:
            raise ValueError(f"tau={self.tau} is not between 0 and 1")

    @property
    def parameter(self):
        """The level."""
        return self.tau

    def value(self, y, s):
        """The loss."""
        return np.where(y > s, self.tau * (y - s), (1.0 - self.tau) * (s - y))

    def left(self, y, s):
        """Derivative in the score from below."""
        return np.where(y >= s, -self.tau, 1.0 - self.tau)

    def right(self, y, s):
        """Derivative in the score from above."""
        return np.where(y > s, -self.tau, 1.0 - self.tau)


@compiled
def quantile_at(tau, y, s):
    """Value and slope; none at the kink."""
    if y > s:
        return tau * (y - s), -tau
    return (1.0 - tau) * (s - y), 0.0 if s == y else 1.0 - tau


@compiled
def quantile_step(tau, y, s, rate, q):
    """The step of the gradient flow, which rests at the kink."""
    if y > s:
        return -min(tau * rate, (y - s) / q)
    return min((1.0 - tau) * rate, (s - y) / q)
