"""Marginals of chains from probabilities themselves, for models that are fitted by many passes."""

import numpy as np

from treatise._core.threads import over_ranges
from treatise.inference.chains._factor_loops import sums_of_factors
from treatise.inference.chains.scores import ChainMarginals


def factor_marginals(factors, transition, start, lengths):
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

    Returns
    -------
    marginals : ChainMarginals
        A sequence without a possible path, or whose numbers vanish or overflow on the way, has the log-partition nan,
        and its nodes and moves are not to be used.

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
        own = np.zeros((K, K))
        sums_of_factors(first, last, offsets, factors, start, transition, log_z, nodes, own)
        parts.append((first, own))

    over_ranges(work, len(lengths), cost=2.0 * T * K * K)
    # In the order of the sequences, whichever thread was first: the same bits in every run.
    counted = sum(own for _, own in sorted(parts, key=lambda part: part[0]))
    return ChainMarginals(log_z, nodes, counted * transition)
