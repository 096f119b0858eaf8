"""Baum and Welch's expectation-maximisation, for hidden Markov models whatever their states show."""

from typing import NamedTuple

import numpy as np


class BaumWelch(NamedTuple):
    """A model fitted to sequences, and how it went."""

    start: np.ndarray
    """Probabilities of the first state, of shape (K,)."""
    transitions: np.ndarray
    """Probabilities of moves, of shape (K, K)."""
    arrays: dict
    """What the states show, by the names of their kind of emissions."""
    history: list
    """Log-likelihood before every step and after the last."""
    occupancy: np.ndarray
    """Mean probability of each state over all positions, of shape (K,)."""
    converged: bool
    """Whether the last step raised the log-likelihood by no more than was asked."""


def baum_welch(emissions, data, lengths, start, transitions, arrays, *, max_iter, tol, move_smoothing=0.0):
    """Fit one hidden Markov model to sequences.

    Parameters
    ----------
    emissions : DiscreteEmissions, GaussianEmissions or MixtureEmissions
        What the states show.
    data : ndarray of shape (T,) or (T, d)
        Codes of symbols, or vectors, the sequences one after another.
    lengths : ndarray of shape (n,)
        Lengths of the sequences.
    start, transitions, arrays
        Where to begin; zeros among the moves stay zeros unless smoothed.
    max_iter : int
        Steps at most.
    tol : float
        Rise of the log-likelihood per position at which they stop.
    move_smoothing : float, default=0.0
        Imagined count of every move.

    Returns
    -------
    fitted : BaumWelch
    """
    history: list[float] = []
    while True:
        expected = emissions.marginals(start, transitions, arrays, data, lengths)
        history.append(float(expected.log_partition.sum()))
        converged = len(history) > 1 and history[-1] - history[-2] <= tol * len(data)
        if converged or len(history) > max_iter:
            return BaumWelch(start, transitions, arrays, history, expected.nodes.mean(axis=0), converged)
        start, transitions, arrays = maximised(
            emissions, data, lengths, expected, transitions, arrays, move_smoothing=move_smoothing
        )


def maximised(emissions, data, lengths, expected, transitions, arrays, *, move_smoothing=0.0, weights=None):
    """The likeliest parameters given the expected states and moves (the M-step).

    With ``weights``, of shape (n,), each sequence counts so much; ``expected.pairs`` is then kept by sequence.
    """
    nodes, pairs = expected.nodes, expected.pairs
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    if weights is not None:
        nodes = nodes * np.repeat(weights, lengths)[:, np.newaxis]
        pairs = np.tensordot(weights, pairs, axes=1)
    begun = nodes[firsts].sum(axis=0)
    start = begun / (len(firsts) if weights is None else weights.sum())
    return start, shares(pairs + move_smoothing, transitions), emissions.estimate(data, nodes, arrays)


def random_chain(n_states, random):
    """Probabilities of first states and of moves to begin from."""
    # Some weight on staying: with none, states that last are often missed; with much, those that alternate.
    transitions = 0.25 * np.eye(n_states) + 0.75 * random.dirichlet(np.ones(n_states), n_states)
    return np.full(n_states, 1.0 / n_states), transitions


def shares(counts, otherwise):
    """Counts over the sum of their row, the last axis; rows of zeros as they are in ``otherwise``."""
    totals = counts.sum(axis=-1, keepdims=True)
    kept = totals > 0
    return np.where(kept, counts / np.where(kept, totals, 1.0), otherwise)
