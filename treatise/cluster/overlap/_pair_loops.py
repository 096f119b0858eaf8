"""Probabilities that a draw of one Gaussian component looks more like one of another, for many pairs."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics._quadratic_tail_loops import quadratic_tails

SAME = 1e-12
"""Ratios of variances this close, relatively, are taken for equal."""


@compiled_step
def _normal_below(x):
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


@compiled_step
def _square_below(x, a, b2):
    """P(a Z^2 + b Z <= x) for a != 0: the normal variable lies between the roots of the quadratic, or outside."""
    m = math.sqrt(b2) / (2.0 * abs(a))
    y = x / a + m * m
    if y <= 0.0:
        return 0.0 if a > 0.0 else 1.0
    # The nearer root in the form that does not cancel for small a.
    far = math.sqrt(y) + m
    near = x / (a * far)
    outside = _normal_below(-near) + _normal_below(-far)
    if a < 0.0:
        return outside
    return 1.0 - outside if outside < 0.5 else max(0.0, _normal_below(near) - _normal_below(-far))


@compiled_step
def _form_below(x, a, df, b2, n_terms, tolerance):
    """P(Q <= x) for a form of merged terms; a form that is constant and ties is broken either way."""
    if n_terms == 1 and a[0] == 0.0:
        if b2[0] > 0.0:
            return _normal_below(x / math.sqrt(b2[0])), True
        if abs(x) <= SAME:
            return 0.5, True
    if n_terms == 1 and df[0] == 1.0 and a[0] != 0.0:
        return _square_below(x, a[0], b2[0]), True
    below, _, settled = quadratic_tails(x, a[:n_terms], df[:n_terms], b2[:n_terms], tolerance)
    return below, settled


@compiled_step
def _pair(ratios, shifts, log_odds, terms, tolerance):
    """Both misclassification probabilities of a pair.

    In a basis in which the second component is standard normal at the origin, the first has variances ``ratios`` and
    squared means ``shifts``. A draw of the first goes to the second where sum (ratio - 1) Z^2 + 2 sqrt(ratio) mean Z is
    at most log_odds + sum log ratio - sum shift; and the other way round with ratio and shift seen from the first.
    """
    a, df, b2, there, there2 = terms[0], terms[1], terms[2], terms[3], terms[4]
    n_terms, logs, shift, shift_back = -1, 0.0, 0.0, 0.0
    last = -1.0
    for j in range(ratios.size):
        ratio = 1.0 if abs(ratios[j] - 1.0) <= SAME else ratios[j]
        if abs(ratio - last) > SAME * ratio:
            n_terms += 1
            a[n_terms], df[n_terms], b2[n_terms] = ratio - 1.0, 0.0, 0.0
            there[n_terms], there2[n_terms] = 1.0 / ratio - 1.0, 0.0
            last = ratio
        df[n_terms] += 1.0
        b2[n_terms] += 4.0 * ratio * shifts[j]
        there2[n_terms] += 4.0 * shifts[j] / (ratio * ratio)
        logs += math.log(ratio)
        shift += shifts[j]
        shift_back += shifts[j] / ratio
    n_terms += 1
    to_second, settled = _form_below(log_odds + logs - shift, a, df, b2, n_terms, tolerance)
    to_first, settled_back = _form_below(-log_odds - logs - shift_back, there, df, there2, n_terms, tolerance)
    return to_second, to_first, settled and settled_back


@compiled
def pair_bounds(first, second, ratios, shifts, log_weights, scales, bounds):
    """Bhattacharyya's bound on the overlap of every pair, its components' covariances multiplied by ``scales``."""
    for k in range(first.size):
        i, j = first[k], second[k]
        distance = 0.0
        for feature in range(ratios.shape[1]):
            ratio = ratios[k, feature] * scales[i] / scales[j]
            shift = shifts[k, feature] / scales[j]
            distance += 0.25 * shift / (1.0 + ratio) + 0.5 * math.log(0.5 * (1.0 + ratio) / math.sqrt(ratio))
        # The errors weighted by pi_i and pi_j sum to sqrt(pi_i pi_j) exp(-distance) at most.
        bounds[k] = math.exp(0.5 * abs(log_weights[i] - log_weights[j]) - distance)


@compiled
def pair_overlaps(chosen, first, second, ratios, shifts, log_weights, scales, tolerance, start, stop, found):
    """The two misclassification probabilities of the chosen pairs from start to stop; how many did not settle."""
    p = ratios.shape[1]
    terms, here, there, open_ones = np.empty((5, p)), np.empty(p), np.empty(p), 0
    for number in range(start, stop):
        k = chosen[number]
        i, j = first[k], second[k]
        for feature in range(p):
            here[feature] = ratios[k, feature] * scales[i] / scales[j]
            there[feature] = shifts[k, feature] / scales[j]
        log_odds = 2.0 * (log_weights[j] - log_weights[i])
        to_second, to_first, settled = _pair(here, there, log_odds, terms, tolerance)
        found[number, 0], found[number, 1] = to_second, to_first
        open_ones += not settled
    return open_ones
