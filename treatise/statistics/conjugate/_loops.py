"""Steps of compiled samplers: posteriors of a linear model and of independent normal columns."""

import math

from treatise._core.jit import compiled_step

LOG_TWO_PI = math.log(2.0 * math.pi)


@compiled_step
def factor_in_place(A):
    """Cholesky factor of a positive definite matrix over its lower part; the part above is not looked at."""
    d = len(A)
    for j in range(d):
        pivot = A[j, j]
        for k in range(j):
            pivot -= A[j, k] * A[j, k]
        # Rounding alone takes a pivot of a positive definite matrix to zero.
        root = math.sqrt(pivot) if pivot > 1e-300 else 1e-150
        A[j, j] = root
        for i in range(j + 1, d):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / root


@compiled_step
def solve_lower(L, x):
    """``L^-1 x`` over x."""
    for i in range(len(x)):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]


@compiled_step
def solve_upper(L, x):
    """``L'^-1 x`` over x."""
    for i in range(len(x) - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, len(x)):
            total -= L[k, i] * x[k]
        x[i] = total / L[i, i]


@compiled_step
def begin_linear(prior, root, pull):
    """Sums of a linear model over no row yet: ``root`` holds the precision C, ``pull`` will hold U'(y - U beta_0)."""
    root[:, :] = prior.precision
    pull[:] = 0.0


@compiled_step
def add_linear(prior, x, y, root, pull):
    """Add a row (1, x) with target y to the sums; returns the square of y less what the prior expects."""
    p = len(x)
    left = y - prior.mean[0]
    for h in range(p):
        left -= prior.mean[h + 1] * x[h]
    root[0, 0] += 1.0
    pull[0] += left
    for h in range(p):
        root[h + 1, 0] += x[h]
        pull[h + 1] += x[h] * left
        for g in range(h + 1):
            root[h + 1, g + 1] += x[h] * x[g]
    return left * left


@compiled_step
def finish_linear(root, pull, square):
    """Turn sums into the posterior: ``root`` becomes the factor of C + U'U, ``pull`` the solution of it with the pull.

    Returns what is left of the sum of squares, (y - U beta_0)'(I - U (C + U'U)^-1 U')(y - U beta_0), and half the log
    determinant.
    """
    factor_in_place(root)
    solve_lower(root, pull)
    half_log_det = 0.0
    for h in range(len(pull)):
        square -= pull[h] * pull[h]
        half_log_det += math.log(root[h, h])
    solve_upper(root, pull)
    return max(square, 0.0), half_log_det


@compiled_step
def linear_log_evidence(prior, n, left, half_log_det):
    """Log probability of n targets, from what :func:`finish_linear` returns."""
    fixed = -0.5 * n * LOG_TWO_PI + prior.half_log_det - half_log_det
    if prior.shape == 0.0:  # the variance is known: one
        return fixed - 0.5 * left
    shape, rate = prior.shape + 0.5 * n, prior.rate + 0.5 * left
    known = math.lgamma(shape) - math.lgamma(prior.shape)
    return fixed + known + prior.shape * math.log(prior.rate) - shape * math.log(rate)


@compiled_step
def draw_linear(rng, prior, n, root, pull, left, out):
    """A draw of the coefficients into ``out``; returns one of the variance. ``root`` and ``pull`` are finished."""
    variance = 1.0
    if prior.shape > 0.0:
        variance = (prior.rate + 0.5 * left) / rng.standard_gamma(prior.shape + 0.5 * n)
    deviation = math.sqrt(variance)
    for h in range(len(out)):
        out[h] = rng.standard_normal()
    solve_upper(root, out)
    for h in range(len(out)):
        out[h] = prior.mean[h] + pull[h] + deviation * out[h]
    return variance


@compiled_step
def draw_columns(rng, prior, n, sums, squares, centre, tightness):
    """Draw means and precisions of independent normal columns given sums and squares about the prior's means.

    Returns what does not depend on a row in the log density of one.
    """
    level = -0.5 * len(centre) * LOG_TWO_PI
    for h in range(len(centre)):
        weight = prior.weight[h] + n
        rate = prior.rate[h] + 0.5 * max(squares[h] - sums[h] * sums[h] / weight, 0.0)
        # A gamma of a small shape may underflow.
        precision = max(rng.standard_gamma(prior.shape[h] + 0.5 * n), 1e-200) / rate
        centre[h] = prior.mean[h] + sums[h] / weight + rng.standard_normal() / math.sqrt(precision * weight)
        tightness[h] = precision
        level += 0.5 * math.log(precision)
    return level


@compiled_step
def columns_predictive(prior, n, sums, squares, centre, inverse, power):
    """Student's laws of the next row of independent normal columns, given sums and squares about the prior's means.

    Column h has the log density ``-power log(1 + (x - centre)^2 inverse)`` and a constant; returns the sum of the
    constants.
    """
    level = 0.0
    for h in range(len(centre)):
        weight, shape = prior.weight[h] + n, prior.shape[h] + 0.5 * n
        rate = prior.rate[h] + 0.5 * max(squares[h] - sums[h] * sums[h] / weight, 0.0)
        centre[h] = prior.mean[h] + sums[h] / weight
        inverse[h] = weight / (2.0 * rate * (weight + 1.0))
        power[h] = shape + 0.5
        level += math.lgamma(shape + 0.5) - math.lgamma(shape) + 0.5 * math.log(inverse[h] / math.pi)
    return level


@compiled_step
def add_columns(prior, x, sums, squares):
    """Add a row to sums and squares about the prior's means."""
    for h in range(len(x)):
        away = x[h] - prior.mean[h]
        sums[h] += away
        squares[h] += away * away


@compiled_step
def columns_log_density(x, centre, inverse, power):
    """The part of the log density of :func:`columns_predictive` that depends on the row."""
    total, product = 0.0, 1.0
    for h in range(len(x)):
        away = x[h] - centre[h]
        product *= 1.0 + away * away * inverse[h]
        # Columns of one power share a logarithm, as far as their product can be held.
        if h + 1 == len(x) or power[h + 1] != power[h] or product > 1e100:
            total -= power[h] * math.log(product)
            product = 1.0
    return total


@compiled_step
def linear_leverage(root, x, work):
    """``u'(C + U'U)^-1 u`` of the row u = (1, x), from the factor."""
    work[0] = 1.0
    for h in range(len(x)):
        work[h + 1] = x[h]
    solve_lower(root, work)
    total = 0.0
    for h in range(len(work)):
        total += work[h] * work[h]
    return total


@compiled_step
def log_normal_cdf(z):
    """Logarithm of the standard normal distribution function, its far tail included."""
    if z > 0.0:
        return math.log1p(-0.5 * math.erfc(z / math.sqrt(2.0)))
    if z > -20.0:
        return math.log(0.5 * math.erfc(-z / math.sqrt(2.0)))
    square = 1.0 / (z * z)
    series = 1.0 - square * (1.0 - 3.0 * square * (1.0 - 5.0 * square))
    return -0.5 * (z * z + LOG_TWO_PI) - math.log(-z) + math.log(series)


@compiled_step
def row_value(coefficients, x):
    """``(1, x) coefficients``."""
    total = coefficients[0]
    for h in range(len(x)):
        total += coefficients[h + 1] * x[h]
    return total
