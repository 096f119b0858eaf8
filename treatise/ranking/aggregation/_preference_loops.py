"""Compiled sums over the pairs of each expert: what every item won and lost."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def sum_pairs(starts, values, binary, wins, losses, totals):
    """Weight with which each ranked item beats others and is beaten, expert after expert, in O(m log m).

    The smaller of two values is preferred, by the difference or, if binary, by one. ``wins`` and ``losses`` are filled
    for every value, ``totals`` for every expert.
    """
    for expert in range(len(starts) - 1):
        first, last = starts[expert], starts[expert + 1]
        count = last - first
        order = np.argsort(values[first:last], kind="mergesort")
        total = 0.0
        for j in range(count):
            total += values[first + j]
        before, behind = 0.0, total
        at = 0
        while at < count:
            value, end = values[first + order[at]], at
            while end < count and values[first + order[end]] == value:
                end += 1
            tied = (end - at) * value
            behind -= tied
            for place in range(at, end):
                seat = first + order[place]
                if binary:
                    wins[seat], losses[seat] = count - end, at
                else:
                    wins[seat] = behind - (count - end) * value
                    losses[seat] = at * value - before
                totals[expert] += wins[seat]
            before += tied
            at = end


@compiled
def sum_net_pairs(starts, items, values, binary, weights, net):
    """Add each expert's preferences to net[i, j], for i over j less those for j over i, with the expert's weight."""
    for expert in range(len(starts) - 1):
        weight = weights[expert]
        for a in range(starts[expert], starts[expert + 1]):
            for b in range(a + 1, starts[expert + 1]):
                strength = values[b] - values[a]
                if binary:
                    strength = np.sign(strength)
                net[items[a], items[b]] += weight * strength
                net[items[b], items[a]] -= weight * strength


@compiled
def sum_preferences(starts, items, values, binary, weights, total):
    """Add each expert's preferences for i over j to total[i, j], with the expert's weight."""
    for expert in range(len(starts) - 1):
        weight = weights[expert]
        for a in range(starts[expert], starts[expert + 1]):
            for b in range(a + 1, starts[expert + 1]):
                strength = values[b] - values[a]
                if strength > 0.0:
                    total[items[a], items[b]] += weight * (1.0 if binary else strength)
                elif strength < 0.0:
                    total[items[b], items[a]] += weight * (1.0 if binary else -strength)
