"""Convex losses with what optimality conditions and Newton steps need: one-sided derivatives and curvature."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit


@dataclass(frozen=True)
class ConvexLoss:
    """A convex loss V(y, s) of a score s, for a label y of -1 or 1 or for a number y.

    ========================== ============================================== ==========
    name                       loss                                           y
    ========================== ============================================== ==========
    ``"squared"``              (y - s)^2                                      a number
    ``"absolute"``             \\|y - s\\|                                      a number
    ``"epsilon_insensitive"``  max(0, \\|y - s\\| - width)                      a number
    ``"huber"``                (y - s)^2 up to width, then its tangent        a number
    ``"hinge"``                max(0, 1 - y s)                                -1 or 1
    ``"squared_hinge"``        max(0, 1 - y s)^2                              -1 or 1
    ``"modified_huber"``       squared hinge for y s >= -1, then -4 y s       -1 or 1
    ``"logistic"``             log(1 + exp(-y s))                             -1 or 1
    ``"exponential"``          exp(-y s)                                      -1 or 1
    ========================== ============================================== ==========

    Parameters
    ----------
    name : str
        One of those.
    width : float, default=0.1
        Of the insensitive zone, or of the quadratic part of Huber's loss.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import ConvexLoss
    >>> hinge = ConvexLoss("hinge")
    >>> hinge.value(np.ones(3), np.array([0.0, 1.0, 2.0]))
    array([1., 0., 0.])
    >>> hinge.left(np.ones(3), np.array([0.0, 1.0, 2.0])), hinge.right(np.ones(3), np.array([0.0, 1.0, 2.0]))
    (array([-1., -1.,  0.]), array([-1.,  0.,  0.]))
    """

    name: str
    width: float = 0.1

    def __post_init__(self):
        if self.name not in _FORMULAS:
            raise ValueError(f"loss {self.name!r} is unknown; it may be {', '.join(_FORMULAS)}")
        if not self.width >= 0:
            raise ValueError(f"width={self.width} of a loss must not be negative")

    @property
    def of_labels(self):
        """Whether y is a label, -1 or 1."""
        return self.name in LABEL_LOSSES

    @property
    def smooth(self):
        """Whether the derivative is continuous."""
        return self.name not in PIECEWISE_LINEAR_LOSSES

    def value(self, y, s):
        """The loss."""
        return _FORMULAS[self.name](self._argument(y, s), self.width)[0]

    def left(self, y, s):
        """Derivative in the score from below."""
        return self._one_sided(y, s)[0]

    def right(self, y, s):
        """Derivative in the score from above."""
        return self._one_sided(y, s)[1]

    def derivative(self, y, s):
        """Derivative in the score; at a kink, the mean of both sides."""
        left, right = self._one_sided(y, s)
        return (left + right) / 2.0

    def curvature(self, y, s):
        """Second derivative in the score, from the side on which the loss is curved."""
        return _FORMULAS[self.name](self._argument(y, s), self.width)[3]

    def lipschitz(self, reach):
        """Largest slope for scores within ``reach`` of zero, labels -1 or 1."""
        ends = np.array([-reach, reach])
        steepest = [np.abs(side(np.full(2, y), ends)).max() for side in (self.left, self.right) for y in (-1.0, 1.0)]
        return float(max(steepest))

    def _argument(self, y, s):
        # Losses of a label depend on the margin y s, those of a number on the error s - y.
        return np.asarray(y * s if self.of_labels else s - np.asarray(y), np.float64)

    def _one_sided(self, y, s):
        _, below, above, _ = _FORMULAS[self.name](self._argument(y, s), self.width)
        if not self.of_labels:
            return below, above
        positive = np.asarray(y) > 0
        return np.where(positive, below, -above), np.where(positive, above, -below)


def _squared(e, width):
    return e**2, 2.0 * e, 2.0 * e, np.full(e.shape, 2.0)


def _epsilon_insensitive(e, width):
    below = np.where(e > width, 1.0, np.where(e <= -width, -1.0, 0.0))
    above = np.where(e >= width, 1.0, np.where(e < -width, -1.0, 0.0))
    if width == 0:
        below, above = np.where(e > 0, 1.0, -1.0), np.where(e >= 0, 1.0, -1.0)
    return np.maximum(np.abs(e) - width, 0.0), below, above, np.zeros(e.shape)


def _absolute(e, width):
    return _epsilon_insensitive(e, 0.0)


def _huber(e, width):
    inside = np.abs(e) <= width
    slope = 2.0 * np.clip(e, -width, width)
    return np.where(inside, e**2, 2.0 * width * np.abs(e) - width**2), slope, slope, np.where(inside, 2.0, 0.0)


def _hinge(v, width):
    return np.maximum(1.0 - v, 0.0), np.where(v <= 1, -1.0, 0.0), np.where(v < 1, -1.0, 0.0), np.zeros(v.shape)


def _squared_hinge(v, width):
    short = np.maximum(1.0 - v, 0.0)
    return short**2, -2.0 * short, -2.0 * short, np.where(v < 1, 2.0, 0.0)


def _modified_huber(v, width):
    short = np.maximum(1.0 - v, 0.0)
    far = v < -1
    slope = np.where(far, -4.0, -2.0 * short)
    return np.where(far, -4.0 * v, short**2), slope, slope, np.where((v >= -1) & (v < 1), 2.0, 0.0)


def _logistic(v, width):
    slope = -expit(-v)
    return np.logaddexp(0.0, -v), slope, slope, expit(v) * expit(-v)


def _exponential(v, width):
    value = np.exp(-v)
    return value, -value, -value, value


_FORMULAS = {
    "squared": _squared,
    "absolute": _absolute,
    "epsilon_insensitive": _epsilon_insensitive,
    "huber": _huber,
    "hinge": _hinge,
    "squared_hinge": _squared_hinge,
    "modified_huber": _modified_huber,
    "logistic": _logistic,
    "exponential": _exponential,
}
"""Value, derivative from below, derivative from above and curvature in the margin or the error."""
LABEL_LOSSES = ("hinge", "squared_hinge", "modified_huber", "logistic", "exponential")
"""Losses of a label -1 or 1."""
NUMBER_LOSSES = ("squared", "absolute", "epsilon_insensitive", "huber")
"""Losses of a number."""
PIECEWISE_LINEAR_LOSSES = ("absolute", "epsilon_insensitive", "hinge")
"""Losses with kinks, whose machines are quadratic programs."""
