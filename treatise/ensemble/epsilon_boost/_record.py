"""What the record of a walk says: norms along it, where a coefficient turns back, and which stumps were used."""

import numpy as np

from treatise.ensemble.epsilon_boost._loops import threshold_between


def norms_along(chosen, increments):
    """Sum of absolute coefficients before and after each step, and the norm at which one turns back first.

    Parameters
    ----------
    chosen : ndarray of int of shape (n_steps,)
        Member of each step.
    increments : ndarray of shape (n_steps,)
        What is added to its coefficient.

    Returns
    -------
    norms : ndarray of shape (n_steps + 1,)
    monotone_until : float
        Infinite where no coefficient turns back (the condition (10) of the paper).
    """
    order = np.argsort(chosen, kind="stable")
    own = increments[order]
    total = np.cumsum(own)
    first = np.flatnonzero(np.diff(chosen[order], prepend=-1))
    begun = np.repeat((total - own)[first], np.diff(np.append(first, len(own))))
    after = total - begun
    before = after - own
    change, turns = np.empty(len(own)), np.zeros(len(own), dtype=bool)
    change[order] = np.abs(after) - np.abs(before)
    # What rounding leaves of a coefficient that came back to zero has no sign.
    turns[order] = (before * own < 0) & (np.abs(before) > 1e-6 * np.abs(own))
    norms = np.concatenate([[0.0], np.cumsum(change)])
    return norms, float(norms[np.argmax(turns)]) if turns.any() else np.inf


def member_table(walk):
    """The stumps of a walk in the order of their first use: the number of each step's, columns and thresholds."""
    keys, first, which = np.unique(walk.trace.chosen, return_index=True, return_inverse=True)
    by_use = np.argsort(first)
    number = np.empty(len(keys), dtype=np.int64)
    number[by_use] = np.arange(len(keys))
    features, below = np.divmod(keys[by_use], len(walk.rows.y))
    places = walk.order[features, below], walk.order[features, np.maximum(below, 1) - 1]
    high, low = (walk.columns[features, place] for place in places)
    thresholds = np.array([threshold_between(a, b) for a, b in zip(low, high)], dtype=np.float64)
    thresholds[below == 0] = -np.inf
    return number[which].astype(np.int64), features.astype(np.int64), thresholds
