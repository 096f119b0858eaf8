"""Rules that turn the decision values of many machines into one score for each class."""

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.multiclass import _ovr_decision_function

FIXED_RULES = ("vote", "mean")
"""Rules with nothing to learn."""
MOST_ROWS = 20_000
"""Rows on which an aggregation is learnt, at most."""


def combine(rule, decisions, n_classes):
    """Scores by a fixed rule, of shape (n,) for two classes and (n, n_classes) for more.

    Parameters
    ----------
    rule : {"vote", "mean"}
        The rule.
    decisions : ndarray of shape (n, n_members * n_pairs)
        Decision values, member by member, positive for the second class of a pair; NaN for a member that has no say.
    n_classes : int
        Number of classes.
    """
    n_pairs = n_classes * (n_classes - 1) // 2
    by_pair = decisions.reshape(len(decisions), -1, n_pairs)
    mean = np.nanmean(by_pair, axis=1)
    scores = mean
    if rule == "vote":
        # Less than half a vote: the mean decision value breaks ties and changes no majority.
        scores = np.nanmean(np.sign(by_pair), axis=1) + mean / (1.0 + np.abs(mean)) / (3.0 * by_pair.shape[1])
    if n_classes == 2:
        return scores[:, 0]
    return _ovr_decision_function((scores > 0).astype(int), scores, n_classes)


def fill_absent(decisions, n_pairs):
    """Put the mean of the members that have a say on a row in the place of those that have none."""
    by_pair = decisions.reshape(len(decisions), -1, n_pairs)
    filled = np.where(np.isnan(by_pair), np.nanmean(by_pair, axis=1, keepdims=True), by_pair)
    return filled.reshape(decisions.shape)


def learner_of(aggregation):
    """An unfitted classifier on decision values."""
    return LogisticRegression(max_iter=1000) if isinstance(aggregation, str) else clone(aggregation)
