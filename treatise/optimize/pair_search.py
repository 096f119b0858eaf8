"""Local search on weighted pairs of items: orders that contradict few of them, and groups that part few of them.

Pairs come as rows of a symmetric structure: item i has the neighbours ``others[starts[i]:starts[i + 1]]``. For orders,
``gains`` is what is won by putting i before the neighbour rather than after it; for groups, by putting both together.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step


def neighbour_rows(n_items, pairs, gains, *, ordered):
    """Rows of neighbours of pairs.

    Parameters
    ----------
    n_items : int
        Number of items.
    pairs : ndarray of int of shape (n_pairs, 2)
        Each unordered pair once.
    gains : ndarray of shape (n_pairs,)
        What is won by the first before the second, or by both together.
    ordered : bool
        Whether the second has the opposite gain.

    Returns
    -------
    starts, others, gains : ndarray
    """
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    both = np.concatenate([gains, -gains if ordered else gains])
    order = np.argsort(ends[:, 0], kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(ends[:, 0], minlength=n_items)))
    return starts.astype(np.int64), ends[order, 1].astype(np.int64), both[order]


@compiled_step
def _best_place(starts, others, gains, place, item, change):
    """Place to which an item moves best, and what is won; ``change`` is a row of zeros, and left so."""
    here = place[item]
    low, high = here, here
    for e in range(starts[item], starts[item + 1]):
        at = place[others[e]]
        change[at] += gains[e]
        low, high = min(low, at), max(high, at)
    best, won, total = here, 0.0, 0.0
    for at in range(here - 1, low - 1, -1):
        total += change[at]
        if total > won + 1e-12:
            best, won = at, total
    total = 0.0
    for at in range(here + 1, high + 1):
        total -= change[at]
        if total > won + 1e-12:
            best, won = at, total
    for e in range(starts[item], starts[item + 1]):
        change[place[others[e]]] = 0.0
    return best, won


@compiled
def sift_pairs_to_rest(starts, others, gains, order):
    """Move single items to their best places, in place, until no move helps; a sweep costs O(pairs + n^2).

    Returns what was won.
    """
    n = len(order)
    place, change = np.empty(n, np.int64), np.zeros(n)
    for at in range(n):
        place[order[at]] = at
    total, moved = 0.0, True
    while moved:
        moved = False
        for item in range(n):
            best, won = _best_place(starts, others, gains, place, item, change)
            if won > 0.0:
                here = place[item]
                step = 1 if best > here else -1
                for at in range(here, best, step):
                    order[at] = order[at + step]
                    place[order[at]] = at
                order[best] = item
                place[item] = best
                total += won
                moved = True
    return total


@compiled
def regroup_to_rest(starts, others, gains, groups, n_groups):
    """Move single items to their best groups, in place, until no move helps; a sweep costs O(pairs + n n_groups).

    Returns what was won.
    """
    pull = np.empty(n_groups)
    total, moved = 0.0, True
    while moved:
        moved = False
        for item in range(len(groups)):
            pull[:] = 0.0
            for e in range(starts[item], starts[item + 1]):
                pull[groups[others[e]]] += gains[e]
            best = groups[item]
            for group in range(n_groups):
                if pull[group] > pull[best] + 1e-12:
                    best = group
            if best != groups[item]:
                total += pull[best] - pull[groups[item]]
                groups[item] = best
                moved = True
    return total
