"""The linear cost of a labelled sequence: a table of positions by labels, and weights of strings of labels.

The weights of strings of 2, 3, ... ``order + 1`` labels lie one after another; a string is a number to the base K
whose last digit is the latest label.
"""

import numpy as np

from treatise._core.jit import compiled


@compiled
def position_cost(labels, t, low, costs, strings, order):
    """Cost that enters at position ``t`` of the sequence that begins at ``low``: its label, and strings ending here."""
    K = costs.shape[1]
    total = costs[low + t, labels[t]]
    code, power, base = np.int64(labels[t]), K, 0
    for back in range(1, min(order, t) + 1):
        code += labels[t - back] * power
        power *= K
        total += strings[base + code]
        base += power
    return total


@compiled
def output_costs(outputs, low, costs, strings, order, totals):
    """Cost of each row of labels of one sequence."""
    for r in range(len(outputs)):
        totals[r] = 0.0
        for t in range(outputs.shape[1]):
            totals[r] += position_cost(outputs[r], t, low, costs, strings, order)


@compiled
def string_counts(labels, sign, K, order, first, last, counts, touched, n_touched):
    """Add ``sign`` to the count of every string of labels that ends in ``first`` to ``last``; note which changed."""
    for t in range(first, last):
        code, power, base = np.int64(labels[t]), K, 0
        for back in range(1, min(order, t) + 1):
            code += labels[t - back] * power
            power *= K
            counts[base + code] += sign
            touched[n_touched] = base + code
            n_touched += 1
            base += power
    return n_touched
