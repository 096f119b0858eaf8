"""Similarities of binary rows, as sets of their ones (Laub & Müller, JMLR 5:801, section 5)."""

import warnings

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.extmath import safe_sparse_dot


def simpson_similarity(X, Y=None):
    """Simpson's score: shared ones over the ones of the smaller set, ``a / min(a + b, a + c)``.

    A set has similarity one with every set that contains it, so the score is far from metric: its negative directions
    tell how much each row holds. Time n m p.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Rows of zeros and ones.
    Y : array or sparse matrix of shape (m, p), default=None
        Other rows; None is X.

    Returns
    -------
    S : ndarray of shape (n, m)

    Examples
    --------
    >>> from treatise.metric import simpson_similarity
    >>> simpson_similarity([[1, 1, 0], [1, 1, 1], [0, 0, 1]])
    array([[1., 1., 0.],
           [1., 1., 1.],
           [0., 1., 1.]])
    """
    shared, own, others = _overlaps(X, Y)
    return _ratio(shared, np.minimum(own[:, np.newaxis], others))


def jaccard_similarity(X, Y=None):
    """Shared ones over all ones, ``a / (a + b + c)``: the keyword proximity of words by the documents they occur in.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Rows of zeros and ones.
    Y : array or sparse matrix of shape (m, p), default=None
        Other rows; None is X.

    Returns
    -------
    S : ndarray of shape (n, m)

    Examples
    --------
    >>> from treatise.metric import jaccard_similarity
    >>> jaccard_similarity([[1, 1, 0, 0], [1, 1, 1, 1]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    shared, own, others = _overlaps(X, Y)
    return _ratio(shared, own[:, np.newaxis] + others - shared)


def _overlaps(X, Y):
    tables = [check_array(each, accept_sparse="csr", dtype=np.float64) for each in ([X] if Y is None else [X, Y])]
    for table in tables:
        values = table.data if hasattr(table, "tocsr") else table
        if not ((values == 0) | (values == 1)).all():
            raise ValueError("rows must hold zeros and ones only; compare with a threshold first")
    first, second = tables[0], tables[-1]
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"rows of X have {first.shape[1]} columns, rows of Y {second.shape[1]}")
    counts = [np.asarray(each.sum(axis=1)).ravel() for each in (first, second)]
    if any((each == 0).any() for each in counts):
        warnings.warn("rows without a one get similarity zero with all rows, themselves too", stacklevel=3)
    return np.asarray(safe_sparse_dot(first, second.T, dense_output=True)), *counts


def _ratio(shared, sizes):
    return np.divide(shared, sizes, out=np.zeros_like(shared), where=sizes > 0)
