"""Marginals of chains from probabilities themselves, for models that are fitted by many passes."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise._core.threads import over_ranges
from treatise.inference.chains._step_loops import carry
from treatise.inference.chains.scores import ChainMarginals

_FEW_STATES = 12
"""Up to so many states plain sums of products are quicker than loops over vectors."""


def factor_marginals(factors, transition, start, lengths, *, by_sequence=False):
    """Probabilities of states and expected moves of chains that are given by factors instead of log scores.

    What :meth:`treatise.inference.Chains.marginals` computes, in half the time: no exponential is taken, and one
    logarithm in some hundred positions. Use it where the numbers are probabilities at hand, as in fitting a hidden
    Markov model; where they may lie beyond the range of floating point, use :class:`treatise.inference.Chains`.
    O(T K^2) for T positions in all and K states; threads share the sequences.

    Parameters
    ----------
    factors : ndarray of shape (T, K)
        Non-negative factors of the states at all positions, the sequences one after another.
    transition : ndarray of shape (K, K)
        Factors of moves from state i to state j.
    start : ndarray of shape (K,)
        Factors of the first state.
    lengths : ndarray of int, of shape (n,)
        Lengths of the sequences.
    by_sequence : bool, default=False
        Whether to keep the expected moves of each sequence apart, for models that weigh sequences once they are known.

    Returns
    -------
    marginals : ChainMarginals
        ``pairs`` has the shape (K, K), or (n, K, K) by sequence. A sequence without a possible path, or whose numbers
        vanish or overflow on the way, has the log-partition nan, and its nodes and moves are not to be used.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import factor_marginals
    >>> seen = np.array([[0.9, 0.2], [0.1, 0.8], [0.9, 0.2]])
    >>> moves = np.array([[0.7, 0.3], [0.3, 0.7]])
    >>> factor_marginals(seen, moves, np.ones(2), np.array([3])).nodes.round(3)
    array([[0.725, 0.275],
           [0.261, 0.739],
           [0.725, 0.275]])
    """
    factors, transition, start = (np.ascontiguousarray(each, np.float64) for each in (factors, transition, start))
    lengths = np.asarray(lengths, np.int64)
    T, K = factors.shape
    if transition.shape != (K, K) or start.shape != (K,) or np.any(lengths < 0) or lengths.sum() != T:
        raise ValueError(
            f"factors of the shape {factors.shape} need transition {(K, K)}, start {(K,)} and lengths that sum to {T}; "
            f"given are {transition.shape}, {start.shape} and {lengths.sum()}"
        )
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    log_z, nodes = np.empty(len(lengths)), np.empty((T, K))
    parts: list = []

    def work(first, last):
        own = np.zeros((last - first if by_sequence else 1, K, K))
        sums_of_factors(first, last, offsets, factors, start, transition, log_z, nodes, own)
        parts.append((first, own))

    over_ranges(work, len(lengths), cost=2.0 * T * K * K)
    # In the order of the sequences, whichever thread was first: the same bits in every run.
    counted = [own for _, own in sorted(parts, key=lambda part: part[0])]
    pairs = np.concatenate(counted) if by_sequence else sum(own[0] for own in counted)
    return ChainMarginals(log_z, nodes, pairs * transition)


@compiled
def sums_of_factors(first, last, offsets, factors, start, transition, log_z, nodes, pairs):
    """Scaled forward and backward sums of the sequences from ``first`` to ``last``.

    ``log_z`` and ``nodes`` are written, and ``pairs`` is added to: the moves expected, still to be multiplied by
    ``transition``, in one matrix for all sequences or in one for each. A sequence whose numbers vanish gets
    ``log_z = nan``.
    """
    longest = 0
    for s in range(first, last):
        longest = max(longest, offsets[s + 1] - offsets[s])
    backwards = np.ascontiguousarray(transition.T)
    forward, scale = np.empty((longest, factors.shape[1])), np.empty(longest)
    for s in range(first, last):
        low, high = offsets[s], offsets[s + 1]
        log_z[s] = _forward(factors[low:high], start, transition, backwards, forward, scale)
        if high > low and not np.isnan(log_z[s]):
            own = pairs[s - first] if len(pairs) > 1 else pairs[0]
            _backward(factors[low:high], transition, backwards, forward, scale, nodes[low:high], own)


@compiled_step
def _forward(factors, start, transition, backwards, forward, scale):
    """Probabilities of the states given all up to each position, and one over the sums they were divided by; log Z."""
    n, K = factors.shape
    incoming = np.empty(K)
    # Logarithms are taken of products of many scales: one in some hundred positions.
    total, product = 0.0, 1.0
    for t in range(n):
        if t == 0:
            for j in range(K):
                incoming[j] = start[j]
        elif K <= _FEW_STATES:
            for j in range(K):
                mass = 0.0
                for i in range(K):
                    mass += forward[t - 1, i] * backwards[j, i]
                incoming[j] = mass
        else:
            carry(forward[t - 1], transition, incoming)
        c = 0.0
        for j in range(K):
            value = incoming[j] * factors[t, j]
            forward[t, j] = value
            c += value
        # Numbers that lost their precision by underflow are as bad as none.
        if not 1e-250 < c < 1e250:
            return np.nan
        if 1e-100 < c < 1e100:
            product *= c
        else:
            total += np.log(c)
        if not 1e-200 < product < 1e200:
            total += np.log(product)
            product = 1.0
        scale[t] = 1.0 / c
        for j in range(K):
            forward[t, j] *= scale[t]
    return total + np.log(product)


@compiled_step
def _backward(factors, transition, backwards, forward, scale, nodes, pairs):
    """Marginals of the states; those of the moves, still without their factors, are added to ``pairs``."""
    n, K = factors.shape
    ahead, incoming = np.ones(K), np.empty(K)
    for j in range(K):
        nodes[n - 1, j] = forward[n - 1, j]
    for t in range(n - 1, 0, -1):
        for j in range(K):
            incoming[j] = factors[t, j] * ahead[j] * scale[t]
        if K <= _FEW_STATES:
            for i in range(K):
                mass = forward[t - 1, i]
                behind = 0.0
                for j in range(K):
                    pairs[i, j] += mass * incoming[j]
                    behind += transition[i, j] * incoming[j]
                ahead[i] = behind
                nodes[t - 1, i] = mass * behind
        else:
            carry(incoming, backwards, ahead)
            for i in range(K):
                mass = forward[t - 1, i]
                nodes[t - 1, i] = mass * ahead[i]
                for j in range(K):
                    pairs[i, j] += mass * incoming[j]
