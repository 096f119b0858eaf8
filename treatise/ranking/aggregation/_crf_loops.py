"""Compiled steps of the permutation CRF: subsets of items, expected metrics and their gradients."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled
def choose_items(starts, labels, keys, size, chosen, counts):
    """Of each instance the items with the smallest keys, one of every label first, sorted by falling label.

    ``chosen`` holds places among all items; ``counts`` how many of an instance there are.
    """
    for n in range(len(starts) - 1):
        first, last = starts[n], starts[n + 1]
        order = first + np.argsort(keys[first:last])
        taken = np.zeros(last - first, np.bool_)
        count = 0
        for item in order:
            fresh = count < size
            for other in range(count):
                if labels[chosen[n, other]] == labels[item]:
                    fresh = False
            if fresh:
                chosen[n, count] = item
                taken[item - first] = True
                count += 1
        for item in order:
            if count < size and not taken[item - first]:
                chosen[n, count] = item
                count += 1
        levels = np.empty(count)
        for place in range(count):
            levels[place] = -labels[chosen[n, place]]
        chosen[n, :count] = chosen[n, :count][np.argsort(levels, kind="mergesort")]
        counts[n] = count


@compiled
def fill_potentials(values, binary, members, potentials):
    """Potentials of each expert for some items (Equation 4): left out, preferred to the others, the others to it.

    ``values`` has a row for each item and NaN where an expert leaves it out; the smaller of two is preferred. Each of
    the three has as many columns as there are experts. Preferences are means over the other items.
    """
    n_experts, others = values.shape[1], max(len(members) - 1, 1)
    for place in range(len(members)):
        for expert in range(n_experts):
            own = values[members[place], expert]
            won, lost = 0.0, 0.0
            for other in range(len(members)):
                lead = values[members[other], expert] - own
                if lead > 0.0:
                    won += 1.0 if binary else lead
                elif lead < 0.0:
                    lost += 1.0 if binary else -lead
            potentials[place, expert] = 1.0 if math.isnan(own) else 0.0
            potentials[place, n_experts + expert] = won / others
            potentials[place, 2 * n_experts + expert] = -lost / others


@compiled_step
def _expected(scores, count, orders, discounts, metric, pull):
    """Expected metric over all orders of a few items, and its derivatives in their scores (Equation 5)."""
    energy = np.empty(len(orders))
    high = -np.inf
    for o in range(len(orders)):
        total = 0.0
        for place in range(count):
            total += scores[orders[o, place]] * discounts[place]
        energy[o] = total / count**2
        high = max(high, energy[o])
    mass, mean = 0.0, 0.0
    for o in range(len(orders)):
        energy[o] = math.exp(energy[o] - high)
        mass += energy[o]
        mean += energy[o] * metric[o]
    mean /= mass
    for place in range(count):
        pull[place] = 0.0
    for o in range(len(orders)):
        push = energy[o] / mass * (metric[o] - mean) / count**2
        for place in range(count):
            pull[orders[o, place]] += push * discounts[place]
    return mean


@compiled_step
def _weight(column, n_experts, shared):
    """Weight of a column: one of each expert, or one for all."""
    return column // n_experts if shared else column


@compiled
def ascend(
    values,
    binary,
    chosen,
    counts,
    pattern,
    metrics,
    orders,
    order_starts,
    discounts,
    scale,
    shared,
    rate,
    weights,
    slopes,
):
    """One pass of Algorithm 2 over subsets of items: the sum of their expected metrics.

    After each subset the weights move by ``rate`` along its gradient, which is added to ``slopes``. Subsets of count c
    have the orders ``order_starts[c]:order_starts[c + 1]``; one whose ``pattern`` is negative has nothing to tell.
    """
    n_experts, size = values.shape[1], chosen.shape[1]
    potentials, scores, pull = np.empty((size, 3 * n_experts)), np.empty(size), np.empty(size)
    total = 0.0
    for n in range(len(chosen)):
        if pattern[n] < 0:
            continue
        count = counts[n]
        fill_potentials(values, binary, chosen[n, :count], potentials)
        for place in range(count):
            scores[place] = 0.0
            for column in range(3 * n_experts):
                own = scale[column] * weights[_weight(column, n_experts, shared)]
                scores[place] += potentials[place, column] * own
        every = orders[order_starts[count] : order_starts[count + 1]]
        total += _expected(scores, count, every, discounts, metrics[pattern[n]], pull)
        for column in range(3 * n_experts):
            slope = 0.0
            for place in range(count):
                slope += pull[place] * potentials[place, column]
            slope *= scale[column]
            weights[_weight(column, n_experts, shared)] += rate * slope
            slopes[_weight(column, n_experts, shared)] += slope
    return total
