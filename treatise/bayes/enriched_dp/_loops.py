"""A sweep over the rows (equation 16 of v15-1041), and the redrawing of all parameters."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.bayes.enriched_dp._seating import N_RESTAURANTS, N_TABLES
from treatise.statistics.conjugate._loops import (
    LOG_TWO_PI,
    add_columns,
    add_linear,
    begin_linear,
    columns_log_density,
    columns_predictive,
    draw_columns,
    draw_linear,
    finish_linear,
    linear_leverage,
    log_normal_cdf,
    row_value,
)
from treatise.statistics.partitions._loops import draw_mass
from treatise.statistics.sampling.random_numbers import categorical_draw, normal_tail

NEGLIGIBLE = -45.0
"""Log of a weight, beside the largest, that counts as none: one in 10^19."""


@compiled_step
def fresh_table_mass(rng, masses):
    """alpha_psi of a new restaurant: a draw from its prior, or the value that is given."""
    if masses.table_rate == 0.0:
        return masses.table_shape
    return max(rng.standard_gamma(masses.table_shape) / masses.table_rate, 1e-200)


@compiled_step
def log_target(rows, seating, i, j):
    """log K(y_i | x_i, theta_j); of a probit model with the latent target integrated out."""
    value = row_value(seating.beta[j], rows.X[i])
    if len(rows.signs) > 0:
        return log_normal_cdf(rows.signs[i] * value)
    away = rows.y[i] - value
    return -0.5 * (LOG_TWO_PI + math.log(seating.variance[j]) + away * away / seating.variance[j])


@compiled_step
def log_columns(x, centre, tightness, level):
    """log K(x | psi)."""
    total = 0.0
    for h in range(len(x)):
        away = x[h] - centre[h]
        total += tightness[h] * away * away
    return level - 0.5 * total


@compiled_step
def close_restaurant(seating, j):
    """Take an empty restaurant away; the last one gets its number."""
    last = seating.tally[N_RESTAURANTS] - 1
    seating.tally[N_RESTAURANTS] = last
    if j != last:
        seating.restaurant_size[j] = seating.restaurant_size[last]
        seating.n_tables_of[j] = seating.n_tables_of[last]
        seating.beta[j] = seating.beta[last]
        seating.variance[j] = seating.variance[last]
        seating.table_mass[j] = seating.table_mass[last]
        for t in range(seating.tally[N_TABLES]):
            if seating.restaurant_of[t] == last:
                seating.restaurant_of[t] = j


@compiled_step
def close_table(seating, t):
    """Take an empty table away; the last one gets its number."""
    j = seating.restaurant_of[t]
    seating.n_tables_of[j] -= 1
    last = seating.tally[N_TABLES] - 1
    seating.tally[N_TABLES] = last
    if t != last:
        seating.table_size[t] = seating.table_size[last]
        seating.restaurant_of[t] = seating.restaurant_of[last]
        seating.centre[t] = seating.centre[last]
        seating.tightness[t] = seating.tightness[last]
        seating.level[t] = seating.level[last]
        for i in range(len(seating.table_of)):
            if seating.table_of[i] == last:
                seating.table_of[i] = t
    if seating.n_tables_of[j] == 0:
        close_restaurant(seating, j)


@compiled_step
def leave(seating, i):
    """Row i stands up."""
    t = seating.table_of[i]
    seating.table_of[i] = -1
    seating.table_size[t] -= 1
    seating.restaurant_size[seating.restaurant_of[t]] -= 1
    if seating.table_size[t] == 0:
        close_table(seating, t)


@compiled_step
def open_table(rng, rows, seating, columns, i, j):
    """A new table in restaurant j for row i, psi drawn given its columns."""
    t = seating.tally[N_TABLES]
    seating.tally[N_TABLES] = t + 1
    seating.restaurant_of[t] = j
    seating.table_size[t] = 0
    seating.n_tables_of[j] += 1
    p = rows.X.shape[1]
    sums, squares = np.zeros(p), np.zeros(p)
    add_columns(columns, rows.X[i], sums, squares)
    seating.level[t] = draw_columns(rng, columns, 1, sums, squares, seating.centre[t], seating.tightness[t])
    return t


@compiled_step
def open_restaurant(rng, rows, seating, linear, masses, i):
    """A new restaurant for row i, theta drawn given its target and alpha_psi from its prior."""
    j = seating.tally[N_RESTAURANTS]
    seating.tally[N_RESTAURANTS] = j + 1
    seating.restaurant_size[j] = 0
    seating.n_tables_of[j] = 0
    seating.table_mass[j] = fresh_table_mass(rng, masses)
    d = rows.X.shape[1] + 1
    root, pull = np.empty((d, d)), np.empty(d)
    if len(rows.signs) > 0:  # the latent target first, coefficients integrated out
        mean = row_value(linear.mean, rows.X[i])
        deviation = math.sqrt(1.0 + linear_leverage(linear.root, rows.X[i], pull))
        sign = rows.signs[i]
        rows.y[i] = mean + sign * deviation * normal_tail(rng, -sign * mean / deviation)
    begin_linear(linear, root, pull)
    left, _ = finish_linear(root, pull, add_linear(linear, rows.X[i], rows.y[i], root, pull))
    seating.variance[j] = draw_linear(rng, linear, 1, root, pull, left, seating.beta[j])
    return j


@compiled_step
def choose_seat(rng, rows, seating, columns, linear, masses, i, own, weights):
    """Row i sits down: at a table there is, at a new one of a restaurant there is, or in a new restaurant."""
    n_tables, n_restaurants = seating.tally[N_TABLES], seating.tally[N_RESTAURANTS]
    x = rows.X[i]
    top = math.log(seating.mass[0]) + rows.log_y[i] + rows.log_x[i]
    last = n_tables + n_restaurants
    weights[last] = top
    for j in range(n_restaurants):
        size, mass = seating.restaurant_size[j], seating.table_mass[j]
        own[j] = rows.log_counts[size] - math.log(mass + size) + log_target(rows, seating, i, j)
        weights[n_tables + j] = own[j] + math.log(mass) + rows.log_x[i] if mass > 0.0 else -np.inf
        top = max(top, weights[n_tables + j])
    for t in range(n_tables):
        beside = own[seating.restaurant_of[t]] + rows.log_counts[seating.table_size[t]]
        weights[t] = beside + log_columns(x, seating.centre[t], seating.tightness[t], seating.level[t])
        top = max(top, weights[t])
    for place in range(last + 1):
        below = weights[place] - top
        weights[place] = math.exp(below) if below > NEGLIGIBLE else 0.0
    t = categorical_draw(rng, weights[: last + 1])
    if t == last:
        t = open_table(rng, rows, seating, columns, i, open_restaurant(rng, rows, seating, linear, masses, i))
    elif t >= n_tables:
        t = open_table(rng, rows, seating, columns, i, t - n_tables)
    seating.table_of[i] = t
    seating.table_size[t] += 1
    seating.restaurant_size[seating.restaurant_of[t]] += 1


@compiled_step
def sweep_rows(rng, rows, seating, columns, linear, masses):
    """Every row stands up and sits down again."""
    n = len(rows.X)
    own, weights = np.empty(n + 1), np.empty(2 * n + 3)
    for i in range(n):
        leave(seating, i)
        choose_seat(rng, rows, seating, columns, linear, masses, i, own, weights)


@compiled_step
def draw_latent(rng, rows, seating):
    """Latent targets of a probit model given the restaurants' coefficients (step 5 of the sampler)."""
    for i in range(len(rows.signs)):
        mean = row_value(seating.beta[seating.restaurant_of[seating.table_of[i]]], rows.X[i])
        rows.y[i] = mean + rows.signs[i] * normal_tail(rng, -rows.signs[i] * mean)


