"""Sums over all paths of a hidden Markov model, by factors where they suffice, by logarithms where not."""

import numpy as np

from treatise.inference import ChainMarginals, Chains, factor_marginals


def hidden_marginals(start, transitions, log_densities, lengths):
    """Marginals from log-densities: each position scaled by its likeliest state."""
    highest = log_densities.max(axis=1, keepdims=True)
    highest[np.isneginf(highest)] = 0.0
    found = factor_marginals(np.exp(log_densities - highest), transitions, start, lengths)
    if np.isnan(found.log_partition).any():
        return log_marginals(start, transitions, log_densities, lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return ChainMarginals(found.log_partition + np.add.reduceat(highest[:, 0], offsets), found.nodes, found.pairs)


def log_marginals(start, transitions, log_densities, lengths):
    """The same in logarithms throughout; refuses sequences without a possible path."""
    with np.errstate(divide="ignore"):
        return Chains(log_densities, np.log(transitions), lengths=lengths, start=np.log(start)).marginals()
