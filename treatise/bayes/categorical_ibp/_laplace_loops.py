"""Evidence of one column given the features of all rows: Laplace's approximation (section 3.1 and Appendix A).

Rows with the same features form a group, known by its pattern (bit k is feature k), and a column is the table of how
often each group gave each answer. Softmax weights are the same up to a constant for each feature: here the last answer
of a column has weight zero, and the others have the prior precision ``(I - 11'/R) / sigma2`` of the differences. That
gives the paper's equation 6 with R - 1 weights a feature in place of R.
"""

import math
from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, compiled_step

EXACT = 1e-12
"""Newton's steps for a state end where the next would gain less than half of this."""
CLOSE = 1e-8
"""The same for a move that is only tried: its log odds are right to some 1e-4."""
WIDEST_FACTOR = 128
"""Weights of a column whose curvature is kept."""


class Groups(NamedTuple):
    """Answers of the groups of rows with the same features, and the weights that fit them."""

    patterns: np.ndarray  # (n_groups,) int64
    counts: np.ndarray  # (n_groups, answers of all columns)
    starts: np.ndarray  # (n_columns + 1,) int64: where the answers of a column begin
    weights: np.ndarray  # (n_columns, 2 + most features, most answers - 1): of the constant, then of each feature
    trial: np.ndarray  # (n_weights,): weights after the last call
    origin: np.ndarray  # (n_weights,): where the last step began
    step: np.ndarray  # (n_weights,)
    gradient: np.ndarray  # (n_weights,)
    curvature: np.ndarray  # (n_weights, n_weights), then its Cholesky factor
    chances: np.ndarray  # (most answers,)
    active: np.ndarray  # (2 + most features,) int64
    factors: np.ndarray  # (n_columns, n_weights, n_weights): Cholesky factors of the curvature at the mode
    factored: np.ndarray  # (n_columns,) int64: number of features when it was factored, -1 where that is out of date


@compiled_step
def _active_weights(pattern, last, q, active):
    """Where the weights of a pattern begin: those of the constant, of its features, and of a last one; their number."""
    active[0] = 0
    n_active, at = 1, q
    while pattern:
        if pattern & 1:
            active[n_active] = at
            n_active += 1
        pattern >>= 1
        at += q
    if last > 0:
        active[n_active] = last * q
        n_active += 1
    return n_active


@compiled_step
def _answer_chances(trial, active, n_active, q, chances):
    """Probabilities of the answers but the last under the trial weights; returns the log of the normaliser."""
    highest = 0.0
    for r in range(q):
        logit = 0.0
        for i in range(n_active):
            logit += trial[active[i] + r]
        chances[r] = logit
        highest = max(highest, logit)
    mass = math.exp(-highest)
    for r in range(q):
        chances[r] = math.exp(chances[r] - highest)
        mass += chances[r]
    for r in range(q):
        chances[r] /= mass
    return highest + math.log(mass)


@compiled_step
def _log_likelihood(
    patterns, counts, n_groups, first, q, left, joined, code, last, trial, gradient, curvature, chances, active
):  # fmt: skip
    """Log likelihood of all groups under the trial weights; adds its gradient and curvature."""
    value = 0.0
    for g in range(n_groups + (joined >= 0)):
        total, pattern = 1.0, joined
        if g < n_groups:
            total, pattern = -1.0 if g == left else 0.0, patterns[g]
            for r in range(q + 1):
                total += counts[g, first + r]
            if total < 0.5:
                continue
        n_active = _active_weights(pattern, last if g == n_groups else 0, q, active)
        value -= total * _answer_chances(trial, active, n_active, q, chances)
        for r in range(q):
            count = 1.0 if r == code else 0.0
            if g < n_groups:
                count = counts[g, first + r] - (count if g == left else 0.0)
            for i in range(n_active):
                value += count * trial[active[i] + r]
                gradient[active[i] + r] += count - total * chances[r]
            for t in range(q):
                weight = total * chances[r] * ((1.0 if r == t else 0.0) - chances[t])
                for i in range(n_active):
                    for j in range(i if r < t else i + 1):
                        curvature[active[i] + r, active[j] + t] += weight
    return value


@compiled_step
def _first_step(groups, n_features, d, sigma2, left, joined, code, extra):
    """Move the trial weights to where the kept curvature expects the mode after a row has moved.

    At the old mode only the row that moves has a gradient, so this costs no look at the other groups. Features that
    are new have a step of their own.
    """
    q = groups.starts[d + 1] - groups.starts[d] - 1
    n = (n_features + 1) * q
    if left < 0 or n > groups.factors.shape[1] or groups.factored[d] != n_features:
        return
    gradient, trial, active, chances = groups.gradient, groups.trial, groups.active, groups.chances
    gradient[: n + q] = 0.0
    for side in range(2):
        pattern, last = (joined, n_features + 1 if extra else 0) if side else (groups.patterns[left], 0)
        n_active = _active_weights(pattern, last, q, active)
        _answer_chances(trial, active, n_active, q, chances)
        for r in range(q):
            slope = (1.0 if r == code else 0.0) - chances[r]
            for i in range(n_active):
                gradient[active[i] + r] += slope if side else -slope
    _solve(groups.factors[d], gradient, n)
    for i in range(n):
        trial[i] += gradient[i]
    if extra:
        for r in range(q):
            own = q / ((q + 1.0) * sigma2 * extra) + chances[r] * (1.0 - chances[r])
            trial[n + r] = gradient[n + r] / own


