"""Probability of a state averaged over parent sets, from one table of occurring configurations for each set."""

from treatise._core.jit import compiled


@compiled
def find(keys, begin, end, key):
    """Place of a key among the sorted ``keys[begin:end]``, or -1."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


@compiled
def averaged_probability(codes, child, n_states, first, last, parents, weights, keys, starts, values, value_at, out):
    """Sum over parent sets ``first:last`` of their weight times the probability of the child's state (Equation 16).

    Configuration j of set s has the row ``values[value_at[s] + (j - starts[s]) * (r + 1)]``, whose last number is for
    a state of the child that was never seen. Configurations that did not occur make all r states equally probable.
    """
    r = n_states[child]
    for t in range(codes.shape[0]):
        total = 0.0
        for s in range(first, last):
            key, possible = 0, True
            for a in range(parents.shape[1]):
                parent = parents[s, a]
                if parent < 0:
                    break
                possible = possible and codes[t, parent] < n_states[parent]
                key = key * n_states[parent] + codes[t, parent]
            j = find(keys, starts[s], starts[s + 1], key) if possible else -1
            if j < 0:
                total += weights[s] / r
            else:
                total += weights[s] * values[value_at[s] + (j - starts[s]) * (r + 1) + codes[t, child]]
        out[t] = total
