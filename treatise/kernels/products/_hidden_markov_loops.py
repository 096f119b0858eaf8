"""Hidden Markov models of symbols: fitting one to a sequence, and the product of two along a chain."""

import numpy as np

from treatise._core.jit import compiled
from treatise.inference import hidden_markov


def baum_welch(sequence, start, transitions, emissions, max_iter, tol, smoothing):
    """Fit to one sequence of symbols, in place; gives log-likelihoods and state occupancies.

    Stops when the log-likelihood per symbol rises by no more than ``tol``.
    """
    fitted = hidden_markov.baum_welch(
        hidden_markov.DiscreteEmissions(smoothing),
        sequence,
        np.array([len(sequence)]),
        start,
        transitions,
        {"emission_probabilities": emissions},
        max_iter=max_iter,
        tol=tol,
        move_smoothing=smoothing,
    )
    start[:], transitions[:] = fitted.start, fitted.transitions
    emissions[:] = fitted.arrays["emission_probabilities"]
    return np.array(fitted.history), fitted.occupancy


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
