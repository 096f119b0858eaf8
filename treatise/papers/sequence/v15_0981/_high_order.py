"""Labels made by random Markov models of high order, and observations of them."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state


@dataclass(frozen=True)
class MarkovSequences:
    """Sequences of labels, and observations of them.

    Parameters
    ----------
    observations : list of ndarray of shape (length, n_observed)
        What each label shows.
    labels : list of lists of int
        The labels.
    """

    observations: list[np.ndarray]
    labels: list[list[int]]


def make_high_order_sequences(
    sizes: tuple[int, ...],
    *,
    order: int = 2,
    noise: float = 0.5,
    n_labels: int = 5,
    n_successors: int = 2,
    n_observed: int = 3,
    length: int = 20,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[MarkovSequences, ...]:
    """Sequences from a random Markov model of given order with few successors (paper v15-0981, Section 3.1.1).

    Parameters
    ----------
    sizes : tuple of int
        Numbers of sequences of the sets to draw from one model: training, test.
    order : int, default=2
        Labels that the next one depends on.
    noise : float, default=0.5
        Standard deviation of the observations; their means are uniform on [0, 1].
    n_labels, n_successors, n_observed : int
        Labels, labels that may follow each history, and numbers observed.
    length : int, default=20
        Length of every sequence; its first labels are uniform.
    random_state : int, RandomState instance or None, default=None
        Source of the model and of the draws. The labels do not depend on ``noise``.

    Returns
    -------
    tuple of MarkovSequences
        One for each size.
    """
    if not 1 <= n_successors <= n_labels:
        raise ValueError(f"n_successors={n_successors} must lie between 1 and n_labels={n_labels}")
    rng = check_random_state(random_state)
    histories = n_labels**order
    successors = np.array([rng.permutation(n_labels)[:n_successors] for _ in range(histories)])
    chances = rng.uniform(size=(histories, n_successors))
    edges = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    means = rng.uniform(size=(n_labels, n_observed))
    drawn = []
    for size in sizes:
        labels = np.empty((size, length), np.int64)
        labels[:, :order] = rng.randint(n_labels, size=(size, order))
        powers = n_labels ** np.arange(order)[::-1]
        for t in range(order, length):
            history = labels[:, t - order : t] @ powers
            which = (rng.uniform(size=(size, 1)) > edges[history]).sum(axis=1)
            labels[:, t] = successors[history, np.minimum(which, n_successors - 1)]
        drawn.append(labels)
    seen = [means[labels] + noise * rng.standard_normal((*labels.shape, n_observed)) for labels in drawn]
    return tuple(MarkovSequences(list(shown), labels.tolist()) for shown, labels in zip(seen, drawn))
