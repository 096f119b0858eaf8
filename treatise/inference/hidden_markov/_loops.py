"""Loops of hidden Markov models beside the sums along their chains: counts of symbols, paths drawn."""

from treatise._core.jit import compiled


@compiled
def symbol_counts(codes, weights, counts):
    """Add the weights of the states at every position to the counts of its symbol, of shape (n_symbols, K)."""
    for t in range(len(codes)):
        for j in range(weights.shape[1]):
            counts[codes[t], j] += weights[t, j]


@compiled
def diagonal_log_densities(X, means, deviations, constants, logs):
    """Logarithms of normal densities with independent coordinates, of shape (T, K)."""
    for t in range(X.shape[0]):
        for j in range(means.shape[0]):
            squared = 0.0
            for c in range(X.shape[1]):
                away = (X[t, c] - means[j, c]) / deviations[j, c]
                squared += away * away
            logs[t, j] = constants[j] - 0.5 * squared


@compiled
def weighted_squares(X, weights, means, sums):
    """Add the weighted squared distances from the means of the states, by coordinate, of shape (K, d)."""
    for t in range(X.shape[0]):
        for j in range(means.shape[0]):
            weight = weights[t, j]
            for c in range(X.shape[1]):
                away = X[t, c] - means[j, c]
                sums[j, c] += weight * away * away


@compiled
def draw_states(start, transitions, uniform, states):
    """Draw paths of states, one for each row of ``uniform``."""
    K = len(start)
    for s in range(uniform.shape[0]):
        state = -1
        for t in range(uniform.shape[1]):
            rest = uniform[s, t]
            last_possible = 0
            for j in range(K):
                chance = start[j] if t == 0 else transitions[state, j]
                if chance > 0.0:
                    last_possible = j
                    if rest < chance:
                        break
                    rest -= chance
            state = last_possible
            states[s, t] = state