@compiled_step
def draw_tables(rng, rows, seating, columns):
    """psi of every table given its rows."""
    n_tables, p = seating.tally[N_TABLES], rows.X.shape[1]
    sums, squares = np.zeros((n_tables, p)), np.zeros((n_tables, p))
    for i in range(len(rows.X)):
        t = seating.table_of[i]
        add_columns(columns, rows.X[i], sums[t], squares[t])
    for t in range(n_tables):
        size = seating.table_size[t]
        seating.level[t] = draw_columns(
            rng, columns, size, sums[t], squares[t], seating.centre[t], seating.tightness[t]
        )


@compiled_step
def draw_restaurants(rng, rows, seating, linear):
    """theta of every restaurant given its rows."""
    k, d = seating.tally[N_RESTAURANTS], rows.X.shape[1] + 1
    roots, pulls, squares = np.empty((k, d, d)), np.empty((k, d)), np.zeros(k)
    for j in range(k):
        begin_linear(linear, roots[j], pulls[j])
    for i in range(len(rows.X)):
        j = seating.restaurant_of[seating.table_of[i]]
        squares[j] += add_linear(linear, rows.X[i], rows.y[i], roots[j], pulls[j])
    for j in range(k):
        left, _ = finish_linear(roots[j], pulls[j], squares[j])
        size = seating.restaurant_size[j]
        seating.variance[j] = draw_linear(rng, linear, size, roots[j], pulls[j], left, seating.beta[j])


