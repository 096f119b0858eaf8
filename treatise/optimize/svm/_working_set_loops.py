"""Which two variables of a machine without offset move next, and where to (Sections 3.1 and 3.2 of JMLR 12:141)."""

import numpy as np

from treatise._core.jit import compiled

FROM_BEST = 8 | 32 | 64 | 128 | 512 | 1024
"""Rules that join the best variable with one from a search of cost O(n) or a share of that."""
FROM_MATRIX = 16 | 256 | 2048
"""Rules that choose both variables afresh and read any entry of the Gram matrix, as rule 0 does."""
RANDOM = 64 | 256 | 1024 | 2048
"""Rules that draw."""

PREVIOUS, BY_NEIGHBOURS, COUNTED, INNER_PAIRS = 0, 1, 2, 3
"""What the loop remembers between steps, and where: the last best variable; whether rule 4 looks at neighbours; steps
since that was decided, and how many of them moved two inner variables."""

_SINGULAR = 1e-12
"""Share of k_ii k_jj below which the determinant of a pair counts as zero: the objects are one, or opposite."""


@compiled
def clip(value, end):
    """Nearest number between 0 and ``end``, on whichever side of 0 that is."""
    return min(max(value, min(end, 0.0)), max(end, 0.0))


@compiled
def gain_of(step_i, step_j, pull_i, pull_j, d_i, d_j, k):
    """Lemma 2, for kernels of any length."""
    return step_i * (pull_i - 0.5 * d_i * step_i) + step_j * (pull_j - 0.5 * d_j * step_j) - step_i * step_j * k


@compiled
def with_first_at(new_i, i, j, k, pull, beta, cost, diagonal):
    """Best place of j once i is at ``new_i``, and the gain."""
    step_i = new_i - beta[i]
    slope = pull[j] - step_i * k
    if diagonal[j] > 0.0:
        new_j = clip(beta[j] + slope / diagonal[j], cost[j])
    else:
        new_j = clip(np.copysign(np.inf, slope), cost[j])
    return new_j, gain_of(step_i, new_j - beta[j], pull[i], pull[j], diagonal[i], diagonal[j], k)


@compiled
def best_pair_step(i, j, k, pull, beta, cost, diagonal):
    """Where i and j go when both move to the best point of their box, and the gain (Section 3.1).

    The paper's cases k = 1 and k = -1 are those of a determinant of zero; the best point is then at an edge, or an edge
    has one as good, so that the four edges are searched. Else an edge is searched for every end that the free optimum
    (12) lies beyond.
    """
    d_i, d_j = diagonal[i], diagonal[j]
    determinant = d_i * d_j - k * k
    singular = determinant <= _SINGULAR * d_i * d_j
    new_i, new_j, best = beta[i], beta[j], -1.0
    low_i, high_i = min(cost[i], 0.0), max(cost[i], 0.0)
    low_j, high_j = min(cost[j], 0.0), max(cost[j], 0.0)
    free_i = free_j = 0.0
    if not singular:
        free_i = beta[i] + (pull[i] * d_j - pull[j] * k) / determinant
        free_j = beta[j] + (pull[j] * d_i - pull[i] * k) / determinant
        if low_i <= free_i <= high_i and low_j <= free_j <= high_j:
            return free_i, free_j, gain_of(free_i - beta[i], free_j - beta[j], pull[i], pull[j], d_i, d_j, k)
    if singular or free_i < low_i:
        other, gain = with_first_at(low_i, i, j, k, pull, beta, cost, diagonal)
        if gain > best:
            new_i, new_j, best = low_i, other, gain
    if singular or free_i > high_i:
        other, gain = with_first_at(high_i, i, j, k, pull, beta, cost, diagonal)
        if gain > best:
            new_i, new_j, best = high_i, other, gain
    if singular or free_j < low_j:
        other, gain = with_first_at(low_j, j, i, k, pull, beta, cost, diagonal)
        if gain > best:
            new_i, new_j, best = other, low_j, gain
    if singular or free_j > high_j:
        other, gain = with_first_at(high_j, j, i, k, pull, beta, cost, diagonal)
        if gain > best:
            new_i, new_j, best = other, high_j, gain
    return new_i, new_j, best


