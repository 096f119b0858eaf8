"""Metropolis moves of whole tables between restaurants (Appendix A of v15-1041), and one sweep of the sampler."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.bayes.enriched_dp._loops import (
    close_restaurant,
    draw_latent,
    draw_masses,
    draw_restaurants,
    draw_tables,
    fresh_table_mass,
    log_target,
    sweep_rows,
)
from treatise.bayes.enriched_dp._seating import N_RESTAURANTS, N_TABLES
from treatise.statistics.conjugate._loops import (
    LOG_TWO_PI,
    add_linear,
    begin_linear,
    draw_linear,
    finish_linear,
    linear_log_evidence,
    row_value,
)

ACROSS, APART, BACK = 0, 1, 2
"""The three moves: to another restaurant, to a new one, and of a restaurant's only table to another."""


@compiled_step
def pick_table(rng, seating, alone):
    """A table chosen evenly among those that are alone in their restaurant, or are not; and how many there are."""
    found = 0
    for t in range(seating.tally[N_TABLES]):
        found += (seating.n_tables_of[seating.restaurant_of[t]] == 1) == alone
    if found == 0:
        return -1, 0
    left = rng.integers(0, found)
    for t in range(seating.tally[N_TABLES]):
        if (seating.n_tables_of[seating.restaurant_of[t]] == 1) == alone:
            if left == 0:
                return t, found
            left -= 1
    return -1, 0


@compiled_step
def other_restaurant(rng, seating, j):
    """A restaurant other than j, chosen evenly."""
    h = rng.integers(0, seating.tally[N_RESTAURANTS] - 1)
    return h + 1 if h >= j else h


@compiled_step
def latent_log_target(rows, seating, i, j):
    """log K(y_i | x_i, theta_j) of the target, or of the latent one of a probit model."""
    away = rows.y[i] - row_value(seating.beta[j], rows.X[i])
    return -0.5 * (LOG_TWO_PI + math.log(seating.variance[j]) + away * away / seating.variance[j])


@compiled_step
def log_table_target(rows, seating, t, j, latent):
    """Log likelihood of the targets at table t under the parameters of restaurant j."""
    total = 0.0
    for i in range(len(rows.X)):
        if seating.table_of[i] == t:
            total += latent_log_target(rows, seating, i, j) if latent else log_target(rows, seating, i, j)
    return total


@compiled_step
def table_posterior(rows, seating, linear, t):
    """Posterior of coefficients given the targets at table t: factor, shift, what is left, log evidence."""
    d = rows.X.shape[1] + 1
    root, pull = np.empty((d, d)), np.empty(d)
    begin_linear(linear, root, pull)
    square = 0.0
    for i in range(len(rows.X)):
        if seating.table_of[i] == t:
            square += add_linear(linear, rows.X[i], rows.y[i], root, pull)
    left, half_log_det = finish_linear(root, pull, square)
    return root, pull, left, linear_log_evidence(linear, seating.table_size[t], left, half_log_det)


@compiled_step
def log_leaving(seating, j, m):
    """Log ratio of the partition's probability when a table of m rows is gone from restaurant j, others staying."""
    n, alpha = seating.restaurant_size[j], seating.table_mass[j]
    return math.lgamma(n - m) - math.lgamma(n) + math.lgamma(alpha + n) - math.lgamma(alpha + n - m) - math.log(alpha)


@compiled_step
def log_joining(seating, h, m):
    """Log ratio of the partition's probability when a table of m rows comes to restaurant h."""
    n, alpha = seating.restaurant_size[h], seating.table_mass[h]
    return math.lgamma(n + m) - math.lgamma(n) + math.lgamma(alpha + n) - math.lgamma(alpha + n + m) + math.log(alpha)


@compiled_step
def log_standing_alone(alpha, m):
    """Log factor of the partition's probability of a restaurant of one table with m rows, but for alpha_theta."""
    return math.lgamma(m) + math.lgamma(alpha) - math.lgamma(alpha + m) + math.log(alpha)


@compiled_step
def carry(seating, t, h):
    """Table t goes to restaurant h."""
    j, m = seating.restaurant_of[t], seating.table_size[t]
    seating.restaurant_of[t] = h
    seating.restaurant_size[j] -= m
    seating.n_tables_of[j] -= 1
    seating.restaurant_size[h] += m
    seating.n_tables_of[h] += 1
    if seating.n_tables_of[j] == 0:
        close_restaurant(seating, j)


