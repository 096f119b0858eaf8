"""Inference with evidence in a network of conjunctive features: by Gibbs sampling and by enumeration.

Evidence settles most features: those with a violated test of evidence can be forgotten, of the others only the tests
of queried columns remain. A feature with one such test left is part of the field of that column.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.statistics.sampling.random_numbers import split_mix_uniform

_FNV = np.uint64(0x100000001B3)
_ONE = np.uint64(1)


@compiled_step
def holds(allowed, value):
    """Whether a test holds at a value: its bit."""
    return (allowed >> np.uint64(value)) & _ONE != 0


@compiled_step
def add_share(scores, begin, n_values, allowed, weight):
    """Add a feature's weight to the log-odds against value 0 of a column, which lie from ``begin`` on."""
    at_zero = holds(allowed, 0)
    for v in range(1, n_values):
        if holds(allowed, v) != at_zero:
            scores[begin + v - 1] += -weight if at_zero else weight


@compiled_step
def live_features(row, place, n_values, slots, indptr, variables, allowed, weights):
    """What is left of the features once the evidence of a row is known.

    ``place[i]`` is the position of column i in the query, or -1 for evidence; ``n_values`` and ``slots``, where its
    log-odds lie, are by position. Returns the fields of the queried columns, the weights of the remaining features,
    and their tests (query position, allowed values) in CSR form.
    """
    field = np.zeros(slots[-1])
    live_weights = np.empty(len(weights))
    live_indptr = np.zeros(len(weights) + 1, dtype=np.int64)
    tested = np.empty(indptr[-1], dtype=np.int64)
    wanted = np.empty(indptr[-1], dtype=np.uint64)
    n_live, end = 0, 0
    for f in range(len(weights)):
        begin, alive = end, weights[f] != 0.0
        for t in range(indptr[f], indptr[f + 1]):
            i = variables[t]
            if place[i] >= 0:
                tested[end], wanted[end] = place[i], allowed[t]
                end += 1
            elif not holds(allowed[t], row[i]):
                alive = False
                break
        if not alive or end == begin:
            end = begin
        elif end == begin + 1:
            end = begin
            q = tested[begin]
            add_share(field, slots[q], n_values[q], wanted[begin], weights[f])
        else:
            live_weights[n_live] = weights[f]
            n_live += 1
            live_indptr[n_live] = end
    return field, live_weights[:n_live], live_indptr[: n_live + 1], tested[:end], wanted[:end]


@compiled_step
def occurrences(n_query, indptr, tested, wanted):
    """The allowed values and the feature of each test, sorted by the column they test."""
    first = np.zeros(n_query + 1, dtype=np.int64)
    for t in range(len(tested)):
        first[tested[t] + 1] += 1
    for i in range(n_query):
        first[i + 1] += first[i]
    fill = first.copy()
    values = np.empty(len(tested), dtype=np.uint64)
    feature = np.empty(len(tested), dtype=np.int64)
    for f in range(len(indptr) - 1):
        for t in range(indptr[f], indptr[f + 1]):
            at = fill[tested[t]]
            values[at], feature[at] = wanted[t], f
            fill[tested[t]] += 1
    return first, values, feature


@compiled_step
def sweep(state, violated, n_values, slots, field, weights, first, values, feature, generator, proba):
    """Draw every queried column given all others; ``proba`` receives the probabilities drawn from."""
    for i in range(len(state)):
        odds = proba[slots[i] : slots[i + 1]]
        if n_values[i] == 2:
            proba[slots[i]] = coin(i, state[i], violated, field[slots[i]], weights, first, values, feature)
        else:
            for s in range(len(odds)):
                odds[s] = field[slots[i] + s]
            dice(i, state[i], violated, odds, weights, first, values, feature)
        number, below, drawn = split_mix_uniform(generator), 0.0, 0
        for s in range(len(odds)):
            below += odds[s]
            if number < below:
                drawn = s + 1
                break
        if drawn != state[i]:
            for a in range(first[i], first[i + 1]):
                before, after = holds(values[a], state[i]), holds(values[a], drawn)
                if before != after:
                    violated[feature[a]] += 1 if before else -1
            state[i] = drawn


@compiled_step
def coin(i, state, violated, odds, weights, first, values, feature):
    """Probability that a column of two values has the second."""
    for a in range(first[i], first[i + 1]):
        f = feature[a]
        # Tests of other columns that fail: all that fail, less this one.
        if violated[f] == (0 if holds(values[a], state) else 1):
            odds += -weights[f] if holds(values[a], 0) else weights[f]
    return 1.0 / (1.0 + np.exp(-odds))


@compiled_step
def dice(i, state, violated, odds, weights, first, values, feature):
    """Turn the fields of a column of more values into their probabilities, all but that of value 0."""
    for a in range(first[i], first[i + 1]):
        f = feature[a]
        if violated[f] == (0 if holds(values[a], state) else 1):
            add_share(odds, 0, len(odds) + 1, values[a], weights[f])
    highest = 0.0
    for s in range(len(odds)):
        highest = max(highest, odds[s])
    total = np.exp(-highest)
    for s in range(len(odds)):
        odds[s] = np.exp(odds[s] - highest)
        total += odds[s]
    for s in range(len(odds)):
        odds[s] /= total


