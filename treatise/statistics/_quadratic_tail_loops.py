"""Tails of quadratic forms in normal variables, by the inversion integral on a bent contour.

The form is Q = sum_j a_j C_j + b_j Z_j with, for each j, C_j = Z_j^2 + V_j, Z_j standard normal and V_j of the
chi-square law with df_j - 1 degrees of freedom; its cumulants have the generating function

    K(s) = sum_j b_j^2 s^2 / (2 (1 - 2 a_j s)) - df_j / 2 log(1 - 2 a_j s),

in which a term with a_j = 0 is a plain normal variable and nothing is ever divided by a_j. For c > 0

    P(Q > x) = 1 / (2 pi i) int exp(K(s) - s x) / s ds  over s = c + i t.

Davies (1980) sums this integral at c = 0, where it oscillates and falls off like t^(-1 - sum df / 2). Here c is where
the integrand is least on the real line, and the line is bent to the hyperbola

    s(u) = c + rho (i sinh u + beta (cosh u - 1)),

so that the integrand neither grows nor oscillates much: the trapezoid rule in u then converges geometrically, and some
fifty points give ten digits, of tails as small as they may be.
"""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step

FIRST_STEP = 0.3
SHORT, LONG = 4.5, 45.0
"""Ends of u: of a first try with the straight line, and of every other; sinh(45) is 2e19."""
RISE = 1.1
"""How much the integrand may rise above its least value so far before a contour is given up."""
HALVINGS = 14
FARTHEST = 1e140
"""Of the saddle point, so that its square is still a number: tails of a chi-square down to x = 1e-140."""


@compiled_step
def _slopes(c, x, a, df, b2):
    """First two derivatives of K(c) - c x - log c."""
    first, second = -x - 1.0 / c, 1.0 / (c * c)
    for j in range(a.size):
        w = 1.0 - 2.0 * a[j] * c
        first += df[j] * a[j] / w + b2[j] * c * (1.0 - a[j] * c) / (w * w)
        second += 2.0 * df[j] * (a[j] / w) ** 2 + b2[j] / (w * w * w)
    return first, second


@compiled_step
def _saddle(x, a, df, b2):
    """Least point of the convex K(c) - c x - log c over c > 0, roughly, and the curvature there."""
    largest = max(0.0, a.max())
    low, high = 0.0, 0.5 / largest if largest > 0.0 else np.inf
    c = min(1.0, 0.5 * high)
    first, second = _slopes(c, x, a, df, b2)
    for _ in range(600):
        if abs(first) < 0.01 * math.sqrt(second) or c > FARTHEST:
            break
        if first > 0.0:
            high = c
        else:
            low = c
        c -= first / second
        if not low < c < high:
            c = 0.5 * (low + high) if high < np.inf else 2.0 * low
        first, second = _slopes(c, x, a, df, b2)
    return c, second


@compiled_step
def _log_of_product(product, scale, turns):
    return complex(math.log(abs(product)) + scale, math.atan2(product.imag, product.real) + 2.0 * math.pi * turns)


@compiled_step
def _log_integrand(s, x, a, df, b2):
    """K(s) - s x - log s for s in the upper half plane.

    Factors 1 - 2 a s of one sign of a turn one way by less than half a circle, so that the logarithm of their product
    follows from the product and the number of times it passes the negative axis.
    """
    total = -s * x - np.log(s)
    down, up = complex(1.0, 0.0), complex(1.0, 0.0)
    scale_down, scale_up, turns_down, turns_up = 0.0, 0.0, 0, 0
    for j in range(a.size):
        w = 1.0 - 2.0 * a[j] * s
        if b2[j] != 0.0:
            total += s * s * (0.5 * b2[j] / (w.real * w.real + w.imag * w.imag)) * w.conjugate()
        if a[j] == 0.0 or df[j] == 0.0:
            continue
        if df[j] != 1.0:
            total -= 0.5 * df[j] * np.log(w)
        elif a[j] > 0.0:
            below = down.imag < 0.0 or (down.imag == 0.0 and down.real > 0.0)
            down *= w
            turns_down -= below and down.imag > 0.0
            size = abs(down.real) + abs(down.imag)
            if size > 1e100:
                down /= size
                scale_down += math.log(size)
        else:
            above = up.imag > 0.0 or (up.imag == 0.0 and up.real > 0.0)
            up *= w
            turns_up += above and up.imag < 0.0
            size = abs(up.real) + abs(up.imag)
            if size > 1e100:
                up /= size
                scale_up += math.log(size)
    return total - 0.5 * (_log_of_product(down, scale_down, turns_down) + _log_of_product(up, scale_up, turns_up))


