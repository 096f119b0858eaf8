"""The loss of a number, in compiled code.

Each loss has its formulas beside its class; here its number leads to them. ``parameter`` is the loss's own (the level
of a quantile, half the width of a corner) and of no use to the others.
"""

import math

from treatise._core.jit import compiled
from treatise.optimize.losses.absolute import QUANTILE, quantile_at, quantile_step
from treatise.optimize.losses.hinge import (
    HINGE,
    SQUARED_HINGE,
    hinge_at,
    hinge_step,
    squared_hinge_at,
    squared_hinge_step,
)
from treatise.optimize.losses.logistic import (
    EXPONENTIAL,
    LOGISTIC,
    exponential_at,
    logistic_at,
    logistic_curvature,
    logistic_update,
)
from treatise.optimize.losses.poisson import POISSON, poisson_at, poisson_step
from treatise.optimize.losses.rounded_hinge import (
    HUBER_HINGE,
    SMOOTH_HINGE,
    huber_hinge_at,
    huber_hinge_curvature,
    smooth_hinge_at,
    smooth_hinge_curvature,
)
from treatise.optimize.losses.squared import SQUARED, squared_at, squared_step


@compiled
def loss_at(number, parameter, y, s):
    """Value and slope in the score; at a kink, the slope is zero."""
    if number == LOGISTIC:
        return logistic_at(y, s)
    if number == SQUARED:
        return squared_at(y, s)
    if number == HINGE:
        return hinge_at(y, s)
    if number == SQUARED_HINGE:
        return squared_hinge_at(y, s)
    if number == QUANTILE:
        return quantile_at(parameter, y, s)
    if number == POISSON:
        return poisson_at(y, s)
    if number == HUBER_HINGE:
        return huber_hinge_at(parameter, y, s)
    if number == SMOOTH_HINGE:
        return smooth_hinge_at(parameter, y, s)
    if number == EXPONENTIAL:
        return exponential_at(y, s)
    return math.nan, math.nan


@compiled
def loss_curvature(number, parameter, y, s):
    """Second derivative in the score; zero for losses of straight pieces."""
    if number == LOGISTIC:
        return logistic_curvature(y, s)
    if number == SQUARED:
        return 1.0
    if number == SQUARED_HINGE:
        return 2.0 if y * s < 1.0 else 0.0
    if number == POISSON:
        return math.exp(s)
    if number == HUBER_HINGE:
        return huber_hinge_curvature(parameter, y, s)
    if number == SMOOTH_HINGE:
        return smooth_hinge_curvature(parameter, y, s)
    if number == EXPONENTIAL:
        return math.exp(-y * s)
    return 0.0


@compiled
def invariant_step(number, parameter, y, s, rate, q):
    """The multiple of the scaled example that importance-weight-aware learning subtracts from the weights.

    With the scaled example A x and q = x' A x, infinitely many infinitely small gradient steps of total length
    ``rate`` (learning rate times importance) lead from the score s to s - step q (Karampatziakis and Langford,
    2011): the solution of ds/dh = -q V'(s). A loss without a formula for it takes the plain gradient step.
    """
    if q <= 0.0 or rate <= 0.0:
        return 0.0
    if number == LOGISTIC:
        return logistic_update(y, s, rate, q, True)[2]
    if number == SQUARED:
        return squared_step(y, s, rate, q)
    if number == HINGE:
        return hinge_step(y, s, rate, q)
    if number == SQUARED_HINGE:
        return squared_hinge_step(y, s, rate, q)
    if number == QUANTILE:
        return quantile_step(parameter, y, s, rate, q)
    if number == POISSON:
        return poisson_step(y, s, rate, q)
    return rate * loss_at(number, parameter, y, s)[1]