@compiled_step
def start_chain(state, violated, n_values, indptr, tested, wanted, generator):
    """A chain at a random state."""
    for i in range(len(state)):
        state[i] = n_values[i] - 1 - np.int64(split_mix_uniform(generator) * n_values[i])
    for f in range(len(violated)):
        violated[f] = 0
        for t in range(indptr[f], indptr[f + 1]):
            if not holds(wanted[t], state[tested[t]]):
                violated[f] += 1


@compiled
def gibbs_chains(
    X, place, n_values, slots, indptr, variables, allowed, weights, n_chains, burn_in, n_samples, thin, seed
):
    """Chains of Gibbs sampling for the queried columns given the other columns of each row.

    Returns
    -------
    marginals : ndarray of shape (rows, slots[-1])
        Probability of each value but 0: the mean of the probabilities drawn from, which varies less than the mean of
        the draws.
    states : ndarray of uint8 of shape (rows, n_samples // thin, n_chains, n_query)
        One of every ``thin`` states after the burn-in; none where ``thin`` exceeds ``n_samples``.
    """
    n_query = len(n_values)
    marginals = np.zeros((len(X), slots[-1]))
    states = np.empty((len(X), n_samples // thin, n_chains, n_query), dtype=np.uint8)
    state = np.empty(n_query, dtype=np.uint8)
    proba = np.empty(slots[-1])
    generator = np.empty(1, dtype=np.uint64)
    for r in range(len(X)):
        field, live, starts, tested, wanted = live_features(
            X[r], place, n_values, slots, indptr, variables, allowed, weights
        )
        first, values, feature = occurrences(n_query, starts, tested, wanted)
        violated = np.empty(len(live), dtype=np.int32)
        # The stream follows from the evidence, so that an answer does not depend on the rows beside it.
        generator[0] = seed
        for i in range(len(place)):
            if place[i] < 0:
                generator[0] = (generator[0] ^ np.uint64(X[r, i])) * _FNV
        for c in range(n_chains):
            start_chain(state, violated, n_values, starts, tested, wanted, generator)
            for k in range(burn_in + n_samples):
                sweep(state, violated, n_values, slots, field, live, first, values, feature, generator, proba)
                counted = k - burn_in + 1
                if counted <= 0:
                    continue
                for s in range(len(proba)):
                    marginals[r, s] += proba[s] / (n_chains * n_samples)
                if counted % thin == 0:
                    for i in range(n_query):
                        states[r, counted // thin - 1, c, i] = state[i]
    return marginals, states


@compiled_step
def allowed_codes(tested, wanted, begin, end, n_values, shift, codes):
    """Write the states of the tested columns in which tests hold, bits of other columns zero; gives their number."""
    codes[0], n_codes = 0, 1
    for t in range(begin, end):
        q, before, lowest = tested[t], n_codes, -1
        for v in range(n_values[q]):
            if holds(wanted[t], v):
                if lowest < 0:
                    lowest = v
                    continue
                for k in range(before):
                    codes[n_codes + k] = codes[k] | (v << shift[q])
                n_codes += before
        for k in range(before):
            codes[k] |= lowest << shift[q]
    return n_codes


@compiled
def enumerated_potentials(row, place, n_values, slots, shift, indptr, variables, allowed, weights):
    """Sum of the weights of the matching features for every state of the query.

    The value of query position q is in the bits ``shift[q]`` to ``shift[q + 1]``; states with a number that is no
    value have minus infinity. Features that the evidence alone decides are left out: they are the same for all states.
    """
    potentials, codes = np.zeros(1 << shift[-1]), np.empty(1 << shift[-1], dtype=np.int64)
    field, live, starts, tested, wanted = live_features(
        row, place, n_values, slots, indptr, variables, allowed, weights
    )
    for q in range(len(n_values)):
        for s in range(1 << shift[q], 1 << shift[q + 1]):
            value = s >> shift[q]
            below = potentials[s ^ (value << shift[q])]
            potentials[s] = below + field[slots[q] + value - 1] if value < n_values[q] else -np.inf
    for f in range(len(live)):
        care = 0
        for t in range(starts[f], starts[f + 1]):
            care |= (1 << shift[tested[t] + 1]) - (1 << shift[tested[t]])
        free = (len(potentials) - 1) ^ care
        for k in range(allowed_codes(tested, wanted, starts[f], starts[f + 1], n_values, shift, codes)):
            code = codes[k]
            rest = free
            while True:
                potentials[code | rest] += live[f]
                if rest == 0:
                    break
                rest = (rest - 1) & free
    return potentials


@compiled
def enumerated_marginals(X, place, n_values, slots, shift, indptr, variables, allowed, weights):
    """Probability of each value but 0 of the queried columns given the others, by the sum over all states."""
    marginals = np.zeros((len(X), slots[-1]))
    low, bits = shift[:-1].copy(), (1 << np.diff(shift)) - 1
    for r in range(len(X)):
        potentials = enumerated_potentials(X[r], place, n_values, slots, shift, indptr, variables, allowed, weights)
        highest, total = potentials[0], 0.0
        for s in range(len(potentials)):
            highest = max(highest, potentials[s])
        for s in range(len(potentials)):
            mass = np.exp(potentials[s] - highest)
            total += mass
            if mass == 0.0:
                continue
            for q in range(len(n_values)):
                value = (s >> low[q]) & bits[q]
                if value:
                    marginals[r, slots[q] + value - 1] += mass
        for s in range(slots[-1]):
            marginals[r, s] /= total
    return marginals
