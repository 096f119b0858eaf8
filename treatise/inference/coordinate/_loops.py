"""One variable at a time given all others, in models of tables of any order."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _scores_of(v, tables, starts, first, factor, stride, at, x, K, out):
    """Scores of v's states with all other variables as they are; ``at`` is each factor's place in its table."""
    for k in range(K):
        out[k] = 0.0
    for i in range(first[v], first[v + 1]):
        f = factor[i]
        base = starts[f] + at[f] - x[v] * stride[i]
        for k in range(K):
            out[k] += tables[base + k * stride[i]]


@compiled_step
def _move(v, state, first, factor, stride, at, x):
    for i in range(first[v], first[v + 1]):
        at[factor[i]] += (state - x[v]) * stride[i]
    x[v] = state


@compiled
def gibbs_sweeps(n_states, tables, starts, first, factor, stride, at, x, uniform, kept, thin):
    """Draw every variable in turn; every ``thin``-th sweep is kept. False where a variable has no possible state."""
    largest = 0
    for k in n_states:
        largest = max(largest, k)
    out = np.empty(largest)
    for sweep in range(len(uniform)):
        for v in range(len(n_states)):
            K = n_states[v]
            _scores_of(v, tables, starts, first, factor, stride, at, x, K, out)
            top = -np.inf
            for k in range(K):
                top = max(top, out[k])
            if top == -np.inf:
                return False
            total = 0.0
            for k in range(K):
                out[k] = np.exp(out[k] - top)
                total += out[k]
            target = uniform[sweep, v] * total
            state, acc = 0, out[0]
            while state < K - 1 and acc <= target:
                state += 1
                acc += out[state]
            # Rounding must not end in a state of no probability.
            while out[state] == 0.0:
                state -= 1
            if state != x[v]:
                _move(v, state, first, factor, stride, at, x)
        if (sweep + 1) % thin == 0:
            row = (sweep + 1) // thin - 1
            for v in range(len(n_states)):
                kept[row, v] = x[v]
    return True


@compiled
def mode_sweep(n_states, tables, starts, first, factor, stride, at, x):
    """Give every variable in turn its best state; a tie keeps the present one. Returns the number of changes."""
    largest = 0
    for k in n_states:
        largest = max(largest, k)
    out = np.empty(largest)
    changes = 0
    for v in range(len(n_states)):
        K = n_states[v]
        _scores_of(v, tables, starts, first, factor, stride, at, x, K, out)
        state = x[v]
        for k in range(K):
            if out[k] > out[state]:
                state = k
        if state != x[v]:
            _move(v, state, first, factor, stride, at, x)
            changes += 1
    return changes