@compiled
def clipped_pair_gain(i, j, k, pull, beta, cost, diagonal):
    """Gain of the free optimum (12) with each coordinate clipped by itself: what rule 128 goes by."""
    determinant = diagonal[i] * diagonal[j] - k * k
    if determinant <= _SINGULAR * diagonal[i] * diagonal[j]:
        return best_pair_step(i, j, k, pull, beta, cost, diagonal)[2]
    step_i = clip(beta[i] + (pull[i] * diagonal[j] - pull[j] * k) / determinant, cost[i]) - beta[i]
    step_j = clip(beta[j] + (pull[j] * diagonal[i] - pull[i] * k) / determinant, cost[j]) - beta[j]
    return gain_of(step_i, step_j, pull[i], pull[j], diagonal[i], diagonal[j], k)


@compiled
def free_pair_gain(i, j, k, pull, diagonal):
    """Gain of the free optimum, which inner variables can often reach; nothing for a singular pair."""
    determinant = diagonal[i] * diagonal[j] - k * k
    if determinant <= _SINGULAR * diagonal[i] * diagonal[j]:
        return 0.0
    squares = diagonal[j] * pull[i] * pull[i] + diagonal[i] * pull[j] * pull[j]
    return 0.5 * (squares - 2.0 * pull[i] * pull[j] * k) / determinant


@compiled
def is_inner(i, beta, cost):
    """Whether a variable lies between its ends."""
    return beta[i] != 0.0 and beta[i] != cost[i]


@compiled
def inner_variables(beta, cost):
    """All that lie between their ends."""
    found, count = np.empty(len(beta), np.int64), 0
    for t in range(len(beta)):
        if is_inner(t, beta, cost):
            found[count] = t
            count += 1
    return found[:count]


