"""Who sits where: the nested partition with the parameters of its parts, laid out for compiled loops."""

from typing import NamedTuple

import numpy as np

N_TABLES, N_RESTAURANTS = 0, 1
"""Places in ``Seating.tally``."""


class Rows(NamedTuple):
    """The data, and what of the likelihood depends on the prior alone."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,) targets, or latent ones of a probit model, which the sampler draws
    signs: np.ndarray  # (n,) +1 and -1 of a probit model; empty where targets are seen
    log_x: np.ndarray  # (n,) log h_x(x_i)
    log_y: np.ndarray  # (n,) log h_y(y_i | x_i)
    log_counts: np.ndarray  # (n + 1,)


class Masses(NamedTuple):
    """Gamma priors of the masses, or a rate of zero for a mass that is given: then the shape is its value."""

    shape: float  # of alpha_theta
    rate: float
    table_shape: float  # of every alpha_psi
    table_rate: float


class Seating(NamedTuple):
    """Tables l | j in restaurants j (the paper's psi-clusters in theta-clusters); those in use stand first."""

    table_of: np.ndarray  # (n,) int64
    table_size: np.ndarray  # (room,) int64: n_{l|j}
    restaurant_of: np.ndarray  # (room,) int64, of tables
    centre: np.ndarray  # (room, p): mu of psi
    tightness: np.ndarray  # (room, p): one over sigma^2 of psi
    level: np.ndarray  # (room,): what of log K(x | psi) does not depend on x
    restaurant_size: np.ndarray  # (room,) int64: n_j
    n_tables_of: np.ndarray  # (room,) int64: k_j
    beta: np.ndarray  # (room, p + 1): of theta
    variance: np.ndarray  # (room,): of theta
    table_mass: np.ndarray  # (room,): alpha_psi(theta_j)
    mass: np.ndarray  # (1,): alpha_theta
    tally: np.ndarray  # (2,) int64: tables and restaurants in use
    moves: np.ndarray  # (3, 2) int64: moves of each kind proposed and accepted


def empty_seating(n: int, p: int) -> Seating:
    """Room for every row at a table of its own; nobody sits yet."""
    whole = [np.zeros(size, dtype=np.int64) for size in (n, n, n, n, n)]
    table_of, table_size, restaurant_of, restaurant_size, n_tables_of = whole
    return Seating(
        table_of, table_size, restaurant_of, np.zeros((n, p)), np.ones((n, p)), np.zeros(n), restaurant_size,
        n_tables_of, np.zeros((n, p + 1)), np.ones(n), np.ones(n), np.ones(1), np.zeros(2, dtype=np.int64),
        np.zeros((3, 2), dtype=np.int64),
    )  # fmt: skip


def seat(seating: Seating, restaurants: np.ndarray, tables: np.ndarray) -> None:
    """Seat all rows as labels from 0 say; parameters are left for the sampler to draw."""
    seating.table_of[:] = tables
    n_tables, n_restaurants = int(tables.max()) + 1, int(restaurants.max()) + 1
    seating.tally[:] = n_tables, n_restaurants
    for counts in (seating.table_size, seating.restaurant_size, seating.n_tables_of):
        counts[:] = 0
    seating.table_size[:n_tables] = np.bincount(tables, minlength=n_tables)
    seating.restaurant_of[tables] = restaurants
    seating.restaurant_size[:n_restaurants] = np.bincount(restaurants, minlength=n_restaurants)
    houses = seating.restaurant_of[:n_tables]
    seating.n_tables_of[:n_restaurants] = np.bincount(houses, minlength=n_restaurants)
