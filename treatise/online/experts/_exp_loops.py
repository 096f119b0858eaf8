"""The exponential of many numbers at once, written so that the compiler makes vector instructions of it."""

import math

import numpy as np

from treatise._core.jit import compiled

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
def decay(rate, excess, out):
    """exp(-rate * excess) into ``out``, and their sum; exp(-708) stands for all that is smaller."""
    if len(excess) < _FEW:
        for k in range(len(excess)):
            out[k] = math.exp(-rate * excess[k])
    else:
        vector_decay(rate, excess, out, np.empty(len(excess)))
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


@compiled
def vector_decay(rate, excess, out, rounded):
    """exp(x) = 2^n exp(r), n the integer nearest to x / log 2 and r the rest, at most 0.347 in size.

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
