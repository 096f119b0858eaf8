"""Scores from duels and rankings: Bradley & Terry (1952), and Luce (1959) with Plackett (1975)."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from treatise.ranking.aggregation.preferences import Preferences
from treatise.ranking.bradley_terry._choices import DENSE, Bend, Duels, Orders, fit_scores

WEAK = 1e-3
"""Weight of half the squared scores where nothing else keeps them finite."""


@dataclass(frozen=True)
class ItemScores:
    """Scores of items, and how sure they are.

    Attributes
    ----------
    scores : ndarray of shape (n_items,)
        With mean zero; the difference of two is the log-odds that the first is preferred.
    standard_errors : ndarray of shape (n_items,)
        From the second derivatives, around the mean of all; for up to 2000 items.
    converged : bool
        Whether Newton's method came to rest.
    n_iter : int
        Its steps.
    """

    scores: np.ndarray
    converged: bool
    n_iter: int
    _bend: Bend = field(repr=False)

    @cached_property
    def standard_errors(self):
        """Of the scores around the mean of all; computed when asked for, in O(n_items^3)."""
        n_items = len(self.scores)
        if n_items > DENSE:
            raise ValueError(f"standard errors take a matrix of all {n_items} items; at most {DENSE} are supported")
        return np.sqrt(np.diag(self._bend.covariance()))


def bradley_terry(wins, *, reg="auto", max_iter=100):
    """Scores of items from how often each was preferred to each other, by maximum likelihood.

    The chance that i is preferred to j is 1 / (1 + exp(s_j - s_i)), whatever other items there are. Use it for contests
    of two. An item that won all its contests has no finite score, and one that won its only contest may come first:
    :class:`MultinomialPreferenceModel` weighs how much was seen. Newton's method: some six steps of O(n^3) up to 2000
    items, beyond them of some dozens of passes over the pairs that met.

    Parameters
    ----------
    wins : array-like or sparse matrix of shape (n_items, n_items)
        ``wins[i, j]`` is how often, or how strongly, i was preferred to j.
    reg : float or "auto", default="auto"
        Weight of half the squared scores. "auto" takes none where every item beats every other at least round about,
        and 0.001 with a warning where scores would run away.
    max_iter : int, default=100
        Steps at most.

    Returns
    -------
    ItemScores

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry. Rank analysis of incomplete block designs. Biometrika 39:324-345, 1952; a
       baseline of paper v15-1135, Section 2.2.2.

    Examples
    --------
    >>> from treatise.ranking import bradley_terry
    >>> bradley_terry([[0, 3], [1, 0]]).scores.round(4)
    array([ 0.5493, -0.5493])
    """
    table = sparse.csr_array(wins) if sparse.issparse(wins) else np.asarray(wins, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"wins must be a square matrix with a row for each item, got the shape {table.shape}")
    entries = table.data if sparse.issparse(table) else table
    if not np.all(np.isfinite(entries) & (entries >= 0)):
        raise ValueError("wins must be finite and not negative")
    return _scores(Duels.of_wins(table), reg, max_iter)


def plackett_luce(rankings, *, reg="auto", max_iter=100):
    """Scores of items from rankings, complete or not, by maximum likelihood.

    A ranking comes about by choosing the best item, then the best of the rest, and so on, each with probability
    proportional to exp(score). Items that an expert leaves out play no part in its ranking. Of items that an expert
    ranks alike, the orders that break the tie count together as one. Costs and cautions are those of
    :func:`bradley_terry`, which is the case of two.

    Parameters
    ----------
    rankings : array-like or sparse matrix of shape (n_items, n_experts)
        Ranks, 1 is best, 0 or NaN is missing.
    reg : float or "auto", default="auto"
        As for :func:`bradley_terry`.
    max_iter : int, default=100
        Steps at most.

    Returns
    -------
    ItemScores

    References
    ----------
    .. [1] R. Plackett. The analysis of permutations. Applied Statistics 24:193-202, 1975; a baseline of paper v15-1135,
       Section 2.2.2.

    Examples
    --------
    >>> from treatise.ranking import plackett_luce
    >>> plackett_luce([[1, 1, 2, 3], [2, 3, 1, 2], [3, 2, 3, 1]]).scores.round(3)
    array([ 0.321,  0.055, -0.376])
    """
    return _scores(choices_of(rankings), reg, max_iter)


def choices_of(rankings):
    """Each expert's ranking as an order of single items."""
    found = Preferences.of(rankings, "binary")
    spoke = np.diff(found.starts) > 1
    seats = np.repeat(spoke, np.diff(found.starts))
    items, starts = found.items[seats], np.append(0, np.cumsum(np.diff(found.starts)[spoke]))
    # Only the order counts, and whole numbers keep it.
    ranks = np.unique(found.values[seats], return_inverse=True)[1]
    return Orders.of_games(found.n_items, items, np.arange(len(items) + 1), starts, ranks)


def _scores(choices, reg, max_iter):
    if not len(choices.met()[0]):
        raise ValueError("no item is preferred to another; there must be at least one pair")
    if reg == "auto":
        reg = 0.0
        if not choices.is_connected():
            warnings.warn(
                "some items are preferred to all others that they meet, or to none, so that their scores have no "
                f"finite maximum; squares are held down with weight {WEAK:g}, set reg to choose another",
                UserWarning,
                stacklevel=3,
            )
            reg = WEAK
    elif not reg >= 0:
        raise ValueError(f"reg={reg} must be zero or more, or 'auto'")
    found = fit_scores(choices, float(reg), max_iter=max_iter)
    if not found.converged:
        warnings.warn(
            f"Newton's method still moved scores by {found.step:.2g} after {found.n_iter} steps; raise max_iter, or "
            "reg where scores run away",
            ConvergenceWarning,
            stacklevel=3,
        )
    return ItemScores(found.scores, found.converged, found.n_iter, Bend(choices, found.scores, float(reg)))
