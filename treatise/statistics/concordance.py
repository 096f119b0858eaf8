"""Concordance of scores with outcomes that are known in part."""

import numpy as np

from treatise._core.jit import compiled
from treatise.statistics.survival_times import survival_bounds


def concordance_index(y, utility, *, ties="half"):
    """Share of the comparable pairs whose utilities have the order of their outcomes.

    Two samples are comparable where one is known to end before the other; a sample censored at the time of another's
    event outlives it. With all outcomes known and two values of them, this is the area under the ROC curve. O(n log n).

    Parameters
    ----------
    y : array-like or structured array
        Outcomes, in any form of :func:`survival_bounds`.
    utility : array-like of shape (n_samples,)
        The higher, the later the outcome (minus a risk).
    ties : {"half", "strict"}, default="half"
        Whether equal utilities of a comparable pair count as half concordant (Harrell) or not at all (Definition 4 of
        paper v12-0819).

    Returns
    -------
    index : float
        Between 0 and 1; a constant utility has 0.5 with ``ties="half"``.

    Examples
    --------
    >>> from treatise.statistics import concordance_index
    >>> concordance_index([1.0, 2.0, 3.0], [0.1, 0.9, 0.5])
    0.6666666666666666
    """
    if ties not in ("half", "strict"):
        raise ValueError(f"ties={ties!r} is unknown; it is 'half' or 'strict'")
    lower, upper = survival_bounds(y)
    utility = np.asarray(utility, np.float64)
    if utility.shape != lower.shape:
        raise ValueError(f"{len(lower)} outcomes and utilities of shape {utility.shape}; give one utility a sample")
    if np.any(np.isnan(utility)):
        raise ValueError(f"utility contains NaN, first in sample {int(np.argmax(np.isnan(utility)))}")
    below, equal, comparable = concordant_pairs(lower, upper, utility)
    if comparable == 0:
        raise ValueError(
            "no two samples are comparable: all outcomes are equal, or censored before any other ends; give samples of "
            "which some are known to end before others"
        )
    return (below + (equal / 2 if ties == "half" else 0)) / comparable


def concordant_pairs(lower, upper, utility):
    """Numbers of comparable pairs in order, with equal utilities, and in all."""
    _, rank = np.unique(utility, return_inverse=True)
    ends = np.flatnonzero(np.isfinite(upper))
    ends = ends[np.argsort(upper[ends], kind="stable")]
    starts = np.argsort(lower, kind="stable")
    # An event at a time is not after another's end at that time; a censored sample is.
    censored = lower < upper
    reached = np.where(
        censored[starts],
        np.searchsorted(upper[ends], lower[starts], side="right"),
        np.searchsorted(upper[ends], lower[starts], side="left"),
    )
    turn = np.argsort(reached, kind="stable")
    # A sample's own end is never among those it is compared with: it lies at or above its lower bound.
    return _count_pairs(rank[ends], rank[starts][turn], reached[turn], int(rank.max(initial=0)) + 1)


@compiled
def _count_pairs(ended, asking, reached, n_ranks):
    """For each sample in turn, those that ended before it, by rank, from a binary indexed tree."""
    tree = np.zeros(n_ranks + 1, np.int64)
    entered = 0
    below, equal, comparable = 0, 0, 0
    for j in range(len(asking)):
        while entered < reached[j]:
            i = ended[entered] + 1
            while i <= n_ranks:
                tree[i] += 1
                i += i & -i
            entered += 1
        up_to, under = 0, 0
        i = asking[j] + 1
        while i > 0:
            up_to += tree[i]
            i -= i & -i
        i = asking[j]
        while i > 0:
            under += tree[i]
            i -= i & -i
        below += under
        equal += up_to - under
        comparable += entered
    return below, equal, comparable
