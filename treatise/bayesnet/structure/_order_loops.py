"""Networks that respect an order of the variables, from lists of parent sets sorted by score.

The sets of variable v are the rows ``starts[v] : starts[v + 1]`` of ``masks`` (bits of the parents, 64 to a word)
and of ``scores``, best first; a fitting set is the first whose bits are all allowed. Sets of bits are rows of arrays.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_ONE = np.uint64(1)
ONLY = np.int64(0)
"""Row of an array that holds one set. A plain 0 would have loops compiled once more, for that number."""

_IMPOSSIBLE = -1e9


@compiled_step
def add_bit(masks, row, vertex):
    """Put a vertex into a set of bits."""
    masks[row, vertex >> 6] |= _ONE << np.uint64(vertex & 63)


@compiled_step
def drop_bit(masks, row, vertex):
    """Take a vertex out of a set of bits."""
    masks[row, vertex >> 6] &= ~(_ONE << np.uint64(vertex & 63))


@compiled_step
def has_bit(masks, row, vertex):
    """Whether a vertex is in a set of bits."""
    return (masks[row, vertex >> 6] >> np.uint64(vertex & 63)) & _ONE != 0


@compiled_step
def copy_row(source, row, target, to):
    """Copy a set of bits (a slice assignment would take seconds to compile)."""
    for word in range(source.shape[1]):
        target[to, word] = source[row, word]


@compiled_step
def first_inside(masks, begin, end, allowed, row):
    """The best parent set that is allowed, -1 if none is."""
    for at in range(begin, end):
        word = 0
        while word < masks.shape[1] and not masks[at, word] & ~allowed[row, word]:
            word += 1
        if word == masks.shape[1]:
            return at
    return -1


@compiled_step
def room_for_sets(n_sets, n_words):
    """Rows of bits, of which the first is the empty set."""
    sets = np.empty((n_sets, n_words), dtype=np.uint64)
    for word in range(n_words):
        sets[0, word] = 0
    return sets


@compiled
def choose_for_order(starts, masks, scores, order, choice):
    """Best parent sets when parents must come earlier in the order; returns their score, -inf if there are none."""
    before = room_for_sets(1, masks.shape[1])
    total = 0.0
    for vertex in order:
        at = first_inside(masks, starts[vertex], starts[vertex + 1], before, ONLY)
        if at < 0:
            return -np.inf
        choice[vertex] = at
        total += scores[at]
        add_bit(before, ONLY, vertex)
    return total


@compiled_step
def score_at(starts, masks, scores, vertex, before, row):
    """Score of the best parent set of a vertex among those before it; very low, but finite, if there is none."""
    at = first_inside(masks, starts[vertex], starts[vertex + 1], before, row)
    return scores[at] if at >= 0 else _IMPOSSIBLE


@compiled_step
def improve_order(starts, masks, scores, order):
    """Move one variable at a time to its best place in the order, until no move helps.

    A variable travels by swaps of neighbours, and a swap changes the parents of the two alone.
    """
    n = order.shape[0]
    before = room_for_sets(n + 2, masks.shape[1])
    own, travel = np.empty(n), n + 1
    improved = True
    while improved:
        improved = False
        for vertex in range(n):
            at = 0
            for place in range(n):
                if order[place] == vertex:
                    at = place
                copy_row(before, place, before, place + 1)
                add_bit(before, place + 1, order[place])
                own[place] = score_at(starts, masks, scores, order[place], before, place)
            best_gain, best_place = 1e-9, at
            for direction in (-1, 1):
                gain, place = 0.0, at + direction
                while 0 <= place < n:
                    # Left: the other gains the vertex as a possible parent; right: it loses it.
                    copy_row(before, place, before, travel)
                    drop_bit(before, travel, vertex)
                    if direction < 0:
                        add_bit(before, travel, vertex)
                    gain += score_at(starts, masks, scores, order[place], before, travel) - own[place]
                    copy_row(before, place + (direction > 0), before, travel)
                    drop_bit(before, travel, vertex)
                    moved = gain + score_at(starts, masks, scores, vertex, before, travel) - own[at]
                    if moved > best_gain:
                        best_gain, best_place = moved, place
                    place += direction
            if best_place != at:
                improved = True
                step = 1 if best_place > at else -1
                for place in range(at, best_place, step):
                    order[place] = order[place + step]
                order[best_place] = vertex


@compiled
def search_orders(starts, masks, scores, order, swaps):
    """Iterated improvement: kick the best order by random swaps, improve, keep it if better.

    ``swaps`` holds the random places for every kick, so that the caller owns the randomness.
    """
    choice, trial = np.empty(order.shape[0], dtype=np.int64), order.copy()
    best = -np.inf
    for kick in range(swaps.shape[0] + 1):
        improve_order(starts, masks, scores, trial)
        found = choose_for_order(starts, masks, scores, trial, choice)
        if found > best or kick == 0:
            best = found
            order, trial = trial, order
        for place in range(order.shape[0]):
            trial[place] = order[place]
        if kick < swaps.shape[0]:
            for move in range(swaps.shape[1]):
                i, j = swaps[kick, move, 0], swaps[kick, move, 1]
                trial[i], trial[j] = trial[j], trial[i]
    return order
