"""The weakest partial correlation of a pair of variables over all sets of one size to condition on."""

import numpy as np

from treatise._core.jit import compiled

_SINGULAR = 1e-12


@compiled
def weakest_partial_correlations(R, pairs, starts, members, size, stop):
    """For each pair the partial correlation of least size over the subsets of ``size`` of its own list of variables.

    The list of pair k is ``members[starts[k]:starts[k + 1]]``, without the pair. The Cholesky factor of a subset's
    correlations, followed by the pair, holds the partial correlation in its last row; from one subset to the next only
    the rows from the first changed variable on are computed anew. A pair is left as soon as its value is below
    ``stop``. Pairs whose list is too short get 2, as no set was tried.
    """
    weakest = np.full(len(pairs), 2.0)
    L = np.zeros((size + 2, size + 2))
    chosen = np.zeros(size + 2, dtype=np.int64)
    place = np.zeros(size, dtype=np.int64)
    for k in range(len(pairs)):
        listed = members[starts[k] : starts[k + 1]]
        if len(listed) < size:
            continue
        for t in range(size):
            place[t] = t
        chosen[size], chosen[size + 1] = pairs[k, 0], pairs[k, 1]
        changed = 0
        while True:
            for t in range(changed, size):
                chosen[t] = listed[place[t]]
            for row in range(changed, size + 2):
                first = changed if row >= size else 0
                for column in range(first, row + 1):
                    rest = R[chosen[row], chosen[column]]
                    for t in range(column):
                        rest -= L[row, t] * L[column, t]
                    if column == row:
                        # A variable that those before it determine adds nothing to condition on.
                        L[row, row] = np.sqrt(rest) if rest > _SINGULAR else 0.0
                    elif L[column, column] > 0.0:
                        L[row, column] = rest / L[column, column]
                    else:
                        L[row, column] = 0.0
            along, beyond = L[size + 1, size], L[size + 1, size + 1]
            length = np.sqrt(along * along + beyond * beyond)
            value = along / length if length > 0.0 else 0.0
            if abs(value) < abs(weakest[k]):
                weakest[k] = value
                if abs(value) < stop:
                    break
            t = size - 1
            while t >= 0 and place[t] == len(listed) - size + t:
                t -= 1
            if t < 0:
                break
            place[t] += 1
            for later in range(t + 1, size):
                place[later] = place[later - 1] + 1
            changed = t
    return weakest
