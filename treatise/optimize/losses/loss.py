"""What a loss is: the price of a score s where the truth is y."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np


class Loss(ABC):
    """A convex loss V(y, s) of a score s, for a label y of -1 or 1 or for a number y.

    A new loss is one small class: its name, its value, its derivative and its curvature. Whatever takes any loss takes
    it, such as :func:`minimize_kernel_newton`. Labels come first and scores second, numbers or arrays that broadcast.

    ========================== ======================================================= ==========
    name                       loss                                                    y
    ========================== ======================================================= ==========
    ``"squared"``              (s - y)^2 / 2                                           a number
    ``"huber"``                the same up to a width, then its tangent                a number
    ``"absolute"``             \\|s - y\\|                                               a number
    ``"epsilon_insensitive"``  max(0, \\|s - y\\| - width)                               a number
    ``"quantile"``             tau (y - s) or (1 - tau) (s - y)                        a number
    ``"poisson"``              exp(s) - y s                                            from 0 on
    ``"hinge"``                max(0, 1 - y s)                                         -1 or 1
    ``"squared_hinge"``        max(0, 1 - y s)^2                                       -1 or 1
    ``"modified_huber"``       squared hinge for y s >= -1, then -4 y s                -1 or 1
    ``"huber_hinge"``          hinge, its corner rounded by a parabola                 -1 or 1
    ``"smooth_hinge"``         hinge, its corner rounded to a continuous curvature     -1 or 1
    ``"logistic"``             log(1 + exp(-y s))                                      -1 or 1
    ``"exponential"``          exp(-y s)                                               -1 or 1
    ========================== ======================================================= ==========

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import make_loss
    >>> hinge = make_loss("hinge")
    >>> hinge.value(np.ones(3), np.array([0.0, 1.0, 2.0]))
    array([1., 0., 0.])
    >>> hinge.left(np.ones(3), np.array([0.0, 1.0, 2.0])), hinge.right(np.ones(3), np.array([0.0, 1.0, 2.0]))
    (array([-1., -1.,  0.]), array([-1.,  0.,  0.]))
    """

    name: ClassVar[str]
    of_labels: ClassVar[bool] = False
    """Whether y is a label, -1 or 1."""
    smooth: ClassVar[bool] = True
    """Whether the derivative is continuous."""
    curvature_bound: float = np.inf
    """Largest curvature."""
    parameter: float = 0.0
    """What the compiled formulas take besides y and s."""

    @abstractmethod
    def value(self, y, s):
        """The loss."""

    @abstractmethod
    def derivative(self, y, s):
        """Derivative in the score; at a kink, the one between both sides that is nearest to zero."""

    @abstractmethod
    def curvature(self, y, s):
        """Second derivative in the score, from the side on which the loss is curved; zero at a kink."""

    def left(self, y, s):
        """Derivative in the score from below."""
        return self.derivative(y, s)

    def right(self, y, s):
        """Derivative in the score from above."""
        return self.derivative(y, s)

    def lipschitz(self, reach):
        """Largest slope for scores within ``reach`` of zero, labels -1 or 1."""
        ends = np.array([-reach, reach])
        steepest = [np.abs(side(np.full(2, y), ends)).max() for side in (self.left, self.right) for y in (-1.0, 1.0)]
        return float(max(steepest))

    @property
    def number(self):
        """Number of the loss in compiled solvers, for losses that have compiled formulas."""
        raise ValueError(f"the loss {self.name!r} has no compiled formulas, which this solver needs")

    def __rmul__(self, factor):
        return ScaledLoss(self, factor)


class KinkedLoss(Loss):
    """Abstract: a loss of straight pieces, by its derivatives from both sides."""

    smooth = False

    @abstractmethod
    def left(self, y, s):
        """Derivative in the score from below."""

    @abstractmethod
    def right(self, y, s):
        """Derivative in the score from above."""

    def derivative(self, y, s):
        """Derivative in the score; at a kink, the one between both sides that is nearest to zero."""
        return np.clip(0.0, self.left(y, s), self.right(y, s))

    def curvature(self, y, s):
        """Zero: the pieces are straight."""
        return np.zeros(np.broadcast_shapes(np.shape(y), np.shape(s)))


@dataclass(frozen=True)
class ScaledLoss(Loss):
    """A loss times a positive factor, for a method that counts it differently: ``2.0 * SquaredLoss()``.

    Parameters
    ----------
    loss : Loss
        The loss.
    factor : float
        The factor.

    Examples
    --------
    >>> from treatise.optimize import SquaredLoss
    >>> (2.0 * SquaredLoss()).value(1.0, 4.0)
    9.0
    """

    loss: Loss
    factor: float

    def __post_init__(self):
        if not self.factor > 0:
            raise ValueError(f"factor={self.factor} of a loss must be positive")

    name = property(lambda self: self.loss.name)
    of_labels = property(lambda self: self.loss.of_labels)
    smooth = property(lambda self: self.loss.smooth)
    curvature_bound = property(lambda self: self.factor * self.loss.curvature_bound)

    def value(self, y, s):
        """The loss."""
        return self.factor * self.loss.value(y, s)

    def derivative(self, y, s):
        """Derivative in the score."""
        return self.factor * self.loss.derivative(y, s)

    def curvature(self, y, s):
        """Second derivative in the score."""
        return self.factor * self.loss.curvature(y, s)

    def left(self, y, s):
        """Derivative in the score from below."""
        return self.factor * self.loss.left(y, s)

    def right(self, y, s):
        """Derivative in the score from above."""
        return self.factor * self.loss.right(y, s)