@compiled
def draw(below, random):
    """A random whole number from 0, by a linear congruence."""
    random[0] = random[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return np.int64(random[0] >> np.uint64(33)) % below


@compiled
def partner_one_step_ahead(i, row, pull, beta, cost, diagonal, inverse):
    """Rule 8: the best single variable once i has made its step."""
    step_i = clip(beta[i] + pull[i] * inverse[i], cost[i]) - beta[i]
    best, found = 0.0, -1
    for t in range(len(pull)):
        slope = pull[t] - step_i * row[t]
        step = clip(beta[t] + slope * inverse[t], cost[t]) - beta[t]
        gain = step * (slope - 0.5 * diagonal[t] * step)
        if gain > best and t != i:
            best, found = gain, t
    return found


@compiled
def partner_by_pair_gain(rule, by_neighbours, i, row, pull, beta, cost, diagonal, random):
    """One of the rules 32, 64, 128, 512, 1024: the partner of i with the largest gain of the pair, exact or not."""
    n = len(pull)
    best, found = 0.0, -1
    if rule == 32 or rule == 128:
        for t in range(n):
            if t != i:
                if rule == 32:
                    gain = best_pair_step(i, t, row[t], pull, beta, cost, diagonal)[2]
                else:
                    gain = clipped_pair_gain(i, t, row[t], pull, beta, cost, diagonal)
                if gain > best:
                    best, found = gain, t
    elif rule == 64:
        for _ in range(n // 5):
            t = draw(n, random)
            gain = best_pair_step(i, t, row[t], pull, beta, cost, diagonal)[2] if t != i else 0.0
            if gain > best:
                best, found = gain, t
    elif is_inner(i, beta, cost) and (rule == 1024 or by_neighbours):
        inner = inner_variables(beta, cost)
        for u in range(len(inner) if rule == 512 else len(inner) // 5):
            t = inner[u] if rule == 512 else inner[draw(len(inner), random)]
            gain = free_pair_gain(i, t, row[t], pull, diagonal) if t != i else 0.0
            if gain > best:
                best, found = gain, t
    return found


@compiled
def pair_from_matrix(rule, store, slot_of, best_variable, pull, beta, cost, diagonal, random):
    """One of the rules 0, 16, 256, 2048: a pair from anywhere."""
    n = len(pull)
    best, i, j = 0.0, -1, -1
    if rule == 0:
        for s in range(n):
            for t in range(s):
                gain = best_pair_step(s, t, store[slot_of[s], t], pull, beta, cost, diagonal)[2]
                if gain > best:
                    best, i, j = gain, s, t
    elif rule == 256:
        for _ in range(n):
            s, t = draw(n, random), draw(n, random)
            gain = best_pair_step(s, t, store[slot_of[s], t], pull, beta, cost, diagonal)[2] if s != t else 0.0
            if gain > best:
                best, i, j = gain, s, t
    elif rule == 16:
        # The two largest violations of (5): a variable violates by its pull where it may still go that way.
        second = 0.0
        for t in range(n):
            if clip(beta[t] + pull[t], cost[t]) != beta[t]:
                size = abs(pull[t])
                if size > best:
                    best, second, i, j = size, best, t, i
                elif size > second:
                    second, j = size, t
    elif is_inner(best_variable, beta, cost):
        inner = inner_variables(beta, cost)
        for _ in range(len(inner)):
            s, t = inner[draw(len(inner), random)], inner[draw(len(inner), random)]
            gain = free_pair_gain(s, t, store[slot_of[s], t], pull, diagonal) if s != t else 0.0
            if gain > best:
                best, i, j = gain, s, t
    return i, j


@compiled
def find_neighbours(row, diagonal, i, nearest):
    """The objects nearest to ``i`` in the metric of the kernel, d_i + d_j - 2 k_ij, by insertion."""
    held, size = 0, len(nearest)
    distance = np.empty(size)
    for j in range(len(row)):
        value = diagonal[j] - 2.0 * row[j]
        if j == i or (held == size and value >= distance[size - 1]):
            continue
        place = held if held < size else size - 1
        while place > 0 and distance[place - 1] > value:
            distance[place] = distance[place - 1]
            nearest[place] = nearest[place - 1]
            place -= 1
        distance[place] = value
        nearest[place] = j
        held = min(held + 1, size)


@compiled
def partners(rule, i, other, row, pull, beta, cost, diagonal, inverse, neighbours, state, random, found):
    """Write the partners of i that the rules propose into ``found``; how many they are."""
    count = 0
    if rule & 2 and other >= 0:
        found[count] = other
        count += 1
    look_near = (rule & 4) != 0 and state[BY_NEIGHBOURS] != 0
    if (rule & 1 or (rule & 4 and not look_near)) and state[PREVIOUS] >= 0 and state[PREVIOUS] != i:
        found[count] = state[PREVIOUS]
        count += 1
    if look_near:
        nearest = neighbours[i]
        if nearest[0] < 0:
            find_neighbours(row, diagonal, i, nearest)
        for near in nearest:
            found[count] = near
            count += 1
    if rule & 8:
        found[count] = partner_one_step_ahead(i, row, pull, beta, cost, diagonal, inverse)
        count += found[count] >= 0
    if rule & (FROM_BEST - 8):
        for single in (32, 64, 128, 512, 1024):
            if rule & single:
                near = state[BY_NEIGHBOURS] != 0
                found[count] = partner_by_pair_gain(single, near, i, row, pull, beta, cost, diagonal, random)
                count += found[count] >= 0
    return count


@compiled
def choose(
    rule, best, other, gain_best, store, slot_of, pull, beta, cost, diagonal, inverse, neighbours, state, random, found
):  # fmt: skip
    """The variables that move, i and perhaps j (else -1), and where they go.

    ``best`` is the best single variable, with ``gain_best``, and ``other`` that of the other half. Of all pairs that
    the rules propose, the one with the largest exact gain is taken.
    """
    row = store[slot_of[best]]
    i, j = best, -1
    new_i, new_j, gained = clip(beta[best] + pull[best] * inverse[best], cost[best]), 0.0, gain_best
    if rule == 0 or (rule > 0 and rule & FROM_MATRIX):
        if rule & FROM_MATRIX == rule:
            # Rules that do not start from the best variable do not fall back on it either.
            gained = -1.0
        for single in (0, 16, 256, 2048):
            if rule & single or rule == single:
                s, t = pair_from_matrix(single, store, slot_of, best, pull, beta, cost, diagonal, random)
                if s >= 0 and t >= 0:
                    a, b, value = best_pair_step(s, t, store[slot_of[s], t], pull, beta, cost, diagonal)
                    if value > gained:
                        i, j, new_i, new_j, gained = s, t, a, b, value
    if rule > 0:
        count = partners(rule, best, other, row, pull, beta, cost, diagonal, inverse, neighbours, state, random, found)
        for u in range(count):
            t = found[u]
            a, b, value = best_pair_step(best, t, row[t], pull, beta, cost, diagonal)
            if value > gained:
                i, j, new_i, new_j, gained = best, t, a, b, value
    return i, j, new_i, new_j


@compiled
def remember(best, inner_pair, state):
    """Note a step; every ten steps decide whether rule 4 looks at neighbours: if half of them moved inner pairs."""
    state[PREVIOUS] = best
    state[COUNTED] += 1
    state[INNER_PAIRS] += inner_pair
    if state[COUNTED] == 10:
        state[BY_NEIGHBOURS] = state[INNER_PAIRS] >= 5
        state[COUNTED] = state[INNER_PAIRS] = 0
