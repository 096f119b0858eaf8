"""The urn scheme for new rows given one nested partition (equations 11 to 13 of v15-1041), in closed form."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics.conjugate._loops import (
    add_columns,
    add_linear,
    begin_linear,
    columns_log_density,
    columns_predictive,
    draw_linear,
    finish_linear,
    linear_leverage,
    row_value,
)


@compiled_step
def restaurant_posteriors(X, y, restaurants, k, linear):
    """Coefficients' posteriors of all restaurants: factors, shifts, what is left of the squares, sizes.

    The last one has no rows: it is the prior.
    """
    d = X.shape[1] + 1
    roots, pulls, left = np.empty((k + 1, d, d)), np.empty((k + 1, d)), np.zeros(k + 1)
    sizes = np.zeros(k + 1, np.int64)
    for j in range(k + 1):
        begin_linear(linear, roots[j], pulls[j])
    for i in range(len(X)):
        j = restaurants[i]
        left[j] += add_linear(linear, X[i], y[i], roots[j], pulls[j])
        sizes[j] += 1
    for j in range(k + 1):
        left[j], _ = finish_linear(roots[j], pulls[j], left[j])
    return roots, pulls, left, sizes


@compiled_step
def table_predictives(X, restaurants, tables, columns):
    """Student's laws of the columns of a further row at every table; the last table is a new one.

    Returns centres, inverses, powers and levels as :func:`columns_predictive` has them, sizes and restaurants.
    """
    n, p = X.shape
    n_tables = tables.max() + 1
    sums, squares = np.zeros((n_tables + 1, p)), np.zeros((n_tables + 1, p))
    sizes, houses = np.zeros(n_tables + 1, np.int64), np.zeros(n_tables + 1, np.int64)
    for i in range(n):
        t = tables[i]
        add_columns(columns, X[i], sums[t], squares[t])
        sizes[t] += 1
        houses[t] = restaurants[i]
    centre, inverse = np.empty((n_tables + 1, p)), np.empty((n_tables + 1, p))
    power, level = np.empty((n_tables + 1, p)), np.empty(n_tables + 1)
    for t in range(n_tables + 1):
        level[t] = columns_predictive(columns, sizes[t], sums[t], squares[t], centre[t], inverse[t], power[t])
    return centre, inverse, power, level, sizes, houses


@compiled
def row_weights(X, restaurants, tables, mass, table_masses, columns, new, log_total, shares):
    """Urn weights of equation 11 for new rows.

    Fills ``log_total`` (m,) with the log of their sum, which is the density of the row's columns, and ``shares``
    (m, k + 1) with the share of each restaurant, a new one last.
    """
    k = len(table_masses)
    centre, inverse, power, level, sizes, houses = table_predictives(X, restaurants, tables, columns)
    n_tables = len(level) - 1
    house_sizes = np.zeros(k, np.int64)
    for t in range(n_tables):
        house_sizes[houses[t]] += sizes[t]
    own = np.empty(n_tables)  # log of n_j / (alpha_theta + n) n_{l|j} / (alpha_psi + n_j)
    for t in range(n_tables):
        j = houses[t]
        joined = house_sizes[j] / (mass + len(X)) / (table_masses[j] + house_sizes[j])
        own[t] = math.log(joined * sizes[t]) + level[t]
    logs = np.empty(n_tables)
    for i in range(len(new)):
        fresh = level[n_tables] + columns_log_density(new[i], centre[n_tables], inverse[n_tables], power[n_tables])
        top = fresh
        for t in range(n_tables):
            logs[t] = own[t] + columns_log_density(new[i], centre[t], inverse[t], power[t])
            top = max(top, logs[t])
        apart = math.exp(fresh - top) / (mass + len(X))
        shares[i, k] = mass * apart
        total = shares[i, k]
        for j in range(k):
            shares[i, j] = house_sizes[j] * table_masses[j] / (table_masses[j] + house_sizes[j]) * apart
            total += shares[i, j]
        for t in range(n_tables):
            weight = math.exp(logs[t] - top)
            shares[i, houses[t]] += weight
            total += weight
        for j in range(k + 1):
            shares[i, j] /= total
        log_total[i] = top + math.log(total)


@compiled
def row_targets(X, y, restaurants, k, linear, new, location, scale, df):
    """Student's laws of the target of new rows in every restaurant, a new one last: (m, k + 1), df (k + 1,).

    Where the variance is known the law is normal, and df infinite.
    """
    roots, pulls, left, sizes = restaurant_posteriors(X, y, restaurants, k, linear)
    work, beta = np.empty(X.shape[1] + 1), np.empty(X.shape[1] + 1)
    for j in range(k + 1):
        spread = 1.0
        df[j] = np.inf
        if linear.shape > 0.0:
            shape = linear.shape + 0.5 * sizes[j]
            spread = (linear.rate + 0.5 * left[j]) / shape
            df[j] = 2.0 * shape
        beta[:] = linear.mean + pulls[j]
        for i in range(len(new)):
            location[i, j] = row_value(beta, new[i])
            scale[i, j] = math.sqrt(spread * (1.0 + linear_leverage(roots[j], new[i], work)))


@compiled
def drawn_targets(rng, X, y, restaurants, k, linear, new, location):
    """Values (1, x) beta of new rows, beta drawn from the posterior of each restaurant; a new one has its mean."""
    roots, pulls, left, sizes = restaurant_posteriors(X, y, restaurants, k, linear)
    beta = np.empty(X.shape[1] + 1)
    for j in range(k + 1):
        if j < k:
            draw_linear(rng, linear, sizes[j], roots[j], pulls[j], left[j], beta)
        else:
            beta[:] = linear.mean
        for i in range(len(new)):
            location[i, j] = row_value(beta, new[i])


@compiled
def add_student_densities(shares, location, scale, df, points, out):
    """Add to ``out`` (m, g) the mixture density at the points (m, g) of each row."""
    for j in range(shares.shape[1]):
        half = 0.5 * (df[j] + 1.0)
        known = math.lgamma(half) - math.lgamma(0.5 * df[j]) - 0.5 * math.log(df[j] * math.pi)
        for i in range(len(shares)):
            if shares[i, j] < 1e-9:
                continue
            height = shares[i, j] * math.exp(known) / scale[i, j]
            for g in range(points.shape[1]):
                z = (points[i, g] - location[i, j]) / scale[i, j]
                out[i, g] += height * math.exp(-half * math.log1p(z * z / df[j]))
