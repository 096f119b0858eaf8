"""Loops of decoders that no chain of scores expresses: prior marginals, blocks, transformed messages."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled
def prior_marginals(first, last, offsets, start, transitions, prior):
    """Probability of each state at each position before anything is observed."""
    K = len(start)
    shared = len(transitions) == 1
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        for j in range(K):
            prior[low, j] = start[j]
        for t in range(low + 1, high):
            m = 0 if shared else t
            for j in range(K):
                prior[t, j] = 0.0
            for i in range(K):
                for j in range(K):
                    prior[t, j] += prior[t - 1, i] * transitions[m, i, j]


@compiled
def block_paths(first, last, offsets, log_emissions, transitions, posterior, k, paths):
    """Paths that maximise the sum of the posterior probabilities of all blocks of ``k`` states (equation 29).

    Given the observations the states are a Markov chain, with moves in proportion to p_ij f_j b_j for the backward
    messages b. The search runs over tuples of k - 1 states, written as numbers to the base K.
    """
    K = log_emissions.shape[1]
    shared = len(transitions) == 1
    move = np.empty((K, K))
    for s in range(first, last):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        block = min(k, n)
        if block == 1:
            for t in range(n):
                state = 0
                for j in range(1, K):
                    if posterior[low + t, j] > posterior[low + t, state]:
                        state = j
                paths[low + t] = state
            continue
        ahead = _backward_factors(low, n, log_emissions, transitions)
        n_tuples = K ** (block - 1)
        without_first = n_tuples // K
        chance = np.zeros(n_tuples)
        for j in range(K):
            chance[j] = posterior[low, j]
        known = K
        # Probabilities of the first tuple, one state longer at a time.
        for t in range(1, block - 1):
            _posterior_moves(transitions[0 if shared else low + t], ahead[t], move)
            for w in range(known - 1, -1, -1):
                there = chance[w]
                for j in range(K):
                    chance[w * K + j] = there * move[w % K, j]
            known *= K
        value = np.zeros(n_tuples)
        longer = np.empty(n_tuples)
        best = np.empty(n_tuples)
        steps = n - block + 1
        dropped = np.empty((steps, n_tuples), np.int32)
        for step in range(steps):
            t = step + block - 1
            _posterior_moves(transitions[0 if shared else low + t], ahead[t], move)
            for w in range(n_tuples):
                best[w] = -1.0
                longer[w] = 0.0
            for w in range(n_tuples):
                tail = (w % without_first) * K
                for j in range(K):
                    together = chance[w] * move[w % K, j]
                    longer[tail + j] += together
                    if value[w] + together > best[tail + j]:
                        best[tail + j] = value[w] + together
                        dropped[step, tail + j] = w // without_first
            value, best = best, value
            chance, longer = longer, chance
        w = 0
        for other in range(1, n_tuples):
            if value[other] > value[w]:
                w = other
        for step in range(steps - 1, -1, -1):
            paths[low + step + block - 1] = w % K
            w = dropped[step, w] * without_first + w // K
        for t in range(block - 2, -1, -1):
            paths[low + t] = w % K
            w //= K


@compiled_step
def _posterior_moves(transition, ahead, move):
    """Probabilities of the next state given the present one and all observations."""
    K = len(ahead)
    for i in range(K):
        total = 0.0
        for j in range(K):
            move[i, j] = transition[i, j] * ahead[j]
            total += move[i, j]
        if total > 0.0:
            for j in range(K):
                move[i, j] /= total


@compiled_step
def _backward_factors(low, n, log_emissions, transitions):
    """f_j(x_t) b_t(j) for every position, each scaled to have the maximum 1."""
    K = log_emissions.shape[1]
    shared = len(transitions) == 1
    factors = np.empty((n, K))
    for t in range(n - 1, -1, -1):
        # Scaled in logarithms: a likelihood may lie outside the range of floating point.
        highest = -np.inf
        for j in range(K):
            message = 1.0
            if t < n - 1:
                m = 0 if shared else low + t + 1
                message = 0.0
                for i in range(K):
                    message += transitions[m, j, i] * factors[t + 1, i]
            factors[t, j] = log_emissions[low + t, j] + (np.log(message) if message > 0.0 else -np.inf)
            highest = max(highest, factors[t, j])
        for j in range(K):
            factors[t, j] = np.exp(factors[t, j] - highest)
    return factors


@compiled_step
def _log_power_mean(values, mu):
    """Logarithm of (sum of x^mu)^(1/mu) from logarithms; mu = 0 is the geometric mean of the positive terms."""
    highest = values.max()
    if highest == -np.inf or mu == np.inf:
        return highest
    total = 0.0
    if mu == 0.0:
        count = 0
        for value in values:
            if value > -np.inf:
                total += value
                count += 1
        return total / count
    for value in values:
        total += np.exp(mu * (value - highest))
    return highest + np.log(total) / mu


@compiled
def power_transformed(first, last, offsets, log_emissions, log_start, log_transitions, mu, scores):
    """Logarithms of alpha_t(i; mu) beta_t(i; mu) up to a constant of each position (equations 45, 52 and 53).

    The decoder does not change with the scale of the messages (Proposition 10): here each has the maximum 1.
    """
    K = log_emissions.shape[1]
    shared = len(log_transitions) == 1
    arriving = np.empty(K)
    ahead = np.empty(K)
    behind = np.empty(K)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        for t in range(low, high):
            highest = -np.inf
            for i in range(K):
                if t == low:
                    message = log_start[i]
                else:
                    m = 0 if shared else t
                    for j in range(K):
                        arriving[j] = scores[t - 1, j] + log_transitions[m, j, i]
                    message = _log_power_mean(arriving, mu)
                scores[t, i] = message + log_emissions[t, i]
                highest = max(highest, scores[t, i])
            for i in range(K):
                scores[t, i] -= highest
        ahead[:] = 0.0
        for t in range(high - 2, low - 1, -1):
            m = 0 if shared else t + 1
            highest = -np.inf
            for i in range(K):
                for j in range(K):
                    arriving[j] = log_transitions[m, i, j] + log_emissions[t + 1, j] + ahead[j]
                behind[i] = _log_power_mean(arriving, mu)
                highest = max(highest, behind[i])
            for i in range(K):
                ahead[i] = behind[i] - highest
                scores[t, i] += ahead[i]


@compiled_step
def _log_average(values, mu):
    """log of the mean of exp(mu x), accurate for small and for large mu x."""
    highest = mu * values.max()
    total = 0.0
    if highest < 1.0:
        for value in values:
            total += np.expm1(mu * value)
        return np.log1p(total / len(values))
    for value in values:
        total += np.exp(mu * value - highest)
    return highest + np.log(total / len(values))


@compiled
def log_average_transformed(first, last, offsets, log_emissions, start, transitions, mu, normalized, forward, backward):
    """Brushe's messages alpha_t(i; mu) and beta_t(i; mu): equations 51, or 54 where ``normalized``.

    Messages that vanish in floating point become nan from there on.
    """
    K = log_emissions.shape[1]
    shared = len(transitions) == 1
    factor = (1.0 + (K - 1) * np.exp(-mu)) / mu
    terms = np.empty(K)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        scale = np.ones(high - low)
        for t in range(low, high):
            total = 0.0
            for i in range(K):
                if t == low:
                    message = start[i]
                else:
                    m = 0 if shared else t
                    for j in range(K):
                        terms[j] = forward[t - 1, j] * transitions[m, j, i]
                    message = factor * _log_average(terms, mu)
                forward[t, i] = message * np.exp(log_emissions[t, i])
                total += forward[t, i]
            if not total > 0.0:
                total = np.nan
                forward[t] = np.nan
            if normalized:
                scale[t - low] = total
                for i in range(K):
                    forward[t, i] /= total
        for i in range(K):
            backward[high - 1, i] = 1.0
        for t in range(high - 2, low - 1, -1):
            m = 0 if shared else t + 1
            for i in range(K):
                for j in range(K):
                    terms[j] = transitions[m, i, j] * np.exp(log_emissions[t + 1, j]) * backward[t + 1, j]
                backward[t, i] = factor * _log_average(terms, mu) / scale[t + 1 - low]
