"""What the agent sees: the control error and its change, as fuzzy sets cut into bins."""

import numpy as np

from treatise._core.jit import compiled_step

BINS = 10
ERROR_WIDTH, CHANGE_WIDTH = 20.0, 10.0
N_PERCEPTS = (2 * BINS) ** 2


@compiled_step
def axis_bin(x, width):
    """Bin of one axis: the membership of the negative or the positive set, in tenths, on either side of zero."""
    share = min(abs(x) / width, 1.0)
    step = min(int(BINS * share), BINS - 1)
    return BINS + step if x >= 0.0 else BINS - 1 - step


@compiled_step
def percept(error, change):
    """Number of a percept among 400."""
    return axis_bin(error, ERROR_WIDTH) * 2 * BINS + axis_bin(change, CHANGE_WIDTH)


def fuzzy_memberships(error, change):
    """Memberships of the fuzzy sets negative, zero and positive, of the control error and of its change.

    Parameters
    ----------
    error, change : float
        Index less the target, and its change over 15 seconds.

    Returns
    -------
    memberships : ndarray of shape (6,)
        Three for the error, three for the change; each three sum to one.

    Examples
    --------
    >>> from treatise.rl import fuzzy_memberships
    >>> fuzzy_memberships(5.0, -20.0)
    array([0.  , 0.75, 0.25, 1.  , 0.  , 0.  ])

    References
    ----------
    .. [1] Paper v15-0655, section 3.2.
    """
    found = []
    for x, width in ((error, ERROR_WIDTH), (change, CHANGE_WIDTH)):
        if not np.isfinite(x):
            raise ValueError(f"{x!r} is no control error")
        found += [np.clip(-x / width, 0.0, 1.0), max(0.0, 1.0 - abs(x) / width), np.clip(x / width, 0.0, 1.0)]
    return np.array(found)


def fuzzy_state(error, change):
    """Number, among 400, of the cell that the memberships fall into when each is cut into ten.

    The paper cuts six memberships into ten each; of the million cells only these can be reached.

    Parameters
    ----------
    error, change : float
        Index less the target, and its change over 15 seconds.

    Returns
    -------
    state : int

    Examples
    --------
    >>> from treatise.rl import fuzzy_state
    >>> fuzzy_state(0.0, 0.0)
    210
    """
    fuzzy_memberships(error, change)
    return int(percept(float(error), float(change)))
