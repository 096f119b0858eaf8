"""Loops of hidden Markov models: fitting one to a sequence, and the product of two along a chain."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled
def baum_welch(sequence, start, transitions, emissions, max_iter, tol, smoothing):
    """Expectation-maximisation on one sequence of symbols, in place; gives log-likelihoods and state occupancies.

    The forward and backward passes are scaled to sum to one at every position. Stops when the log-likelihood per
    symbol rises by less than ``tol``.
    """
    length, n_states = len(sequence), len(start)
    forward, backward = np.empty((length, n_states)), np.empty((length, n_states))
    scales = np.empty(length)
    history = np.empty(max_iter + 1)
    occupancy = np.zeros(n_states)
    moves, shown = np.empty_like(transitions), np.empty_like(emissions)
    for iteration in range(max_iter + 1):
        _forward_pass(sequence, start, transitions, emissions, forward, scales)
        history[iteration] = np.log(scales).sum()
        _backward_pass(sequence, transitions, emissions, scales, backward)
        occupancy[:] = 0.0
        for t in range(length):
            for q in range(n_states):
                occupancy[q] += forward[t, q] * backward[t, q]
        risen = np.inf if iteration == 0 else history[iteration] - history[iteration - 1]
        if iteration == max_iter or risen < tol * length:
            return history[: iteration + 1], occupancy / length
        moves[:] = smoothing
        shown[:] = smoothing
        _count(sequence, transitions, emissions, forward, backward, scales, moves, shown)
        start[:] = forward[0] * backward[0]
        start /= start.sum()
        for q in range(n_states):
            # A state left at no position keeps what it had.
            if moves[q].sum() > 0:
                transitions[q] = moves[q] / moves[q].sum()
            if shown[q].sum() > 0:
                emissions[q] = shown[q] / shown[q].sum()
    return history, occupancy / length


@compiled_step
def _forward_pass(sequence, start, transitions, emissions, forward, scales):
    """Probability of each state given the symbols so far, and that of each symbol given those before it."""
    n_states = len(start)
    for t in range(len(sequence)):
        total = 0.0
        for q in range(n_states):
            arriving = start[q]
            if t > 0:
                arriving = 0.0
                for s in range(n_states):
                    arriving += forward[t - 1, s] * transitions[s, q]
            forward[t, q] = arriving * emissions[q, sequence[t]]
            total += forward[t, q]
        scales[t] = total
        for q in range(n_states):
            forward[t, q] /= total


@compiled_step
def _backward_pass(sequence, transitions, emissions, scales, backward):
    """Probability of the symbols to come given each state, over that given the symbols so far."""
    n_states = len(transitions)
    backward[len(sequence) - 1] = 1.0
    for t in range(len(sequence) - 2, -1, -1):
        for q in range(n_states):
            leaving = 0.0
            for s in range(n_states):
                leaving += transitions[q, s] * emissions[s, sequence[t + 1]] * backward[t + 1, s]
            backward[t, q] = leaving / scales[t + 1]


@compiled_step
def _count(sequence, transitions, emissions, forward, backward, scales, moves, shown):
    """Add the expected numbers of moves between states, and of symbols shown by each."""
    length, n_states = len(sequence), len(transitions)
    for t in range(length):
        for q in range(n_states):
            shown[q, sequence[t]] += forward[t, q] * backward[t, q]
            if t + 1 < length:
                for s in range(n_states):
                    there = emissions[s, sequence[t + 1]] * backward[t + 1, s] / scales[t + 1]
                    moves[q, s] += forward[t, q] * transitions[q, s] * there


@compiled
def chain_log_products(starts, transitions, sizes, starts2, transitions2, sizes2, psi, n_steps):
    """Logarithms of sum over both chains of the product of all their powered factors (the recursion of section 4.2).

    ``psi[i, q, j, r]`` is the product of the emissions of state q of model i and state r of model j. The table Phi is
    scaled to sum to one at every step.
    """
    n, m = len(starts), len(starts2)
    logs = np.empty((n, m))
    width, width2 = starts.shape[1], starts2.shape[1]
    phi, half = np.empty((width, width2)), np.empty((width, width2))
    for i in range(n):
        for j in range(m):
            Q, R = sizes[i], sizes2[j]
            for q in range(Q):
                for r in range(R):
                    phi[q, r] = starts[i, q] * starts2[j, r]
            scale = 0.0
            for step in range(n_steps + 1):
                total = 0.0
                for q in range(Q):
                    for r in range(R):
                        phi[q, r] *= psi[i, q, j, r]
                        total += phi[q, r]
                if total == 0.0:
                    scale = -np.inf
                    break
                scale += np.log(total)
                if step == n_steps:
                    break
                half[:Q, :R] = 0.0
                for s in range(Q):
                    for q in range(Q):
                        move = transitions[i, s, q] / total
                        for r in range(R):
                            half[q, r] += move * phi[s, r]
                phi[:Q, :R] = 0.0
                for q in range(Q):
                    for s in range(R):
                        for r in range(R):
                            phi[q, r] += half[q, s] * transitions2[j, s, r]
            logs[i, j] = scale
    return logs
