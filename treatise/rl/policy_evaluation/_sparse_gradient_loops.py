"""Compiled passes of the gradient methods over sparse features: a step costs what its features and the trace hold.

The steps are those of ``_gradient_loops``. The trace is nought but at the features of the episode so far, which are
kept in a list; the second estimate of GTD, which shrinks everywhere at every step, is kept as a number times a vector.
"""

from treatise._core.jit import compiled_step, compiled_sums
from treatise.rl.policy_evaluation._gradient_loops import ENDLESS, GTD, TD, TDC, keep, weighted_error

FORGOTTEN = 1e-100
"""A trace below this has faded."""


@compiled_step
def row_dot(row, w):
    """The inner product of a sparse row and a vector."""
    indices, values = row
    total = 0.0
    for place in range(len(indices)):
        total += values[place] * w[indices[place]]
    return total


@compiled_step
def add_row(w, row, factor):
    """Add a multiple of a sparse row to a vector."""
    indices, values = row
    for place in range(len(indices)):
        w[indices[place]] += factor * values[place]


@compiled_step
def row_of(matrix, t):
    """Indices and values of a row of a matrix in compressed rows."""
    indptr, indices, values = matrix
    return indices[indptr[t] : indptr[t + 1]], values[indptr[t] : indptr[t + 1]]


@compiled_step
def fade(z, active, listed, n_active, k):
    """Multiply the trace; features that it has faded from leave the list. Returns how many are left in it."""
    left = 0
    for i in range(n_active):
        j = active[i]
        z[j] *= k
        if abs(z[j]) < FORGOTTEN:
            z[j], listed[j] = 0.0, False
        else:
            active[left] = j
            left += 1
    return left


@compiled_step
def extend(z, active, listed, n_active, row):
    """Add a sparse row to the trace; returns how many features are in its list then."""
    indices, values = row
    for place in range(len(indices)):
        j = indices[place]
        if not listed[j]:
            active[n_active], listed[j] = j, True
            n_active += 1
        z[j] += values[place]
    return n_active


@compiled_step
def add_trace(w, z, active, n_active, factor):
    """Add a multiple of the trace to a vector."""
    for i in range(n_active):
        w[active[i]] += factor * z[active[i]]


@compiled_step
def trace_dot(z, active, n_active, w):
    """The inner product of the trace and a vector."""
    total = 0.0
    for i in range(n_active):
        total += z[active[i]] * w[active[i]]
    return total


@compiled_sums
def sparse_gradient_pass(
    rule, transition, recompute, features, rewards, next_features, ratios, starts, gamma, decay, alphas, betas,
    theta, w, z, memory, active, listed, every, seen, path,
):  # fmt: skip
    """All transitions in turn; ``active`` and ``listed`` are room for the list. Returns the steps before divergence."""
    n_active = 0
    for j in range(len(z)):
        listed[j] = z[j] != 0.0
        if listed[j]:
            active[n_active] = j
            n_active += 1
    scale = 1.0  # of w
    for t in range(len(rewards)):
        phi, after, rho, reward = row_of(features, t), row_of(next_features, t), ratios[t], rewards[t]
        k = 0.0 if starts[t] else gamma * decay * memory[0]
        memory[0] = rho
        n_active = fade(z, active, listed, n_active, k)
        n_active = extend(z, active, listed, n_active, phi)
        value, ahead = row_dot(phi, theta), gamma * row_dot(after, theta)
        if not abs(value) < ENDLESS:
            w *= scale
            return t
        error = weighted_error(transition, rho, reward, ahead, value)
        if rule == TD:
            add_trace(theta, z, active, n_active, alphas[t] * error)
        elif rule == GTD:
            agreement = scale * row_dot(phi, w)
            add_row(theta, phi, alphas[t] * rho * agreement)
            add_row(theta, after, -alphas[t] * rho * gamma * agreement)
            scale *= 1.0 - betas[t] * rho
            if abs(scale) < FORGOTTEN:
                w *= scale
                scale = 1.0
            add_row(w, phi, betas[t] * rho * (reward + ahead - value) / scale)
        else:
            pull = gamma * rho * (1.0 - decay) * trace_dot(z, active, n_active, w)
            if rule == TDC:
                add_trace(theta, z, active, n_active, alphas[t] * error)
            else:
                add_row(theta, phi, alphas[t] * (rho if transition else 1.0) * row_dot(phi, w))
            add_row(theta, after, -alphas[t] * pull)
            if recompute:
                error = weighted_error(transition, rho, reward, gamma * row_dot(after, theta), row_dot(phi, theta))
            agreement = row_dot(phi, w)
            add_trace(w, z, active, n_active, betas[t] * error)
            add_row(w, phi, -betas[t] * agreement)
        keep(theta, seen, t, every, path)
    w *= scale
    return len(rewards)
