"""Bounds on the error of a pruned tree: Rademacher's penalty and Occam's razor."""

import numpy as np
from sklearn.utils import check_consistent_length, check_random_state

from treatise.ensemble.pruning.counted_tree import CountedTree
from treatise.ensemble.pruning.reduced_error import codes_of


def rademacher_penalty(tree, X, y, *, k=None, signs=None, random_state=None):
    """How well the prunings of a tree can agree with coin tosses, ``max |sum_i r_i [h(x_i) != y_i]| / n``.

    Exact for one draw of the signs r, over all prunings or those with at most k mistakes on the growing rows; by the
    recursion of pruning itself, with the signed sum of a node's mistakes as its cost.

    Parameters
    ----------
    tree : DecisionTreeClassifier or ExtraTreeClassifier
        Fitted, not on these rows.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    k : int or None, default=None
        As in :func:`reduced_error_pruning`.
    signs : array-like of shape (n_samples,) or None, default=None
        The signs, -1 and 1; None draws them.
    random_state : int, RandomState or None, default=None
        Draws them.

    Returns
    -------
    penalty : float
        Between 0 and 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treatise.ensemble import rademacher_penalty
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> 0.0 < rademacher_penalty(tree, X[1::2], y[1::2], random_state=0) < 0.2
    True

    References
    ----------
    .. [1] Paper v05-1107, Section 2; Lemma 3 has its use.
    """
    counted = CountedTree.of(tree)
    codes, n_classes = codes_of(tree, y)
    check_consistent_length(X, y)
    if signs is None:
        signs = 2 * check_random_state(random_state).randint(0, 2, len(codes)) - 1
    signs = np.asarray(signs)
    if signs.shape != codes.shape or not np.isin(signs, (-1, 1)).all():
        raise ValueError(f"signs must be -1 or 1 for each of the {len(codes)} rows")
    signed = counted.counts(tree, X, codes, n_classes, signs.astype(np.float64))
    score = signed.sum(axis=1) - signed[np.arange(len(signed)), counted.labels]
    best = [-counted.least(np.ascontiguousarray(-side * score), 0, k)[0] for side in (1, -1)]
    return max(best) / len(codes)


def rademacher_bound(error, penalty, n_samples, delta=0.01):
    """An upper bound on the true error of any pruning, with probability 1 - delta: error + 2 penalty + 5 eta.

    Parameters
    ----------
    error : float
        Share of mistakes on the pruning rows.
    penalty : float
        What :func:`rademacher_penalty` gave for these rows.
    n_samples : int
        Their number; the last term alone is 5 sqrt(log(2 / delta) / (2 n)), 0.66 for 150 rows.
    delta : float, default=0.01
        Chance that the bound fails.

    Returns
    -------
    bound : float
        Above 1 it says nothing.

    Examples
    --------
    >>> from treatise.ensemble import rademacher_bound
    >>> round(rademacher_bound(0.0, 0.0, 150), 8)
    0.66447456

    References
    ----------
    .. [1] Paper v05-1107, Lemma 3.
    """
    _check_delta(delta)
    return float(error + 2.0 * penalty + 5.0 * np.sqrt(np.log(2.0 / delta) / (2.0 * n_samples)))


def occam_bound(error, log_count, n_samples, delta=0.01):
    """An upper bound on the true error of any of so many prunings, with probability 1 - delta.

    Parameters
    ----------
    error : float
        Share of mistakes on the pruning rows.
    log_count : float
        Natural logarithm of the number of prunings, of :func:`log_prunings`. The paper takes ``log(2) d / 4`` for a
        tree of d nodes, which there may be more of: its bound is too good then.
    n_samples : int
        Pruning rows.
    delta : float, default=0.01
        Chance that the bound fails.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.ensemble import occam_bound
    >>> round(occam_bound(0.0, np.log(2) * 23 / 4, 150), 8)
    0.16922142

    References
    ----------
    .. [1] Paper v05-1107, Section 6.1.
    """
    _check_delta(delta)
    return float(error + np.sqrt((log_count + np.log(1.0 / delta)) / (2.0 * n_samples)))


def log_prunings(tree):
    """Natural logarithm of the number of prunings of a fitted tree, the tree itself among them.

    Parameters
    ----------
    tree : DecisionTreeClassifier or ExtraTreeClassifier
        Fitted.

    Returns
    -------
    log_count : float

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treatise.ensemble import log_prunings
    >>> tree = DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0])
    >>> round(np.exp(log_prunings(tree)))
    3
    """
    return CountedTree.of(tree).log_prunings()


def _check_delta(delta):
    if not 0 < delta < 1:
        raise ValueError(f"delta={delta} is a chance; it must lie between 0 and 1")