@compiled_step
def accepted(rng, seating, move, log_ratio):
    """Whether a proposal is taken; counts it."""
    seating.moves[move, 0] += 1
    if math.log(max(rng.random(), 1e-300)) >= log_ratio:
        return False
    seating.moves[move, 1] += 1
    return True


@compiled_step
def move_across(rng, rows, seating):
    """A table goes to another restaurant."""
    if seating.tally[N_RESTAURANTS] < 2:
        return
    t, shared = pick_table(rng, seating, False)
    if t < 0:
        return
    j, m = seating.restaurant_of[t], seating.table_size[t]
    h = other_restaurant(rng, seating, j)
    # Tables that are not alone after the move.
    then = shared - (2 if seating.n_tables_of[j] == 2 else 1) + (2 if seating.n_tables_of[h] == 1 else 1)
    log_ratio = log_leaving(seating, j, m) + log_joining(seating, h, m) + math.log(shared / then)
    log_ratio += log_table_target(rows, seating, t, h, False) - log_table_target(rows, seating, t, j, False)
    if accepted(rng, seating, ACROSS, log_ratio):
        carry(seating, t, h)


@compiled_step
def move_apart(rng, rows, seating, linear, masses):
    """A table goes to a restaurant of its own."""
    t, shared = pick_table(rng, seating, False)
    if t < 0:
        return
    j, m, k = seating.restaurant_of[t], seating.table_size[t], seating.tally[N_RESTAURANTS]
    alone = seating.tally[N_TABLES] - shared + (2 if seating.n_tables_of[j] == 2 else 1)
    root, pull, left, log_evidence = table_posterior(rows, seating, linear, t)
    alpha = fresh_table_mass(rng, masses)
    log_ratio = log_leaving(seating, j, m) + log_standing_alone(alpha, m) + math.log(seating.mass[0])
    log_ratio += log_evidence - log_table_target(rows, seating, t, j, True) + math.log(shared / (alone * k))
    if accepted(rng, seating, APART, log_ratio):
        seating.restaurant_size[k] = 0
        seating.n_tables_of[k] = 0
        seating.table_mass[k] = alpha
        seating.variance[k] = draw_linear(rng, linear, m, root, pull, left, seating.beta[k])
        seating.tally[N_RESTAURANTS] = k + 1
        carry(seating, t, k)


@compiled_step
def move_back(rng, rows, seating, linear):
    """The only table of a restaurant goes to another one, and its restaurant closes."""
    k = seating.tally[N_RESTAURANTS]
    if k < 2:
        return
    t, alone = pick_table(rng, seating, True)
    if t < 0:
        return
    j, m = seating.restaurant_of[t], seating.table_size[t]
    h = other_restaurant(rng, seating, j)
    then = seating.tally[N_TABLES] - alone + (2 if seating.n_tables_of[h] == 1 else 1)
    _, _, _, log_evidence = table_posterior(rows, seating, linear, t)
    log_ratio = log_joining(seating, h, m) - log_standing_alone(seating.table_mass[j], m) - math.log(seating.mass[0])
    log_ratio += log_table_target(rows, seating, t, h, True) - log_evidence
    # The paper prints "k_{x,1} k - 1": a pair of a lone table and one of the k - 1 other restaurants is meant.
    log_ratio += math.log(alone * (k - 1) / then)
    if accepted(rng, seating, BACK, log_ratio):
        carry(seating, t, h)


@compiled
def sweep(rng, rows, seating, columns, linear, masses, n_sweeps, n_moves):
    """So many iterations of the sampler of Appendix A, each with ``n_moves`` rounds of moves."""
    for _ in range(n_sweeps):
        sweep_rows(rng, rows, seating, columns, linear, masses)
        for _ in range(n_moves):
            move_across(rng, rows, seating)
        draw_latent(rng, rows, seating)
        for _ in range(n_moves):
            if rng.random() < 0.5:
                move_apart(rng, rows, seating, linear, masses)
            else:
                move_back(rng, rows, seating, linear)
        draw_restaurants(rng, rows, seating, linear)
        draw_tables(rng, rows, seating, columns)
        draw_masses(rng, seating, masses, len(rows.X))
