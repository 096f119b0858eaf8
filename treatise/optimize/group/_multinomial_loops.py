"""Block coordinate descent for softmax regression on categories, with a price on the norm of each table of weights."""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.penalties import kept_share


@compiled
def chances(margins, out):
    """Softmax of every row of ``margins`` into ``out``; gives the sum of log-normalisers."""
    n, k = margins.shape
    total = 0.0
    for i in range(n):
        top = margins[i, 0]
        for a in range(1, k):
            top = max(top, margins[i, a])
        norm = 0.0
        for a in range(k):
            out[i, a] = np.exp(margins[i, a] - top)
            norm += out[i, a]
        for a in range(k):
            out[i, a] /= norm
        total += top + np.log(norm)
    return total


@compiled
def table_slope(chance, target, codes, n_states, out):
    """Gradient of the mean loss in the table of one column: mean of (chance - target) over the rows of each state."""
    n, k = chance.shape
    for b in range(n_states):
        for a in range(k):
            out[b, a] = 0.0
    for i in range(n):
        b = codes[i]
        for a in range(k):
            out[b, a] += chance[i, a]
        out[b, target[i]] -= 1.0
    for b in range(n_states):
        for a in range(k):
            out[b, a] /= n


@compiled
def norm_of(table):
    """Root of the sum of squares."""
    total = 0.0
    for b in range(table.shape[0]):
        for a in range(table.shape[1]):
            total += table[b, a] * table[b, a]
    return np.sqrt(total)


@compiled
def step_table(chance, target, codes, table, slope, curvature, penalty, margins):
    """One proximal step of a table, the margins kept up; gives the size of the move times the curvature."""
    n, k = chance.shape
    m = table.shape[0]
    table_slope(chance, target, codes, m, slope)
    size = 0.0
    for b in range(m):
        for a in range(k):
            slope[b, a] = table[b, a] - slope[b, a] / curvature
            size += slope[b, a] * slope[b, a]
    size = np.sqrt(size)
    shrink = kept_share(curvature * size, penalty)
    moved = 0.0
    for b in range(m):
        for a in range(k):
            change = shrink * slope[b, a] - table[b, a]
            slope[b, a] = change
            table[b, a] += change
            moved += change * change
    if moved > 0.0:
        for i in range(n):
            b = codes[i]
            for a in range(k):
                margins[i, a] += slope[b, a]
    return np.sqrt(moved) * curvature


@compiled
def mean_excess(chance, target, a):
    """Gradient of the mean loss in the intercept of state a: mean of (chance - target)."""
    mean = 0.0
    for i in range(len(target)):
        mean += chance[i, a] - (1.0 if target[i] == a else 0.0)
    return mean / len(target)


@compiled
def curvatures(columns, n_states):
    """Half the share of the commonest state of every column.

    The Hessian of the softmax is at most one half, and a column of codes has a diagonal Gram matrix.
    """
    p, n = columns.shape
    found = np.zeros(p)
    for t in range(p):
        share = np.zeros(n_states[t])
        for i in range(n):
            share[columns[t, i]] += 1.0 / n
        found[t] = 0.5 * share.max()
    return found


@compiled
def violation(table, slope, penalty):
    """How far a table is from its condition of the optimum."""
    size = norm_of(table)
    if size == 0.0:
        return max(norm_of(slope) - penalty, 0.0)
    miss = 0.0
    for b in range(table.shape[0]):
        for a in range(table.shape[1]):
            part = slope[b, a] + penalty * table[b, a] / size
            miss += part * part
    return np.sqrt(miss)


@compiled
def widen(columns, n_states, s, chance, penalty, tables, starts, slope, tol, active):
    """Take columns whose table should not be zero into the working set; gives the largest violation of all."""
    target, k = columns[s], chance.shape[1]
    worst = 0.0
    for a in range(k):
        worst = max(worst, abs(mean_excess(chance, target, a)))
    for t in range(len(columns)):
        if t != s:
            m = n_states[t]
            table_slope(chance, target, columns[t], m, slope)
            miss = violation(tables[starts[t] : starts[t + 1], :k], slope[:m], penalty)
            if miss > tol:
                active[t] = True
            worst = max(worst, miss)
    return worst


@compiled
def step_all(columns, s, penalty, intercept, tables, starts, curvature, active, margins, chance, slope):
    """A step of every intercept and of every table of the working set; gives the largest move."""
    target, k = columns[s], chance.shape[1]
    moved = 0.0
    for a in range(k):
        chances(margins, chance)
        mean = mean_excess(chance, target, a)
        intercept[a] -= 2.0 * mean
        for i in range(len(target)):
            margins[i, a] -= 2.0 * mean
        moved = max(moved, abs(mean))
    for t in range(len(columns)):
        if active[t]:
            chances(margins, chance)
            table = tables[starts[t] : starts[t + 1], :k]
            step = step_table(chance, target, columns[t], table, slope, curvature[t], penalty, margins)
            moved = max(moved, step)
    return moved


@compiled
def solve_column(columns, n_states, s, penalty, intercept, tables, starts, tol, max_rounds):
    """Softmax regression of column ``s`` on all the others; gives the largest violation and the rounds.

    ``columns`` holds one column of codes per row; the table of column t is ``tables[starts[t]:starts[t + 1]]``, one row
    for each of its states, with as many entries as s has states. Rounds look over all columns for the working set, and
    step the tables in it until they rest.
    """
    p, n = columns.shape
    k = n_states[s]
    margins, chance, slope = np.empty((n, k)), np.empty((n, k)), np.empty((n_states.max(), k))
    curvature = curvatures(columns, n_states)
    for i in range(n):
        for a in range(k):
            margins[i, a] = intercept[a]
    active = np.zeros(p, dtype=np.bool_)
    for t in range(p):
        table = tables[starts[t] : starts[t + 1], :k]
        if t != s and norm_of(table) > 0.0:
            active[t] = True
            for i in range(n):
                for a in range(k):
                    margins[i, a] += table[columns[t, i], a]
    worst = np.inf
    for round_number in range(max_rounds):
        chances(margins, chance)
        worst = widen(columns, n_states, s, chance, penalty, tables, starts, slope, tol, active)
        if worst <= tol:
            return worst, round_number
        for _ in range(100):
            moved = step_all(columns, s, penalty, intercept, tables, starts, curvature, active, margins, chance, slope)
            if moved <= 0.3 * tol:
                break
    return worst, max_rounds


@compiled
def solve_columns(columns, n_states, these, penalty, intercepts, tables, starts, tol, max_rounds, worst, rounds):
    """The regression of each of some columns."""
    for r in range(len(these)):
        worst[r], rounds[r] = solve_column(
            columns, n_states, these[r], penalty, intercepts[r], tables[r], starts, tol, max_rounds
        )
