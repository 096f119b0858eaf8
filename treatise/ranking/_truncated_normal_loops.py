"""First two moments of a Gaussian cut by a game's outcome (Weng & Lin, Equations 67-69), for any argument.

With Z standard normal, "i beats q" leaves Z above a threshold and "i draws with q" leaves it in an interval;
V and Ṽ are the shifts of its mean, W and W̃ the losses of variance. The quotients as printed turn into 0/0
in the tails, so each tail has a form of its own.
"""

import math

from treatise._core.jit import compiled_step

_ROOT_HALF = math.sqrt(0.5)
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
_FAR = 20.0  # beyond it ten terms of the continued fraction are exact to the last bit
_VERY_FAR = 1000.0  # beyond it the tail is an exponential to one part in 10^12
_NARROW = 1e-5  # below it an interval is a point to one part in 10^11


@compiled_step
def density(x):
    """Standard normal density."""
    return math.exp(-0.5 * x * x) / _ROOT_TWO_PI


@compiled_step
def upper_tail(x):
    """Probability that a standard normal exceeds x."""
    return 0.5 * math.erfc(x * _ROOT_HALF)


@compiled_step
def tail_excess(x):
    """Mean of a standard normal beyond x, less x, for x > 20 (Laplace's continued fraction)."""
    fraction = x
    for level in range(11, 1, -1):
        fraction = x + level / fraction
    return 1.0 / fraction


@compiled_step
def win_moments(x, t):
    """V(x, t) and W(x, t) of Equation 67: the surprise of a win, and the variance it takes away."""
    cut = t - x
    if cut > _FAR:
        excess = tail_excess(cut)
        return cut + excess, (cut + excess) * excess
    v = density(cut) / upper_tail(cut)
    return v, v * (v - cut)


@compiled_step
def draw_moments(x, t):
    """Ṽ(x, t) and W̃(x, t) of Equations 68 and 69: minus the mean, and one less the variance, inside (x-t, x+t)."""
    sign = 1.0 if x >= 0.0 else -1.0
    near, far = abs(x) - t, abs(x) + t
    if t < _NARROW:
        return -x, 1.0
    if near > _VERY_FAR:
        # Beyond `near` the density falls like exp(-near * u), cut again at the width 2t.
        width = 2.0 * t
        decay = math.exp(-near * width)
        mean = near + 1.0 / near - width * decay / (1.0 - decay)
        return -sign * mean, 1.0 - 1.0 / near**2 + width**2 * decay / (1.0 - decay) ** 2
    if near < 0.0:
        mass = 0.5 * (math.erf(far * _ROOT_HALF) - math.erf(near * _ROOT_HALF))
        low, high = density(near), density(far)
    else:
        # Everything over the density at the near end, which is the larger one.
        low, high = 1.0, math.exp(-2.0 * abs(x) * t)
        mass = mills_ratio(near) - high * mills_ratio(far)
    mean = (low - high) / mass
    loss = (far * high - near * low) / mass + mean * mean
    return -sign * mean, min(max(loss, 0.0), 1.0)


@compiled_step
def mills_ratio(x):
    """Upper tail over density, for x >= 0."""
    if x > _FAR:
        return 1.0 / (x + tail_excess(x))
    return upper_tail(x) / density(x)