@compiled_step
def draw_masses(rng, seating, masses, n):
    """alpha_theta, and alpha_psi of every restaurant, where they are not given."""
    k = seating.tally[N_RESTAURANTS]
    if masses.rate > 0.0:
        seating.mass[0] = draw_mass(rng, seating.mass[0], k, n, masses.shape, masses.rate)
    if masses.table_rate > 0.0:
        for j in range(k):
            seating.table_mass[j] = draw_mass(
                rng, seating.table_mass[j], seating.n_tables_of[j], seating.restaurant_size[j], masses.table_shape,
                masses.table_rate,
            )  # fmt: skip


@compiled
def draw_parameters(rng, rows, seating, columns, linear, masses):
    """All parameters given who sits where; of a probit model the latent targets first, given the coefficients."""
    draw_latent(rng, rows, seating)
    draw_restaurants(rng, rows, seating, linear)
    draw_tables(rng, rows, seating, columns)
    draw_masses(rng, seating, masses, len(rows.X))


@compiled
def log_likelihoods(rows, seating):
    """Log likelihood of all targets, and of all columns, under the parameters of their seats."""
    targets, columns = 0.0, 0.0
    for i in range(len(rows.X)):
        t = seating.table_of[i]
        targets += log_target(rows, seating, i, seating.restaurant_of[t])
        columns += log_columns(rows.X[i], seating.centre[t], seating.tightness[t], seating.level[t])
    return targets, columns


@compiled
def alone_log_densities(rows, columns, linear):
    """Fill in log h_x(x_i) and log h_y(y_i | x_i) of every row by itself."""
    n, p = rows.X.shape
    centre, inverse, power = np.empty(p), np.empty(p), np.empty(p)
    level = columns_predictive(columns, 0, np.zeros(p), np.zeros(p), centre, inverse, power)
    work = np.empty(p + 1)
    known = 0.0
    if linear.shape > 0.0:
        known = math.lgamma(linear.shape + 0.5) - math.lgamma(linear.shape)
    for i in range(n):
        rows.log_x[i] = level + columns_log_density(rows.X[i], centre, inverse, power)
        mean = row_value(linear.mean, rows.X[i])
        spread = 1.0 + linear_leverage(linear.root, rows.X[i], work)
        if len(rows.signs) > 0:
            rows.log_y[i] = log_normal_cdf(rows.signs[i] * mean / math.sqrt(spread))
        else:
            scale, away = 2.0 * linear.rate * spread, rows.y[i] - mean
            power_y = linear.shape + 0.5
            rows.log_y[i] = known - 0.5 * math.log(math.pi * scale) - power_y * math.log1p(away * away / scale)
