"""Coordinate descent for the lasso from second moments, with a price of its own for every weight."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def lasso_path(G, c, prices, penalties, tol, max_iter):
    """Minimise ``b' G b / 2 - c' b + penalty * sum(prices * |b|)`` for falling penalties, each from the last.

    Weights of infinite price stay zero, those of price zero are free. Sweeps over all weights alternate with sweeps
    over those that are not zero until a full one moves none by more than ``tol``.
    """
    k = len(c)
    path = np.zeros((len(penalties), k))
    b = np.zeros(k)
    slope = c.copy()
    for step in range(len(penalties)):
        full = True
        for _ in range(max_iter):
            moved = 0.0
            for i in range(k):
                if prices[i] == np.inf or (not full and b[i] == 0.0):
                    continue
                price = penalties[step] * prices[i]
                target = slope[i] + G[i, i] * b[i]
                if target > price:
                    new = (target - price) / G[i, i]
                elif target < -price:
                    new = (target + price) / G[i, i]
                else:
                    new = 0.0
                change = new - b[i]
                if change != 0.0:
                    b[i] = new
                    for j in range(k):
                        slope[j] -= change * G[i, j]
                    moved = max(moved, abs(change))
            if moved <= tol:
                if full:
                    break
                full = True
            else:
                full = False
        path[step] = b
    return path
