"""What a rank among trials is worth: the fitness shaping of natural evolution strategies."""

import numpy as np


def nes_utilities(popsize):
    """Weights of the ranks, best first: they sum to zero, and none but the better half is above the lowest.

    ``max(0, ln(popsize / 2 + 1) - ln k)`` for the rank k, divided by its sum, less ``1 / popsize`` (Table 1 of JMLR
    15:949).

    Parameters
    ----------
    popsize : int
        Trials of a generation.

    Returns
    -------
    ndarray of shape (popsize,)

    Examples
    --------
    >>> from treatise.optimize import nes_utilities
    >>> nes_utilities(4).round(4)
    array([ 0.4804,  0.0196, -0.25  , -0.25  ])
    """
    raw = np.maximum(0.0, np.log(popsize / 2 + 1) - np.log(np.arange(1, popsize + 1)))
    return raw / raw.sum() - 1.0 / popsize


def ranked(values):
    """Ranks from 1, the smallest value first; equal values share the mean of theirs. NaN counts as infinite.

    Returns
    -------
    ranks : ndarray of float of shape (n,)
    order, group : ndarray of int of shape (n,)
        The trials from the best to the worst, and the number of each trial's group of equals.
    """
    values = np.where(np.isnan(values), np.inf, values)
    order = np.argsort(values, kind="stable")
    new = np.r_[True, values[order][1:] != values[order][:-1]]
    group = np.empty(len(values), np.int64)
    group[order] = np.cumsum(new) - 1
    places = np.arange(1.0, len(values) + 1)
    means = np.bincount(group[order], places) / np.bincount(group[order])
    return means[group], order, group


def shared_utilities(values, utilities):
    """The utility of each trial by the rank of its value; equal values share the mean of theirs."""
    _, order, group = ranked(values)
    means = np.bincount(group[order], utilities) / np.bincount(group[order])
    return means[group]
