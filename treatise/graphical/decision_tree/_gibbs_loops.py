"""Inference with evidence in a network of conjunctive features: by Gibbs sampling and by enumeration.

Evidence settles most features: those with a violated test of evidence can be forgotten, of the others only the tests
of queried columns remain. A feature with one such test left is part of the field of that column.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_FNV = np.uint64(0x100000001B3)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@compiled_step
def uniform(state):
    """The next number in [0, 1) of the generator SplitMix64 whose state is ``state[0]``."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return np.float64((z ^ (z >> _S31)) >> _S11) / 9007199254740992.0


@compiled_step
def live_features(row, place, n_query, indptr, variables, values, weights):
    """What is left of the features once the evidence of a row is known.

    ``place[i]`` is the position of column i in the query, or -1 for evidence. Returns the fields of the queried
    columns, the weights of the remaining features, and their tests (query position, value) in CSR form.
    """
    field = np.zeros(n_query)
    live_weights = np.empty(len(weights))
    live_indptr = np.zeros(len(weights) + 1, dtype=np.int64)
    tested = np.empty(indptr[-1], dtype=np.int64)
    wanted = np.empty(indptr[-1], dtype=np.uint8)
    n_live, end = 0, 0
    for f in range(len(weights)):
        begin, alive = end, weights[f] != 0.0
        for t in range(indptr[f], indptr[f + 1]):
            i = variables[t]
            if place[i] >= 0:
                tested[end], wanted[end] = place[i], values[t]
                end += 1
            elif row[i] != values[t]:
                alive = False
                break
        if not alive or end == begin:
            end = begin
        elif end == begin + 1:
            end = begin
            field[tested[begin]] += weights[f] if wanted[begin] else -weights[f]
        else:
            live_weights[n_live] = weights[f]
            n_live += 1
            live_indptr[n_live] = end
    return field, live_weights[:n_live], live_indptr[: n_live + 1], tested[:end], wanted[:end]


@compiled_step
def occurrences(n_query, indptr, tested):
    """The tests sorted by the column they test, and the feature of each test."""
    first = np.zeros(n_query + 1, dtype=np.int64)
    for t in range(len(tested)):
        first[tested[t] + 1] += 1
    for i in range(n_query):
        first[i + 1] += first[i]
    fill = first.copy()
    test = np.empty(len(tested), dtype=np.int64)
    feature = np.empty(len(tested), dtype=np.int64)
    for f in range(len(indptr) - 1):
        for t in range(indptr[f], indptr[f + 1]):
            at = fill[tested[t]]
            test[at], feature[at] = t, f
            fill[tested[t]] += 1
    return first, test, feature


@compiled_step
def sweep(state, violated, field, weights, first, test, feature, wanted, generator, proba):
    """Draw every queried column given all others; ``proba`` receives the probabilities drawn from."""
    for i in range(len(state)):
        odds = field[i]
        for a in range(first[i], first[i + 1]):
            value, f = wanted[test[a]], feature[a]
            # Tests of other columns that fail: all that fail, less this one.
            others = violated[f] - (1 if state[i] != value else 0)
            if others == 0:
                odds += weights[f] if value else -weights[f]
        proba[i] = 1.0 / (1.0 + np.exp(-odds))
        drawn = 1 if uniform(generator) < proba[i] else 0
        if drawn != state[i]:
            for a in range(first[i], first[i + 1]):
                violated[feature[a]] += 1 if wanted[test[a]] == state[i] else -1
            state[i] = drawn


@compiled_step
def start_chain(state, violated, indptr, tested, wanted, generator):
    """A chain at a random state."""
    for i in range(len(state)):
        state[i] = 1 if uniform(generator) < 0.5 else 0
    for f in range(len(violated)):
        violated[f] = 0
        for t in range(indptr[f], indptr[f + 1]):
            if state[tested[t]] != wanted[t]:
                violated[f] += 1


@compiled
def gibbs_chains(X, place, n_query, indptr, variables, values, weights, n_chains, burn_in, n_samples, thin, seed):
    """Chains of Gibbs sampling for the queried columns given the other columns of each row.

    Returns
    -------
    marginals : ndarray of shape (rows, n_query)
        Probability of 1: the mean of the probabilities drawn from, which varies less than the mean of the draws.
    states : ndarray of uint8 of shape (rows, n_samples // thin, n_chains, n_query)
        One of every ``thin`` states after the burn-in; none where ``thin`` exceeds ``n_samples``.
    """
    marginals = np.zeros((len(X), n_query))
    states = np.empty((len(X), n_samples // thin, n_chains, n_query), dtype=np.uint8)
    state = np.empty(n_query, dtype=np.uint8)
    proba = np.empty(n_query)
    generator = np.empty(1, dtype=np.uint64)
    for r in range(len(X)):
        field, live, starts, tested, wanted = live_features(X[r], place, n_query, indptr, variables, values, weights)
        first, test, feature = occurrences(n_query, starts, tested)
        violated = np.empty(len(live), dtype=np.int32)
        # The stream follows from the evidence, so that an answer does not depend on the rows beside it.
        generator[0] = seed
        for i in range(len(place)):
            if place[i] < 0:
                generator[0] = (generator[0] ^ np.uint64(X[r, i])) * _FNV
        for c in range(n_chains):
            start_chain(state, violated, starts, tested, wanted, generator)
            for k in range(burn_in + n_samples):
                sweep(state, violated, field, live, first, test, feature, wanted, generator, proba)
                counted = k - burn_in + 1
                for i in range(n_query):
                    if counted > 0:
                        marginals[r, i] += proba[i] / (n_chains * n_samples)
                    if counted > 0 and counted % thin == 0:
                        states[r, counted // thin - 1, c, i] = state[i]
    return marginals, states


@compiled
def enumerated_potentials(row, place, n_query, indptr, variables, values, weights):
    """Sum of the weights of the matching features for every state of the query, bit i being query position i.

    Features that the evidence alone decides are left out: they are the same for all states.
    """
    potentials = np.zeros(1 << n_query)
    field, live, starts, tested, wanted = live_features(row, place, n_query, indptr, variables, values, weights)
    for s in range(1, len(potentials)):
        top = 0
        while s >> (top + 1):
            top += 1
        potentials[s] = potentials[s ^ (1 << top)] + field[top]
    for f in range(len(live)):
        care, value = 0, 0
        for t in range(starts[f], starts[f + 1]):
            care |= 1 << tested[t]
            value |= np.int64(wanted[t]) << tested[t]
        free = (len(potentials) - 1) ^ care
        rest = free
        while True:
            potentials[value | rest] += live[f]
            if rest == 0:
                break
            rest = (rest - 1) & free
    return potentials


@compiled
def enumerated_marginals(X, place, n_query, indptr, variables, values, weights):
    """Probability of 1 of the queried columns given the others, by the sum over all states of the query."""
    marginals = np.zeros((len(X), n_query))
    for r in range(len(X)):
        potentials = enumerated_potentials(X[r], place, n_query, indptr, variables, values, weights)
        highest, total = potentials[0], 0.0
        for s in range(len(potentials)):
            highest = max(highest, potentials[s])
        for s in range(len(potentials)):
            mass = np.exp(potentials[s] - highest)
            total += mass
            for i in range(n_query):
                if (s >> i) & 1:
                    marginals[r, i] += mass
        for i in range(n_query):
            marginals[r, i] /= total
    return marginals
