"""A run of Gibbs sweeps, and the search for orders under which a factor model is triangular (JMLR 12:863)."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.bayesnet.slim._loops import (
    draw_column_rates,
    draw_magnitudes,
    draw_noise,
    draw_scales,
    draw_slab,
    draw_sources,
    draw_weights,
    refresh_source_products,
)


@compiled_step
def kept_by(row_rank, column_rank, i, k):
    """Whether the triangular mask keeps weight (i, k): one of the free columns, or not above the diagonal."""
    return column_rank[k] >= len(row_rank) or column_rank[k] <= row_rank[i]


@compiled_step
def masked_products(W, FF, row_rank, column_rank, out):
    """The masked weights times FF into ``out``, (d, K)."""
    d, K = W.shape
    for i in range(d):
        for column in range(K):
            out[i, column] = 0.0
        for k in range(K):
            if W[i, k] != 0.0 and kept_by(row_rank, column_rank, i, k):
                for column in range(K):
                    out[i, column] += W[i, k] * FF[k, column]


@compiled_step
def _flips(W, row_rank, column_rank, new_row_rank, new_column_rank, i, which, change):
    """Columns of row i whose masked weight a proposal changes, and by how much; returns their number."""
    count = 0
    for k in range(W.shape[1]):
        if W[i, k] != 0.0:
            before = kept_by(row_rank, column_rank, i, k)
            after = kept_by(new_row_rank, new_column_rank, i, k)
            if before != after:
                which[count] = k
                change[count] = W[i, k] if after else -W[i, k]
                count += 1
    return count


@compiled_step
def log_ratio(W, XF, FF, psi, products, row_rank, column_rank, new_row_rank, new_column_rank):
    """log of Equation 7: masked likelihood of the proposal over that of the present ranks.

    Only weights that enter or leave the triangle count, through the products of data: no pass over the rows.
    """
    d, K = W.shape
    which, change = np.empty(K, np.int64), np.empty(K)
    total = 0.0
    for i in range(d):
        count = _flips(W, row_rank, column_rank, new_row_rank, new_column_rank, i, which, change)
        for a in range(count):
            inner = 2.0 * (products[i, which[a]] - XF[i, which[a]])
            for b in range(count):
                inner += FF[which[a], which[b]] * change[b]
            total -= 0.5 * change[a] * inner / psi[i]
    return total


@compiled_step
def _transpose(rng, rank, new):
    for i in range(len(rank)):
        new[i] = rank[i]
    a, b = int(rng.random() * len(rank)), int(rng.random() * (len(rank) - 1))
    if b >= a:
        b += 1
    new[a], new[b] = rank[b], rank[a]


@compiled_step
def move_orders(rng, state, n_moves):
    """Transpositions of the ranks of rows, of columns, or of both, each accepted by the ratio of Equation 7."""
    W, XF, FF, psi = state.W, state.XF, state.FF, state.psi
    row_rank, column_rank = state.row_rank, state.column_rank
    d, K = W.shape
    products = np.empty((d, K))
    masked_products(W, FF, row_rank, column_rank, products)
    which, change = np.empty(K, np.int64), np.empty(K)
    swapped_rows, swapped_columns = np.empty(d, np.int64), np.empty(K, np.int64)
    for _ in range(n_moves):
        _transpose(rng, row_rank, swapped_rows)
        _transpose(rng, column_rank, swapped_columns)
        side = int(3.0 * rng.random())
        new_rows = row_rank if side == 0 else swapped_rows
        new_columns = column_rank if side == 1 else swapped_columns
        ratio = log_ratio(W, XF, FF, psi, products, row_rank, column_rank, new_rows, new_columns)
        if math.log(1.0 - rng.random()) > ratio:
            continue
        for i in range(d):
            count = _flips(W, row_rank, column_rank, new_rows, new_columns, i, which, change)
            for a in range(count):
                for k in range(K):
                    products[i, k] += change[a] * FF[which[a], k]
        for i in range(d):
            row_rank[i] = new_rows[i]
        for k in range(K):
            column_rank[k] = new_columns[k]


@compiled
def run_sweeps(rng, prior, state, n_sweeps, n_moves, orders):
    """Sweeps in the order of the paper, Equations 13 to 19, each followed by ``n_moves`` of Equation 7.

    The ranks of the variables after each sweep go into the rows of ``orders``, where it has any.
    """
    d, K = state.W.shape
    m = len(state.precision)
    XZ, ZF = np.empty((d, m)), np.empty((m, K))
    for at in range(n_sweeps):
        draw_noise(rng, prior, state)
        draw_sources(rng, state)
        draw_scales(rng, state)
        draw_magnitudes(rng, prior, state)
        refresh_source_products(state, XZ, ZF)
        draw_weights(rng, prior, state)
        draw_slab(rng, state)
        draw_column_rates(rng, prior, state)
        if n_moves > 0:
            move_orders(rng, state, n_moves)
        if len(orders) > 0:
            for i in range(d):
                orders[at, i] = state.row_rank[i]


@compiled
def draw_signals(rng, prior, state):
    """The first half of a sweep, for chains that draw more in between: noise and sources given the weights."""
    draw_noise(rng, prior, state)
    draw_sources(rng, state)
    draw_scales(rng, state)
    draw_magnitudes(rng, prior, state)


@compiled
def draw_links(rng, prior, state):
    """The second half: weights and their links given the sources."""
    draw_weights(rng, prior, state)
    draw_slab(rng, state)
    draw_column_rates(rng, prior, state)
