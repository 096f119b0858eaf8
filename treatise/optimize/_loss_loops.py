"""Losses of a linear prediction p against a label y: value, slope, curvature, and the step that importance asks for.

``kind`` names the loss, ``tau`` is the level of the quantile loss and of no use to the others. Margin losses take
labels -1 and 1.
"""

import math

from treatise._core.jit import compiled

LOGISTIC, SQUARED, HINGE, SQUARED_HINGE, QUANTILE, POISSON = range(6)


@compiled
def loss_value(kind, tau, p, y):
    """The loss."""
    if kind == LOGISTIC:
        margin = y * p
        return math.log1p(math.exp(-margin)) if margin > 0.0 else math.log1p(math.exp(margin)) - margin
    if kind == SQUARED:
        return 0.5 * (p - y) * (p - y)
    if kind == HINGE:
        return max(0.0, 1.0 - y * p)
    if kind == SQUARED_HINGE:
        short = max(0.0, 1.0 - y * p)
        return short * short
    if kind == QUANTILE:
        return tau * (y - p) if y > p else (1.0 - tau) * (p - y)
    return math.exp(p) - y * p


@compiled
def loss_slope(kind, tau, p, y):
    """The derivative of the loss in the prediction; at a kink, the one that does not move."""
    if kind == LOGISTIC:
        margin = y * p
        # Written so that no exponential overflows.
        return -y / (1.0 + math.exp(margin)) if margin < 0.0 else -y * math.exp(-margin) / (1.0 + math.exp(-margin))
    if kind == SQUARED:
        return p - y
    if kind == HINGE:
        return -y if y * p < 1.0 else 0.0
    if kind == SQUARED_HINGE:
        return -2.0 * y * max(0.0, 1.0 - y * p)
    if kind == QUANTILE:
        if p == y:
            return 0.0
        return -tau if y > p else 1.0 - tau
    return math.exp(p) - y


@compiled
def loss_curvature(kind, tau, p, y):
    """The second derivative of the loss in the prediction; 1 for the losses that have none, as a scale."""
    if kind == LOGISTIC:
        decay = math.exp(-abs(p))
        return decay / ((1.0 + decay) * (1.0 + decay))
    if kind == SQUARED_HINGE:
        return 2.0 if y * p < 1.0 else 0.0
    if kind == POISSON:
        return math.exp(p)
    return 1.0


@compiled
def logistic_gain(margin, reach):
    """The g with g + exp(margin) (exp(g) - 1) = reach: by how much a step of that reach raises the margin.

    The margin after it, u = margin + g, solves u + exp(u) = margin + exp(margin) + reach, which is the Lambert function
    in the log domain; written for g no digits are lost where the gain is small.
    """
    base = math.exp(margin)
    total = margin + base + reach
    # The left side is convex in g and at most reach at this start, and Newton then overshoots once at most.
    gain = max((math.log(total) if total > 1.0 else total) - margin, 0.0)
    gain = min(gain, reach / (1.0 + base))
    for _ in range(30):
        rise = math.exp(margin + gain)
        change = (gain + base * math.expm1(gain) - reach) / (1.0 + rise)
        gain -= change
        # Convergence is quadratic: what is left is of the order of the square of this.
        if abs(change) <= 1e-8 * gain:
            break
    return gain


@compiled
def invariant_step(kind, tau, p, y, rate, q):
    """The multiple s of the scaled example that importance-weight-aware learning subtracts from the weights.

    With the scaled example A x and q = x' A x, infinitely many infinitely small gradient steps of total length
    ``rate`` (learning rate times importance) lead from the prediction p to p - s q (Karampatziakis and Langford,
    2011): the solution of dp/dh = -q l'(p).
    """
    if q <= 0.0 or rate <= 0.0:
        return 0.0
    reach = rate * q
    if kind == LOGISTIC:
        margin = y * p
        if margin > 35.0:  # the slope no longer varies
            return -y * rate * math.exp(-margin)
        return -y * logistic_gain(margin, reach) / q
    if kind == SQUARED:
        return -(p - y) * math.expm1(-reach) / q
    if kind == HINGE:
        short = 1.0 - y * p
        return -y * min(rate, short / q) if short > 0.0 else 0.0
    if kind == SQUARED_HINGE:
        short = 1.0 - y * p
        return y * short * math.expm1(-2.0 * reach) / q if short > 0.0 else 0.0
    if kind == QUANTILE:
        if y > p:
            return -min(tau * rate, (y - p) / q)
        return min((1.0 - tau) * rate, (p - y) / q)
    # Poisson: exp(-p) solves a linear equation.
    if y == 0.0:
        return math.log1p(reach * math.exp(p)) / q
    return math.log1p(math.expm1(-y * reach) * (1.0 - math.exp(p) / y)) / q


@compiled
def loss_over(kind, tau, predictions, labels, out, order):
    """Value, slope or curvature (``order`` 0, 1, 2) for every prediction."""
    for i in range(len(predictions)):
        if order == 0:
            out[i] = loss_value(kind, tau, predictions[i], labels[i])
        elif order == 1:
            out[i] = loss_slope(kind, tau, predictions[i], labels[i])
        else:
            out[i] = loss_curvature(kind, tau, predictions[i], labels[i])