@compiled_step
def _log_prior(sigma2, extra, blocks, last, q, trial, gradient, curvature):
    """Log prior of the trial weights without its constant; begins gradient and curvature."""
    value = 0.0
    for i in range(blocks * q):
        for j in range(i + 1):
            curvature[i, j] = 0.0
    for k in range(blocks):
        precision = 1.0 / (sigma2 * extra if last and k == last else sigma2)
        mean = 0.0
        for r in range(q):
            mean += trial[k * q + r]
        mean /= q + 1
        for r in range(q):
            at = k * q + r
            slope = -precision * (trial[at] - mean)
            gradient[at] = slope
            value += 0.5 * slope * trial[at]
            for t in range(r + 1):
                curvature[at, k * q + t] = precision * ((1.0 if r == t else 0.0) - 1.0 / (q + 1))
    return value


@compiled_step
def _factor(A, n):
    """Cholesky factor in the lower half of a matrix; returns the log of its determinant."""
    log_determinant = 0.0
    for j in range(n):
        for i in range(j, n):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if i == j:
                # The prior alone keeps it positive; rounding must not.
                A[j, j] = math.sqrt(max(total, 1e-300))
                log_determinant += 2.0 * math.log(A[j, j])
            else:
                A[i, j] = total / A[j, j]
    return log_determinant


@compiled_step
def _solve(L, b, n):
    """Newton's step in place of the gradient; returns the decrement, gradient times step."""
    decrement = 0.0
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= L[i, k] * b[k]
        b[i] = total / L[i, i]
        decrement += b[i] * b[i]
    for i in range(n - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, n):
            total -= L[k, i] * b[k]
        b[i] = total / L[i, i]
    return decrement


@compiled_step
def column_evidence(groups, n_groups, n_features, d, sigma2, left, joined, code, extra, tolerance):
    """Log evidence of column d, with one row moved (equation 6).

    Parameters
    ----------
    left : int
        Group that the row has left; -1 for none.
    joined : int
        Pattern of the features that it has now; -1 for none.
    code : int
        Its answer in this column.
    extra : int
        Features of this row alone beside the pattern: together they are one with so many times the prior variance.
    tolerance : float
        Where Newton's steps end.
    """
    q = groups.starts[d + 1] - groups.starts[d] - 1
    blocks = n_features + (2 if extra else 1)
    n = blocks * q
    trial, origin, step = groups.trial, groups.origin, groups.step
    gradient, curvature = groups.gradient, groups.curvature
    first, last = groups.starts[d], n_features + 1 if extra else 0
    for k in range(blocks):
        for r in range(q):
            trial[k * q + r] = groups.weights[d, k, r] if k <= n_features else 0.0
    _first_step(groups, n_features, d, sigma2, left, joined, code, extra)
    best, length = -np.inf, 1.0
    log_determinant = decrement = 0.0
    for _ in range(100):
        value = _log_prior(sigma2, extra, blocks, last, q, trial, gradient, curvature)
        value += _log_likelihood(
            groups.patterns, groups.counts, n_groups, first, q, left, joined, code, last,
            trial, gradient, curvature, groups.chances, groups.active,
        )  # fmt: skip
        if value < best - 1e-10 * (1.0 + abs(best)):
            length *= 0.5  # Newton's step was too long
        else:
            best, length = value, 1.0
            log_determinant = _factor(curvature, n)
            decrement = _solve(curvature, gradient, n)
            if decrement < tolerance:
                break
            for i in range(n):
                origin[i], step[i] = trial[i], gradient[i]
        for i in range(n):
            trial[i] = origin[i] + length * step[i]
    prior = blocks * math.log(q + 1.0) + q * (blocks * math.log(sigma2) + (math.log(extra) if extra else 0.0))
    return best + 0.5 * (decrement - log_determinant - prior)


@compiled
def fit_columns(groups, n_groups, n_features, sigma2, evidence):
    """Weights at their mode and the evidence of every column."""
    for d in range(len(groups.starts) - 1):
        refresh_column(groups, n_groups, n_features, d, sigma2, evidence)


@compiled_step
def refresh_column(groups, n_groups, n_features, d, sigma2, evidence):
    """Weights at their mode and the evidence of column d."""
    evidence[d] = column_evidence(groups, n_groups, n_features, d, sigma2, -1, -1, -1, 0, EXACT)
    q = groups.starts[d + 1] - groups.starts[d] - 1
    n = (n_features + 1) * q
    groups.factored[d] = -1
    if n <= groups.factors.shape[1]:
        groups.factored[d] = n_features
        for i in range(n):
            for j in range(i + 1):
                groups.factors[d, i, j] = groups.curvature[i, j]
    for k in range(n_features + 1):
        for r in range(q):
            groups.weights[d, k, r] = groups.trial[k * q + r]


@compiled_step
def log_chance(groups, n_features, d, pattern, code):
    """Log probability of an answer of column d, given a pattern and the weights at their mode."""
    q = groups.starts[d + 1] - groups.starts[d] - 1
    trial, active = groups.trial, groups.active
    for k in range(n_features + 1):
        for r in range(q):
            trial[k * q + r] = groups.weights[d, k, r]
    n_active = _active_weights(pattern, 0, q, active)
    value = -_answer_chances(trial, active, n_active, q, groups.chances)
    if code < q:
        for i in range(n_active):
            value += trial[active[i] + code]
    return value
