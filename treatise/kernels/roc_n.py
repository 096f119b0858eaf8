"""The top of a ranking: area under the ROC curve up to the first false positives."""

import numpy as np
from sklearn.metrics import roc_curve
from sklearn.utils.validation import check_consistent_length, column_or_1d


def roc_n_score(y_true, y_score, n=50):
    """Area under the ROC curve up to the first ``n`` false positives, divided by its largest value.

    The usual score of searches for homologous proteins, where hits beyond the first false ones are never looked at; the
    ordinary area, the limit for large ``n``, hardly notices the top of a long list. Positives tied with negatives count
    half. Cost n log n.

    Parameters
    ----------
    y_true : array-like of shape (n_objects,)
        Labels; the larger of the two is positive.
    y_score : array-like of shape (n_objects,)
        Scores, high for positives.
    n : int, default=50
        Number of false positives; if there are fewer negatives, all of them.

    Returns
    -------
    score : float
        1 where all positives come first, 0 where ``n`` negatives do.

    Examples
    --------
    >>> from treatise.kernels import roc_n_score
    >>> roc_n_score([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], n=1), roc_n_score([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], n=2)
    (0.5, 0.75)

    References
    ----------
    .. [1] Paper v05-1435, Section 5 (ROC-50), after Gribskov & Robinson (1996).
    """
    y_true, y_score = column_or_1d(y_true), column_or_1d(y_score)
    check_consistent_length(y_true, y_score)
    labels = np.unique(y_true)
    if len(labels) != 2:
        raise ValueError(f"y_true has {len(labels)} distinct labels; two are expected")
    if n < 1:
        raise ValueError(f"n={n!r} must be at least 1")
    positive = y_true == labels[1]
    negatives = int(np.count_nonzero(~positive))
    false, true, _ = roc_curve(positive, y_score, drop_intermediate=False)
    limit = min(n, negatives) / negatives
    j = int(np.argmax(false >= limit))
    # The height just left of the limit: what rises at the limit itself comes after the n-th false positive.
    share = (limit - false[j - 1]) / (false[j] - false[j - 1])
    height = true[j - 1] + share * (true[j] - true[j - 1])
    return float(np.trapezoid(np.append(true[:j], height), np.append(false[:j], limit)) / limit)
