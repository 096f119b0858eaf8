"""Rules that count: Borda, Copeland, Kemeny, and reciprocal rank fusion."""

import numpy as np

from treatise.optimize import feedback_arc_order
from treatise.ranking.aggregation._preference_loops import sum_preferences
from treatise.ranking.aggregation.preferences import Preferences


def borda(rankings):
    """Mean number of items that an item stands above (a tie is half), over all experts.

    Items that an expert leaves out share the places behind those it ranks. The rule for complete rankings: it costs
    O(n_experts * n_items log n_items) and has nothing to set. Where experts leave many items out, it rewards those
    that many saw.

    Parameters
    ----------
    rankings : array-like or sparse matrix of shape (n_items, n_experts)
        Ranks, 1 is best, 0 or NaN is missing.

    Returns
    -------
    scores : ndarray of shape (n_items,)
        From 0 to n_items - 1, higher is better.

    References
    ----------
    .. [1] A baseline of paper v15-1135, Section 2.2.2.

    Examples
    --------
    >>> from treatise.ranking import borda
    >>> borda([[1, 1], [2, 3], [3, 2], [0, 4]])
    array([3. , 1.5, 1.5, 0. ])
    """
    found = Preferences.of(rankings, "binary")
    ranked = np.diff(found.starts)
    behind = found.n_items - ranked
    tied = np.repeat(ranked, ranked) - 1 - found.wins - found.losses
    points = found.wins + 0.5 * tied + np.repeat(behind, ranked)
    # Left out, an item has the mean place of all that are left out.
    left_out = np.sum((behind - 1) / 2.0)
    gained = np.bincount(found.items, points - np.repeat((behind - 1) / 2.0, ranked), minlength=found.n_items)
    return (gained + left_out) / found.n_experts


def copeland(rankings):
    """Number of items that an item beats by majority (a draw is half), among those that some expert compares it with.

    An item that beats all others (Condorcet's winner) comes first. Costs O(n_items^2) besides the experts' pairs.

    Parameters
    ----------
    rankings : array-like or sparse matrix of shape (n_items, n_experts)
        Ranks, 1 is best, 0 or NaN is missing.

    Returns
    -------
    scores : ndarray of shape (n_items,)
        Higher is better.

    References
    ----------
    .. [1] "Condorcet" in Tables 1 and 5 of paper v15-1135.

    Examples
    --------
    >>> from treatise.ranking import copeland
    >>> copeland([[1, 1, 3], [2, 3, 1], [3, 2, 2]])
    array([2., 1., 0.])
    """
    wins = majority_weights(rankings)
    return np.sum(wins > wins.T, axis=1) + 0.5 * np.sum((wins == wins.T) & (wins > 0), axis=1)


def kemeny(rankings, *, random_state=None):
    """Order that contradicts the experts' pairs least, as the number of items behind each.

    The centre of Mallows' model. Exact where the majority's circles have up to 15 items, and by local search beyond:
    :func:`treatise.optimize.feedback_arc_order`.

    Parameters
    ----------
    rankings : array-like or sparse matrix of shape (n_items, n_experts)
        Ranks, 1 is best, 0 or NaN is missing.
    random_state : int, Generator or None, default=None
        Seed of the local search.

    Returns
    -------
    scores : ndarray of shape (n_items,)
        n_items - 1 for the first, 0 for the last.

    References
    ----------
    .. [1] Paper v15-1135, Section 2.2.1. Mallows' density is printed there with the sign of the distance reversed.

    Examples
    --------
    >>> from treatise.ranking import kemeny
    >>> kemeny([[1, 1, 3], [2, 3, 1], [3, 2, 2]])
    array([2., 1., 0.])
    """
    wins = majority_weights(rankings)
    scores = np.empty(len(wins))
    scores[feedback_arc_order(wins, random_state=random_state).order] = np.arange(len(wins))[::-1]
    return scores


def reciprocal_rank_fusion(rankings, alpha=60.0):
    """Sum over the experts of 1 / (alpha + rank): the usual fusion of search engines.

    An item that an expert leaves out gains nothing from it. Costs O(number of ranks).

    Parameters
    ----------
    rankings : array-like or sparse matrix of shape (n_items, n_experts)
        Ranks, 1 is best, 0 or NaN is missing.
    alpha : float, default=60
        The larger, the less a single high rank counts.

    Returns
    -------
    scores : ndarray of shape (n_items,)
        Higher is better.

    References
    ----------
    .. [1] "RRF" in Section 3.3 and Table 5 of paper v15-1135 (Cormack, Clarke and Buettcher, 2009).

    Examples
    --------
    >>> from treatise.ranking import reciprocal_rank_fusion
    >>> reciprocal_rank_fusion([[1, 2], [2, 1], [3, 0]]).round(4)
    array([0.0325, 0.0325, 0.0159])
    """
    if not (np.isfinite(alpha) and alpha >= 0):
        raise ValueError(f"alpha={alpha} must be zero or more")
    found = Preferences.of(rankings, "rank_difference")
    return np.bincount(found.items, 1.0 / (alpha + found.values), minlength=found.n_items)


def majority_weights(rankings):
    """How many experts prefer each item to each other: a weighted tournament."""
    found = Preferences.of(rankings, "binary")
    wins = np.zeros((found.n_items, found.n_items))
    sum_preferences(found.starts, found.items, found.values, True, np.ones(found.n_experts), wins)
    return wins
