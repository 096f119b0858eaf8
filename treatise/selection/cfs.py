"""Correlation-based feature selection by forward search (Hall, 2000), a baseline of Yu & Liu, JMLR 5:1205."""

import numpy as np

from treatise.selection._base import SLACK, DiscreteSelector
from treatise.statistics.entropy import TableInformation


class CFSForward(DiscreteSelector):
    """Grow the set of features whose merit is highest: dependent on the class, independent of one another.

    The merit of k features is k r_cf / sqrt(k + k (k - 1) r_ff), with r_cf the mean symmetrical uncertainty
    of a feature with the class and r_ff that of two features. Features are added one at a time as long as
    the merit grows.

    Use it on up to some thousands of features, where a feature may be covered by several others together.
    Beyond that prefer :class:`FCBF`, which compares far fewer pairs.

    Costs one joint count for each feature and each step, p k in all; memory is that of the coded data.

    Parameters
    ----------
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values; see :class:`FCBF`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Symmetrical uncertainty of each feature with the class.
    selected_ : ndarray of int
        Features kept, in the order in which they were added.
    support_ : ndarray of bool, of shape (n_features,)
        The same as a mask.
    merits_ : ndarray
        Merit of the set after each addition.
    n_pair_evaluations_ : int
        Pairs of features compared.
    classes_ : ndarray
        The classes seen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.selection import CFSForward
    >>> X, y = load_iris(return_X_y=True)
    >>> CFSForward().fit(X, y).selected_.tolist()
    [3, 2]

    References
    ----------
    .. [1] M. A. Hall, "Correlation-based feature selection for discrete and numeric class machine
       learning", ICML 2000, pages 359-366.
    .. [2] Paper v05-1205, Section 5.1: CFS-SF.
    """

    def __init__(self, *, discretizer="mdl"):
        self.discretizer = discretizer

    def _select(self, table, target):
        information = TableInformation(table)
        self.scores_ = information.symmetrical_uncertainty(target)
        selected, merits = [], []
        remaining = np.flatnonzero(self.scores_ > SLACK)
        with_selected = np.zeros(table.n_columns)  # sum of SU of each feature with those selected
        relevance = redundancy = merit = 0.0
        self.n_pair_evaluations_ = 0
        while len(remaining):
            size = len(selected) + 1
            grown = (relevance + self.scores_[remaining]) / np.sqrt(
                size + 2.0 * (redundancy + with_selected[remaining])
            )
            # The first of those level with the best.
            best = int(np.argmax(grown >= grown.max() - SLACK))
            if grown[best] <= merit + SLACK:
                break
            feature, merit = remaining[best], grown[best]
            relevance += self.scores_[feature]
            redundancy += with_selected[feature]
            selected.append(feature)
            merits.append(merit)
            remaining = np.delete(remaining, best)
            with_selected[remaining] += information.symmetrical_uncertainty(table.variable(feature), remaining)
            self.n_pair_evaluations_ += len(remaining)
        self.merits_ = np.array(merits)
        return selected
