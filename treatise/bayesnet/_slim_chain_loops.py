"""A run of Gibbs sweeps with order moves, in one compiled loop."""

import numpy as np

from treatise._core.jit import compiled
from treatise.bayesnet._slim_loops import (
    draw_column_rates,
    draw_magnitudes,
    draw_noise,
    draw_scales,
    draw_slab,
    draw_sources,
    draw_weights,
    refresh_source_products,
)
from treatise.bayesnet._slim_order_loops import move_orders


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
