"""Sums over all paths of a hidden Markov model, by factors where they suffice, by logarithms where not."""

import numpy as np

from treatise.inference.chains import ChainMarginals, Chains, factor_marginals


def hidden_marginals(start, transitions, log_densities, lengths, *, by_sequence=False):
    """Marginals from log-densities: each position scaled by its likeliest state.

    ``by_sequence`` keeps the expected moves of each sequence apart, in an array of shape (n, K, K).
    """
    highest = log_densities.max(axis=1, keepdims=True)
    highest[np.isneginf(highest)] = 0.0
    factors = np.exp(log_densities - highest)
    found = factor_marginals(factors, transitions, start, lengths, by_sequence=by_sequence)
    if np.isnan(found.log_partition).any():
        return log_marginals(start, transitions, log_densities, lengths, by_sequence=by_sequence)
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return ChainMarginals(found.log_partition + np.add.reduceat(highest[:, 0], offsets), found.nodes, found.pairs)


def log_marginals(start, transitions, log_densities, lengths, *, by_sequence=False):
    """The same in logarithms throughout; refuses sequences without a possible path."""
    with np.errstate(divide="ignore"):
        log_start, log_moves = np.log(start), np.log(transitions)
    found = Chains(log_densities, log_moves, lengths=lengths, start=log_start).marginals()
    if not by_sequence:
        return found
    parts = np.split(log_densities, np.cumsum(lengths)[:-1])
    pairs = np.array([Chains(part, log_moves, start=log_start).marginals().pairs for part in parts])
    return ChainMarginals(found.log_partition, found.nodes, pairs)
