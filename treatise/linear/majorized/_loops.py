"""Log-linear models over a few states per row: residuals, and factors of the bound's curvature."""

import math

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize._partition_bound_loops import curvature_coefficient, share_and_sum


@compiled
def state_residuals(scores, labels, n_hidden, weights, residuals):
    """Negative log-likelihood, and w_j (p_j - eta_j) of every row in place.

    The states of class y are y * n_hidden and on; eta_j is their distribution given the true class (Section 2.2.3),
    which is all on one state where nothing is hidden.
    """
    loss = 0.0
    for j in range(len(scores)):
        first = labels[j] * n_hidden
        top = top_true = -np.inf
        for k in range(scores.shape[1]):
            top = max(top, scores[j, k])
            if first <= k < first + n_hidden:
                top_true = max(top_true, scores[j, k])
        total = total_true = 0.0
        for k in range(scores.shape[1]):
            residuals[j, k] = math.exp(scores[j, k] - top)
            total += residuals[j, k]
        for k in range(scores.shape[1]):
            residuals[j, k] *= weights[j] / total
        loss += weights[j] * (top - top_true + math.log(total))
        if n_hidden == 1:
            residuals[j, first] -= weights[j]
            continue
        for k in range(first, first + n_hidden):
            total_true += math.exp(scores[j, k] - top_true)
        for k in range(first, first + n_hidden):
            residuals[j, k] -= weights[j] * math.exp(scores[j, k] - top_true) / total_true
        loss -= weights[j] * math.log(total_true)
    return loss


@compiled
def uncertainties(scores, weights, found):
    """w_j (1 - sum_k p_jk^2) of every row in place: the trace of its Hessian over the states, 0 where it is sure."""
    for j in range(len(scores)):
        top = -np.inf
        for k in range(scores.shape[1]):
            top = max(top, scores[j, k])
        total = squares = 0.0
        for k in range(scores.shape[1]):
            share = math.exp(scores[j, k] - top)
            total += share
            squares += share * share
        found[j] = weights[j] * (1.0 - squares / (total * total))


@compiled
def bound_factors(scores, weights, factors):
    """Algorithm 1 for features that are one block of x per state: l = (e_y - m) ⊗ x, m the states' shares so far.

    Row y - 1 of ``factors[j]`` is sqrt(w_j coefficient) (e_y - m); the curvature of row j is then
    factors[j]^T factors[j] ⊗ x x^T.
    """
    n_states = scores.shape[1]
    shares = np.empty(n_states)
    for j in range(len(scores)):
        log_z = scores[j, 0]
        shares[0] = 1.0
        for y in range(1, n_states):
            root = math.sqrt(weights[j] * curvature_coefficient(scores[j, y] - log_z))
            share, log_z = share_and_sum(scores[j, y], log_z)
            for k in range(y):
                factors[j, y - 1, k] = -root * shares[k]
                shares[k] *= 1.0 - share
            for k in range(y, n_states):
                factors[j, y - 1, k] = 0.0
            factors[j, y - 1, y] = root
            shares[y] = share
