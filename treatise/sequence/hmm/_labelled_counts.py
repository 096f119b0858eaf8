"""Counts of hidden states that were given: where sequences begin, and how they move."""

import numpy as np

from treatise.inference.hidden_markov import shares
from treatise.sequence._observed_sequences import observe


def matching_labels(labels, lengths, observed, n_states):
    """Names of the states and the numbers of the labels, refused where they do not belong to the sequences."""
    given = observe(labels, lengths, item_ndim=0, name="labels")
    if len(given.lengths) != len(observed.lengths):
        raise ValueError(f"{len(given.lengths)} sequences of labels were given for {len(observed.lengths)} sequences")
    for i in np.flatnonzero(given.lengths != observed.lengths)[:1]:
        raise ValueError(
            f"labels[{i}] has {given.lengths[i]} positions and its sequence {observed.lengths[i]}; each needs a label"
        )
    if n_states is None:
        return np.unique(given.values, return_inverse=True)
    path = given.values
    if path.dtype.kind not in "iu" or path.min() < 0 or path.max() >= n_states:
        raise ValueError(f"labels must be numbers from 0 to {n_states - 1}, or n_states must be None")
    return np.arange(n_states), path


def counted_chain(path, lengths, n_states):
    """Shares of first states and of moves; a state that is never left moves to all alike."""
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    inner = np.ones(len(path), bool)
    inner[firsts] = False
    moves = np.flatnonzero(inner)
    counts = np.bincount(path[moves - 1] * n_states + path[moves], minlength=n_states**2)
    start = np.bincount(path[firsts], minlength=n_states) / len(firsts)
    return start, shares(counts.reshape(n_states, n_states), np.full((n_states, n_states), 1.0 / n_states))
