"""The best variance of one block while the others are held: a search in one dimension, in compiled loops.

Without the block itself, ``S = G_i' W G_i`` has the eigenvalues d and ``G_i' W y`` the squared parts s along its
eigenvectors. In the block's variance v the objective is ``sum_k log(1 + v d_k) / 2 - v s_k / (1 + v d_k) / 2 + gamma
v``, plus a constant.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_PLACES = np.geomspace(1e-8, 1.0, 33)
"""Where the slope is looked at, as shares of a variance beyond which it is positive."""


def best_variance(d, squares, gamma, determinant, old):
    """The variance with the lowest objective, of all minima from zero on and of the old variance."""
    return lowest_minimum(d, squares, float(gamma), float(determinant), float(old), _PLACES)


def sweep_columns(T, pull, variances, columns, gamma, determinant):
    """The sweep over blocks of one column each, in place; gives the changes of log determinant and quadratic form."""
    return sweep_single_columns(T, pull, variances, columns, float(gamma), float(determinant), _PLACES)


@compiled_step
def slope_of_variance(variance, d, squares, gamma, determinant):
    """Derivative of the objective in one block's variance."""
    slope = gamma
    for k in range(len(d)):
        share = 1.0 + variance * d[k]
        slope += 0.5 * determinant * d[k] / share - 0.5 * squares[k] / share**2
    return slope


@compiled_step
def value_of_variance(variance, d, squares, gamma, determinant):
    """The objective in one block's variance, zero at zero."""
    value = gamma * variance
    for k in range(len(d)):
        share = 1.0 + variance * d[k]
        value += 0.5 * determinant * np.log(share) - 0.5 * variance * squares[k] / share
    return value


@compiled_step
def sign_change(low, high, d, squares, gamma, determinant):
    """Where the slope, negative at ``low`` and not at ``high``, changes its sign: by halving, to the last bit."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if slope_of_variance(middle, d, squares, gamma, determinant) < 0.0:
            low = middle
        else:
            high = middle
    return high


@compiled_step
def rising_from(d, squares, gamma, determinant):
    """A variance beyond which no term of the slope is negative; zero where there is nothing to gain."""
    top = 0.0
    for k in range(len(d)):
        if d[k] > 0.0:
            if determinant > 0.0:
                top = max(top, squares[k] / (determinant * d[k] ** 2))
            else:
                top = max(top, np.sqrt(0.5 * len(d) * squares[k] / gamma) / d[k])
    return top * 1.0000001


@compiled
def lowest_minimum(d, squares, gamma, determinant, old, places):
    """The lowest of the minima over the variances from zero, each found where the slope changes its sign."""
    best, lowest = 0.0, 0.0
    top = rising_from(d, squares, gamma, determinant)
    if not top > 0.0:
        return best
    before, slope_before = 0.0, slope_of_variance(0.0, d, squares, gamma, determinant)
    for g in range(len(places)):
        at = top * places[g]
        slope = slope_of_variance(at, d, squares, gamma, determinant)
        if slope_before < 0.0 <= slope:
            variance = sign_change(before, at, d, squares, gamma, determinant)
            value = value_of_variance(variance, d, squares, gamma, determinant)
            if value < lowest:
                best, lowest = variance, value
        before, slope_before = at, slope
    if old > 0.0 and value_of_variance(old, d, squares, gamma, determinant) < lowest:
        return old
    return best


@compiled
def sweep_single_columns(T, pull, variances, columns, gamma, determinant, places):
    """Every one of ``columns`` at its best variance; ``T = G' W G`` and ``pull = G' W y`` follow by a rank of one."""
    m, log_det, quadratic = len(pull), 0.0, 0.0
    d, square, column = np.empty(1), np.empty(1), np.empty(m)
    for i in columns:
        old = variances[i]
        rest = max(1.0 - old * T[i, i], 1e-14)
        d[0], square[0] = max(T[i, i], 0.0) / rest, (pull[i] / rest) ** 2
        new = lowest_minimum(d, square, gamma, determinant, old, places)
        if new == old:
            continue
        delta = new - old
        share = 1.0 + delta * T[i, i]
        factor, own = delta / share, pull[i]
        quadratic -= factor * own * own
        log_det += np.log(share)
        for a in range(m):
            column[a] = T[i, a]
        for a in range(m):
            scaled = factor * column[a]
            pull[a] -= scaled * own
            for b in range(m):
                T[a, b] -= scaled * column[b]
        variances[i] = new
    return log_det, quadratic
