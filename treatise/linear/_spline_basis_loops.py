"""Values of cubic B-splines."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def cubic_splines(x, knots, out):
    """Row b of ``out`` becomes B-spline b at every x (de Boor's recursion); x is clipped to the inner knots.

    ``knots`` has each end four times; there are ``len(knots) - 4`` splines.
    """
    n_splines = len(knots) - 4
    low, high = knots[3], knots[n_splines]
    values = np.empty(4)
    for b in range(n_splines):
        for i in range(len(x)):
            out[b, i] = 0.0
    for i in range(len(x)):
        at = min(max(x[i], low), high)
        place = 3
        while place < n_splines - 1 and at >= knots[place + 1]:
            place += 1
        values[0] = 1.0
        for degree in range(1, 4):
            carried = 0.0
            for r in range(degree):
                right, left = knots[place + r + 1] - at, at - knots[place + r + 1 - degree]
                width = right + left
                part = values[r] / width if width > 0.0 else 0.0
                values[r] = carried + right * part
                carried = left * part
            values[degree] = carried
        for r in range(4):
            out[place - 3 + r, i] = values[r]
