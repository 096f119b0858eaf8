"""Markov chains: what they settle to."""

import numpy as np
from scipy.sparse.csgraph import connected_components

ROW_SUM_TOLERANCE = 1e-8
"""How far a row of probabilities may be from one: files print them with few digits, and the rest is spread."""


def checked_rows(name, rows):
    """Probabilities whose last axis sums to one, exactly; a clear error where they are none.

    Parameters
    ----------
    name : str
        What the rows are, for the error.
    rows : array-like
        Probabilities.

    Returns
    -------
    rows : ndarray of float64
        Each divided by its sum.
    """
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} hold a number that is not finite; probabilities lie between 0 and 1")
    if (rows < 0.0).any():
        raise ValueError(f"{name} hold {rows.min():g}; probabilities lie between 0 and 1")
    sums = rows.sum(axis=-1, keepdims=True)
    off = np.abs(sums - 1.0)
    if off.size and off.max() > ROW_SUM_TOLERANCE:
        place = tuple(int(each) for each in np.unravel_index(off.argmax(), off.shape)[:-1])
        where = f"{name} at {place}" if place else name
        raise ValueError(f"{where} sum to {sums.ravel()[off.argmax()]:.10g}; every row sums to 1")
    return rows / sums


def stationary_distribution(transitions):
    """The distribution that a step of a Markov chain leaves as it is.

    Use it for chains that have one such distribution: one closed class of states, be it periodic or not. States outside
    of it get probability zero. Costs states^3.

    Parameters
    ----------
    transitions : array-like of shape (n_states, n_states)
        Probability of the column's state after the row's.

    Returns
    -------
    distribution : ndarray of shape (n_states,)

    Examples
    --------
    >>> from treatise.rl import stationary_distribution
    >>> stationary_distribution([[0.9, 0.1], [0.3, 0.7]]).round(3)
    array([0.75, 0.25])
    """
    transitions = checked_rows("transitions", transitions)
    if transitions.ndim != 2 or transitions.shape[0] != transitions.shape[1]:
        raise ValueError(f"transitions have the shape {transitions.shape}; a chain needs as many rows as columns")
    members = closed_class(transitions)
    chain = transitions[np.ix_(members, members)]
    # The balance equations have rank one less than their number: the sum takes the place of the last.
    balance = np.eye(len(members)) - chain.T
    balance[-1] = 1.0
    right = np.zeros(len(members))
    right[-1] = 1.0
    distribution = np.zeros(len(transitions))
    distribution[members] = np.clip(np.linalg.solve(balance, right), 0.0, None)
    return distribution / distribution.sum()


def closed_class(transitions):
    """The states that a chain stays among once it is there; an error where it could settle in several places.

    Parameters
    ----------
    transitions : ndarray of shape (n_states, n_states)
        Probability of the column's state after the row's.

    Returns
    -------
    members : ndarray of int
    """
    n_classes, labels = connected_components(transitions > 0.0, directed=True, connection="strong")
    leaving = np.zeros(n_classes, dtype=bool)
    rows, columns = np.nonzero(transitions)
    leaving[labels[rows[labels[rows] != labels[columns]]]] = True
    closed = np.flatnonzero(~leaving)
    if len(closed) > 1:
        raise ValueError(
            f"the chain has {len(closed)} closed classes of states, so where it settles depends on where it starts; "
            "give a chain (or a policy) under which one class is reached from everywhere"
        )
    return np.flatnonzero(labels == closed[0])
