"""The loss of counts whose mean is the exponential of the score."""

import math
from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.losses.loss import Loss

POISSON = 5


@dataclass(frozen=True)
class PoissonLoss(Loss):
    """Negative log-likelihood of a count with the mean exp(s), less what does not depend on s: ``exp(s) - y s``.

    Examples
    --------
    >>> from treatise.optimize import PoissonLoss
    >>> PoissonLoss().value(2.0, 0.0), PoissonLoss().derivative(2.0, 0.0)
    (np.float64(1.0), np.float64(-1.0))
    """

    name = "poisson"
    number = POISSON

    def value(self, y, s):
        """The loss."""
        return np.exp(s) - y * s

    def derivative(self, y, s):
        """Derivative in the score."""
        return np.exp(s) - y

    def curvature(self, y, s):
        """Second derivative in the score."""
        return np.exp(s) + np.zeros_like(y, dtype=np.float64)


@compiled
def poisson_at(y, s):
    """Value and slope."""
    mean = math.exp(s)
    return mean - y * s, mean - y


@compiled
def poisson_step(y, s, rate, q):
    """The step of the gradient flow, along which exp(-s) solves a linear equation."""
    reach = rate * q
    if y == 0.0:
        return math.log1p(reach * math.exp(s)) / q
    return math.log1p(math.expm1(-y * reach) * (1.0 - math.exp(s) / y)) / q
