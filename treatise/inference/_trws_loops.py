"""Sequential messages over the variables in their order, plain or reweighted (Kolmogorov, 2006)."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def shares(begin, neighbour, reweighted):
    """Part of a variable's belief that each message carries: one over its largest number of monotonic chains, or 1."""
    n = len(begin) - 1
    share = np.ones(n)
    if reweighted:
        for a in range(n):
            later = 0
            for i in range(begin[a], begin[a + 1]):
                if neighbour[i] > a:
                    later += 1
            chains = max(later, begin[a + 1] - begin[a] - later)
            if chains > 1:
                share[a] = 1.0 / chains
    return share


@compiled
def sweep(forward, unary, tails, weights, table, transposed, begin, neighbour, edge, twin, share, messages):
    """Send messages from each variable to its later neighbours, or in reverse order to the earlier ones.

    ``messages[i]`` is what comes in along entry i of the neighbours. Returns the sum of what was taken off beliefs and
    messages, which after a reverse sweep of reweighted messages is a lower bound of the energy, and the largest change
    of a message.
    """
    n, h = unary.shape
    belief = np.empty(h)
    reduced = np.empty(h)
    message = np.empty(h)
    bound, change = 0.0, 0.0
    for step in range(n):
        a = step if forward else n - 1 - step
        for k in range(h):
            belief[k] = unary[a, k]
        for i in range(begin[a], begin[a + 1]):
            for k in range(h):
                belief[k] += messages[i, k]
        lowest = belief.min()
        bound += lowest
        for k in range(h):
            belief[k] -= lowest
        for i in range(begin[a], begin[a + 1]):
            b = neighbour[i]
            if (b > a) != forward:
                continue
            w = weights[edge[i]]
            costs = table if tails[edge[i]] == a else transposed
            for k in range(h):
                reduced[k] = share[a] * belief[k] - messages[i, k]
                message[k] = np.inf
            for k in range(h):
                for j in range(h):
                    cost = reduced[k] + w * costs[k, j]
                    message[j] = min(message[j], cost)
            lowest = message.min()
            bound += lowest
            for k in range(h):
                value = message[k] - lowest
                change = max(change, abs(value - messages[twin[i], k]))
                messages[twin[i], k] = value
    return bound, change


@compiled
def read_labels(unary, tails, weights, table, transposed, begin, neighbour, edge, messages, labels):
    """Fix variables in their order: known labels of the earlier neighbours, messages of the later ones."""
    n, h = unary.shape
    belief = np.empty(h)
    for a in range(n):
        for k in range(h):
            belief[k] = unary[a, k]
        for i in range(begin[a], begin[a + 1]):
            b = neighbour[i]
            if b > a:
                for k in range(h):
                    belief[k] += messages[i, k]
            else:
                costs = transposed if tails[edge[i]] == a else table
                for k in range(h):
                    belief[k] += weights[edge[i]] * costs[labels[b], k]
        labels[a] = np.argmin(belief)
