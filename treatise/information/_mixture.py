"""Rows of a mixture of the laws of two samples."""

import numpy as np


def mixture_rows(X, Y, weight, rng):
    """Rows of which the given share is drawn from X and the rest from Y, without repeats: all of them if they fit."""
    n, m = len(X), len(Y)
    total = min(n / weight, m / (1.0 - weight))
    of_x, of_y = min(n, int(total * weight + 1e-9)), min(m, int(total * (1.0 - weight) + 1e-9))
    if min(of_x, of_y) < 1:
        raise ValueError(f"{n} and {m} rows do not make a mixture of {weight:g} and {1 - weight:g}; more are needed")
    X = X if of_x == n else X[np.sort(rng.choice(n, of_x, replace=False))]
    Y = Y if of_y == m else Y[np.sort(rng.choice(m, of_y, replace=False))]
    return np.vstack([X, Y])
