"""Intervals of the places that uncertain scores can take: first to third, say."""

import numpy as np


def place_intervals(scores, draws, *, level=0.95):
    """For each item the places that it may have, given draws of all scores around their estimates.

    An item stands below another where the other's score is larger beyond doubt: the lead exceeds what the largest of
    all standardised leads over this item errs by, in a share ``level`` of the draws. The interval of one item holds its
    true place with about that probability, or more. Costs O(draws * n_items^2).

    Parameters
    ----------
    scores : array-like of shape (n_items,)
        Estimates, higher is better.
    draws : array-like of shape (n_draws, n_items)
        Scores drawn from their joint distribution: of resampled data, or of a posterior.
    level : float, default=0.95
        Confidence.

    Returns
    -------
    best, worst : ndarray of int of shape (n_items,)
        Places from 1.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm. Inference for ranks. Review of Economic Studies
       91:476-518, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import place_intervals
    >>> scores = np.array([3.0, 1.0, 0.9])
    >>> draws = scores + 0.1 * np.random.default_rng(0).standard_normal((500, 3))
    >>> place_intervals(scores, draws)
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    scores, draws = np.asarray(scores, np.float64), np.asarray(draws, np.float64)
    if draws.ndim != 2 or draws.shape[1:] != scores.shape or len(draws) < 2:
        raise ValueError(
            f"draws of the shape {draws.shape} do not fit scores of the shape {scores.shape}; give at least two rows, "
            "with a score of each item"
        )
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level} must lie between 0 and 1")
    n_items = len(scores)
    best, worst = np.ones(n_items, np.int64), np.full(n_items, n_items)
    for item in range(n_items):
        others = np.delete(np.arange(n_items), item)
        lead = scores[others] - scores[item]
        error = draws[:, others] - draws[:, [item]] - lead
        spread = np.maximum(error.std(axis=0, ddof=1), np.finfo(np.float64).tiny)
        largest = np.max(np.abs(error) / spread, axis=1, initial=0.0)
        beyond = np.quantile(largest, level) * spread
        best[item] += np.sum(lead > beyond)
        worst[item] -= np.sum(lead < -beyond)
    return best, worst