@compiled_step
def _points(x, a, df, b2, c, rho, height, beta, start, step, end, tiny, rise):
    """Sum of the integrand's imaginary part at u = start, start + step, ...; whether it has died away by the end."""
    total, least, u = 0.0, np.inf, start
    while u <= end:
        sinh, cosh = math.sinh(u), math.cosh(u)
        s = complex(c + rho * beta * (cosh - 1.0), rho * sinh)
        value = np.exp(_log_integrand(s, x, a, df, b2) - height)
        if not abs(value) <= rise * least and abs(value) > tiny:
            return total, False
        least = min(least, abs(value))
        value *= complex(beta * sinh, cosh)
        size = abs(value)
        total += value.imag if u > 0.0 else 0.5 * value.imag
        if size < tiny:
            return total, True
        u += step
    return total, False


@compiled_step
def _upper_tail(x, a, df, b2, tolerance):
    """P(Q > x) for x at or above the mean, in units in which Q has variance one; whether the rule settled."""
    bounded, ultimate = True, x
    for j in range(a.size):
        if a[j] != 0.0:
            ultimate += b2[j] / (4.0 * a[j])  # exp(-s ultimate) is what remains of the integrand far out
        bounded = bounded and (a[j] < 0.0 or (a[j] == 0.0 and b2[j] == 0.0))
    if bounded and ultimate >= 0.0:
        return 0.0, True  # beyond the largest value of the form
    c, curvature = _saddle(x, a, df, b2)
    # No wider than the way to the singularity on the right, which less than one degree of freedom lets come near.
    rho = min(1.0 / math.sqrt(curvature), 0.5 / max(a.max(), 1e-300) - c)
    height = _log_integrand(complex(c, 0.0), x, a, df, b2).real
    if height < -745.0:
        return 0.0, True  # less than the least number
    way = 1.0 if ultimate >= 0.0 else -1.0
    tiny, step, beta, total, died = 0.01 * tolerance, FIRST_STEP, 0.0, 0.0, False
    # The straight line never fails, but is slow where few degrees of freedom let it oscillate.
    for beta in (0.0, 0.6 * way, -0.6 * way, 0.3 * way, -0.3 * way, 0.1 * way, -0.1 * way):
        end = SHORT if beta == 0.0 else LONG
        total, died = _points(x, a, df, b2, c, rho, height, beta, 0.0, step, end, tiny, RISE)
        if died:
            break
    if not died:
        beta = 0.0
        total, died = _points(x, a, df, b2, c, rho, height, beta, 0.0, step, 20.0 * LONG, tiny, np.inf)
    value, settled = step * total, False
    for _ in range(HALVINGS):
        between, died = _points(x, a, df, b2, c, rho, height, beta, 0.5 * step, step, 20.0 * LONG, tiny, np.inf)
        total, step = total + between, 0.5 * step
        before, value = value, step * total
        # The error of each halving is about the square of the one before.
        if abs(value - before) <= tolerance**0.75 * abs(value):
            settled = died
            break
    return min(1.0, max(0.0, value * rho / math.pi * math.exp(height))), settled


@compiled_step
def quadratic_tails(x, a, df, b2, tolerance):
    """P(Q <= x), P(Q > x), and whether the smaller of them has settled within the relative tolerance."""
    mean, variance = 0.0, 0.0
    for j in range(a.size):
        mean += a[j] * df[j]
        variance += 2.0 * df[j] * a[j] * a[j] + b2[j]
    if not variance > 0.0:
        return (1.0, 0.0, True) if x >= 0.0 else (0.0, 1.0, True)
    unit = 1.0 / math.sqrt(variance)
    if x >= mean:
        above, settled = _upper_tail(unit * x, unit * a, df, unit * unit * b2, tolerance)
        return 1.0 - above, above, settled
    below, settled = _upper_tail(-unit * x, -unit * a, df, unit * unit * b2, tolerance)
    return below, 1.0 - below, settled


@compiled
def quadratic_tails_at(x, a, df, b2, tolerance, below, above):
    """Both tails at every x; how many have not settled."""
    open_ones = 0
    for i in range(x.size):
        below[i], above[i], settled = quadratic_tails(x[i], a, df, b2, tolerance)
        open_ones += not settled
    return open_ones
