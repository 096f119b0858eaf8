"""What happens in every round of a game with experts, whatever the strategy.

A game is kept as ``excess``, the cumulative loss of every expert above the leader's. It starts at zero, stays
small however large the losses are, and makes ties exact: the leaders are the experts with excess zero.
"""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step

# Columns of the course of a game, one row a round.
PAID, REGRET, RATE, GAP, REGIME = range(5)
N_COLUMNS = 5

_LOG2_E = 1.4426950408889634
# log 2 in two parts, of which the first ends in zeros, so that small multiples of it are exact.
_LOG_2_HIGH = 0.6931471803691238
_LOG_2_LOW = 1.9082149292705877e-10
# Adding 1.5 * 2^52 to a small number puts the integer nearest to it into the last bits of the sum.
_ROUNDER = 6755399441055744.0
# exp(-708) is still a normal number.
_LOWEST = -708.0
# Below this many numbers the library's exponential is faster.
_FEW = 32


@compiled
def all_within(losses, limit):
    """Whether no loss is missing or larger than the limit."""
    for t in range(losses.shape[0]):
        for k in range(losses.shape[1]):
            if not abs(losses[t, k]) <= limit:
                return False
    return True


@compiled
def settle(losses, weights, excess):
    """Pay for a round: the weighted loss and by how much the regret grew; the excess changes in place.

    With x the losses above the round's smallest, the leader's cumulative loss rises by min(excess + x), and
    the regret by sum_k w_k (x_k - rise).
    """
    low = losses[0]
    for k in range(len(losses)):
        low = min(low, losses[k])
    rise = math.inf
    for k in range(len(losses)):
        excess[k] += losses[k] - low
        rise = min(rise, excess[k])
    paid, regret = 0.0, 0.0
    for k in range(len(losses)):
        above = losses[k] - low
        paid += weights[k] * above
        regret += weights[k] * (above - rise)
        excess[k] -= rise
    return low + paid, regret


@compiled
def exponential_weights(rate, tolerance, excess, weights):
    """Weights proportional to exp(-rate * excess); where the rate is infinite those within the tolerance share alike.

    Gives the sum before normalising, from 1 to the number of experts.
    """
    if math.isinf(rate):
        total = 0.0
        for k in range(len(excess)):
            weights[k] = 1.0 if excess[k] <= tolerance else 0.0
            total += weights[k]
    else:
        total = decay(rate, excess, weights)
    for k in range(len(excess)):
        weights[k] /= total
    return total


@compiled
def mixability_gap(rate, tolerance, total, regret, excess):
    """The loss paid less the mix loss of the round, at the rate at which the weights were made.

    ``total`` is the sum of exp(-rate * excess) before the round, ``excess`` that after it: the mix loss is the
    rise of the leader's loss less log(after / before) / rate. At an infinite rate the gap is what the regret grew, if
    by more than the tolerance, within which nobody was overtaken.
    """
    if math.isinf(rate):
        return regret if regret > tolerance else 0.0
    after = total_decay(rate, excess)
    # Jensen says that the gap is never negative; rounding may.
    return max(0.0, regret + math.log(after / total) / rate)


@compiled
def note(course, t, paid, regret, rate, gap):
    """Write a round into the course of the game."""
    course[t, PAID] = paid
    course[t, REGRET] = regret
    course[t, RATE] = rate
    course[t, GAP] = gap
    course[t, REGIME] = 0.0


@compiled
def keep(history, t, weights):
    """Remember the weights of a round where someone asked for them."""
    if history.shape[0] > 0:
        history[t] = weights


@compiled
def decay(rate, excess, out):
    """exp(-rate * excess) into ``out``, and their sum; exp(-708) stands for all that is smaller."""
    if len(excess) < _FEW:
        for k in range(len(excess)):
            out[k] = math.exp(-rate * excess[k])
    else:
        _vector_decay(rate, excess, out, np.empty(len(excess)))
    total = 0.0
    for k in range(len(excess)):
        total += out[k]
    return total


@compiled
def total_decay(rate, excess):
    """The sum of exp(-rate * excess)."""
    if len(excess) >= _FEW:
        return decay(rate, excess, np.empty(len(excess)))
    total = 0.0
    for k in range(len(excess)):
        total += math.exp(-rate * excess[k])
    return total


@compiled_step
def _vector_decay(rate, excess, out, rounded):
    """The exponentials, written so that the compiler makes vector instructions of them.

    exp(x) = 2^n exp(r), n the integer nearest to x / log 2 and r the rest, at most 0.347 in size.

    The Taylor series to the power 13 leaves 4e-18 of exp(r). 2^n is made by adding n to the bits of the exponent.
    """
    for k in range(len(excess)):
        x = max(-rate * excess[k], _LOWEST)
        shifted = x * _LOG2_E + _ROUNDER
        n = shifted - _ROUNDER
        r = (x - n * _LOG_2_HIGH) - n * _LOG_2_LOW
        series = 1.0 / 6227020800.0
        series = series * r + 1.0 / 479001600.0
        series = series * r + 1.0 / 39916800.0
        series = series * r + 1.0 / 3628800.0
        series = series * r + 1.0 / 362880.0
        series = series * r + 1.0 / 40320.0
        series = series * r + 1.0 / 5040.0
        series = series * r + 1.0 / 720.0
        series = series * r + 1.0 / 120.0
        series = series * r + 1.0 / 24.0
        series = series * r + 1.0 / 6.0
        series = series * r + 0.5
        series = series * r + 1.0
        out[k] = series * r + 1.0
        rounded[k] = shifted
    bits, exponents = out.view(np.int64), rounded.view(np.int64)
    for k in range(len(excess)):
        bits[k] += exponents[k] << 52
