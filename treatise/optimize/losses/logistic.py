"""The logistic loss of a label, and the exponential one."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from treatise._core.jit import compiled
from treatise.optimize.losses.loss import Loss

LOGISTIC = 0
EXPONENTIAL = 8


@dataclass(frozen=True)
class LogisticLoss(Loss):
    """Negative log-likelihood of a label whose log-odds are the score, ``log(1 + exp(-y s))``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import LogisticLoss
    >>> LogisticLoss().value(np.array([1.0, -1.0]), np.array([0.0, 2.0])).round(4)
    array([0.6931, 2.1269])
    """

    name = "logistic"
    number = LOGISTIC
    of_labels = True
    curvature_bound = 0.25

    def value(self, y, s):
        """The loss."""
        return np.logaddexp(0.0, -y * s)

    def derivative(self, y, s):
        """Derivative in the score."""
        return -y * expit(-y * s)

    def curvature(self, y, s):
        """Second derivative in the score."""
        z = y * s
        return expit(z) * expit(-z)


@compiled
def logistic_at(y, s):
    """Value and slope, written so that no exponential overflows."""
    margin = y * s
    decay = math.exp(-abs(margin))
    return math.log1p(decay) + max(-margin, 0.0), -y * (decay if margin > 0.0 else 1.0) / (1.0 + decay)


@compiled
def logistic_curvature(y, s):
    """Second derivative."""
    decay = math.exp(-abs(y * s))
    return decay / ((1.0 + decay) * (1.0 + decay))


@compiled
def logistic_update(y, s, rate, q, invariant):
    """Value, slope and step, which share an exponential; the step is that of the gradient flow if ``invariant``.

    By how much the flow raises the margin m is the g that solves g + e^m (e^g - 1) = rate q. It is begun from the
    second-order expansion, or below its logarithmic bound where that is far off, and each of Halley's iterations cubes
    the error; written for g no digits are lost where the gain is small.
    """
    margin = y * s
    decay = math.exp(-abs(margin))
    loss = math.log1p(decay) + max(-margin, 0.0)
    slope = -y * (decay if margin > 0.0 else 1.0) / (1.0 + decay)
    if not invariant or q <= 0.0:
        return loss, slope, rate * slope
    if margin > 35.0:  # the slope no longer varies
        return loss, slope, -y * rate * decay
    base, reach = 1.0 / decay if margin > 0.0 else decay, rate * q
    bend = 1.0 + base
    gain = 2.0 * reach / (bend + math.sqrt(bend * bend + 2.0 * base * reach))
    if gain > 1.0:
        gain = min(gain, max(math.log(max(margin + base + reach, 1.0)) - margin, 0.0))
    for _ in range(30):
        risen = base * math.expm1(gain)
        short, rise = gain + risen - reach, base + risen
        change = short / (1.0 + rise - 0.5 * short * rise / (1.0 + rise))
        gain -= change
        if abs(change) <= 1e-5 * gain:
            break
    return loss, slope, -y * gain / q


@dataclass(frozen=True)
class ExponentialLoss(Loss):
    """The loss of boosting, ``exp(-y s)``: a far outlier outweighs everything.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import ExponentialLoss
    >>> ExponentialLoss().value(1.0, np.array([-1.0, 0.0])).round(4)
    array([2.7183, 1.    ])
    """

    name = "exponential"
    number = EXPONENTIAL
    of_labels = True

    def value(self, y, s):
        """The loss."""
        return np.exp(-y * s)

    def derivative(self, y, s):
        """Derivative in the score."""
        return -y * np.exp(-y * s)

    def curvature(self, y, s):
        """Second derivative in the score."""
        return np.exp(-y * s)


@compiled
def exponential_at(y, s):
    """Value and slope."""
    price = math.exp(-y * s)
    return price, -y * price
