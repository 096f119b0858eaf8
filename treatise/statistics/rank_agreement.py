"""How far two orders agree: Kendall's distance, and the discounted gain of relevant things on top."""

import numpy as np

from treatise._core.jit import compiled


def kendall_distance(scores, others, *, normalized=True):
    """Pairs that two scorings put in opposite order (Kendall's distance), in O(n log n).

    A pair counts where both scorings decide it: ties and missing values decide nothing.

    Parameters
    ----------
    scores, others : array-like of shape (n_items,)
        Scores of the same items, higher is better; NaN is missing.
    normalized : bool, default=True
        Give the share of the decided pairs instead of their number.

    Returns
    -------
    distance : float
        NaN where no pair is decided and a share is asked for.

    Examples
    --------
    >>> from treatise.statistics import kendall_distance
    >>> kendall_distance([3, 2, 1], [3, 1, 2], normalized=False)
    1.0
    >>> round(kendall_distance([3, 2, 1], [3, 1, 2]), 4)
    0.3333
    """
    discordant, decided, _ = pair_counts(*_beside(scores, others, "scores", "others"))
    if not normalized:
        return float(discordant)
    return float(discordant / decided) if decided else float("nan")


def disagreement(scores, votes):
    """Share of the pairs that votes decide which scores put in the other order; a tie of the scores is half of one.

    Unlike :func:`kendall_distance` it does not reward a scoring that leaves pairs undecided.

    Parameters
    ----------
    scores, votes : array-like of shape (n_items,)
        Scores of the same items, higher is better; NaN is missing.

    Returns
    -------
    share : float
        NaN where the votes decide no pair.

    Examples
    --------
    >>> from treatise.statistics import disagreement
    >>> disagreement([1, 1, 0], [3, 2, 2])
    0.25
    """
    discordant, decided, voted = pair_counts(*_beside(scores, votes, "scores", "votes"))
    return float((discordant + 0.5 * (voted - decided)) / voted) if voted else float("nan")


def pair_counts(a, b):
    """Pairs that two scorings order in opposite ways, that both decide, and that the second decides."""
    known = ~(np.isnan(a) | np.isnan(b))
    a, b = a[known], b[known]
    both = np.unique(np.column_stack([a, b]), axis=0, return_counts=True)[1]
    voted = _pairs(len(a)) - _tied(b)
    return discordant_pairs(a, b), voted - _tied(a) + np.sum(_pairs(both)), voted


def discordant_pairs(a, b):
    """Number of pairs that two scorings without missing values order in opposite ways."""
    order = np.lexsort((b, a))  # among equal a, b rises, and nothing is counted
    return int(count_inversions(np.ascontiguousarray(b[order], np.float64)))


def ndcg(labels, scores, k=None):
    """Normalised discounted cumulative gain of items sorted by score: gain 2^label - 1, discount 1/log(1 + place).

    Items of equal score share the mean discount of their places, so that the order of the rows does not matter.

    Parameters
    ----------
    labels : array-like of shape (n_items,)
        Relevance, zero or more.
    scores : array-like of shape (n_items,)
        Higher is better.
    k : int or None, default=None
        Places that count; None counts all.

    Returns
    -------
    gain : float
        Between 0 and 1; NaN where no item is relevant.

    Examples
    --------
    >>> from treatise.statistics import ndcg
    >>> round(ndcg([2, 1, 0], [0.3, 0.9, 0.1], k=2), 4)
    0.7967
    """
    labels, scores = _beside(labels, scores, "labels", "scores")
    if np.any(~(labels >= 0)):
        raise ValueError(f"labels must be zero or more; one is {labels[~(labels >= 0)][0]:g}")
    if np.any(np.isnan(scores)):
        raise ValueError("scores must not be missing: an item without a score has no place")
    if k is not None and k < 1:
        raise ValueError(f"k={k} places say nothing; count at least one")
    gains = np.exp2(labels) - 1.0
    discount = place_discounts(len(labels), k)
    best = np.sort(gains)[::-1] @ discount
    if best == 0.0:
        return float("nan")
    _, group = np.unique(-scores, return_inverse=True)
    shared = np.bincount(group[np.argsort(group, kind="stable")], discount) / np.bincount(group)
    return float(gains @ shared[group] / best)


def place_discounts(n_items, k=None):
    """1/log(1 + place) for places 1 to n_items, zero beyond the k-th."""
    discount = 1.0 / np.log(np.arange(2, n_items + 2))
    if k is not None:
        discount[k:] = 0.0
    return discount


def _beside(a, b, name, other):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"{name} and {other} must be of one length, got the shapes {a.shape} and {b.shape}")
    return a, b


def _pairs(count):
    return count * (count - 1) // 2


def _tied(values):
    return np.sum(_pairs(np.unique(values, return_counts=True)[1]))


@compiled
def count_inversions(values):
    """Pairs whose first value is the greater, by merging sorted runs of doubling length."""
    n = len(values)
    run, merged, total = values.copy(), np.empty(n), 0
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for place in range(start, end):
                if j == end or (i < middle and run[i] <= run[j]):
                    merged[place] = run[i]
                    i += 1
                else:
                    merged[place] = run[j]
                    total += middle - i
                    j += 1
        run, merged = merged, run
        width *= 2
    return total
