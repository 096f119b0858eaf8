"""Which features any of the fits without one row selects, and how these fits err on the rows left out."""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_X_y


@dataclass(frozen=True)
class LeaveOneOutSelection:
    """What the fits without one row have in common, and what not.

    Attributes
    ----------
    features : ndarray of int
        Features that at least one fit selects (the paper's report).
    counts : ndarray of int, of shape (n_features,)
        Number of fits that select each feature.
    predictions : ndarray of shape (n_samples,)
        Class of each row by the fit without it.
    error : float
        Share of these that are wrong.
    """

    features: np.ndarray
    counts: np.ndarray
    predictions: np.ndarray
    error: float


def leave_one_out_features(estimator, X, y, *, n_jobs=None):
    """Fit without each row in turn; gather the features selected and the errors on the rows left out.

    The union of the selections is how Bhattacharyya reports selected features; ``counts`` tells how stable they are.

    Parameters
    ----------
    estimator : estimator
        One that selects features (``get_support``) and predicts, or a pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes; each must have two rows at least.
    n_jobs : int or None, default=None
        Fits at once.

    Returns
    -------
    selection : LeaveOneOutSelection

    Examples
    --------
    >>> from treatise.datasets import make_graded_features
    >>> from treatise.selection import MomentSparseClassifier, leave_one_out_features
    >>> X, y = make_graded_features(random_state=0)
    >>> found = leave_one_out_features(MomentSparseClassifier(eta=0.9), X, y)
    >>> found.features + 1, found.error
    (array([10]), 0.0)

    References
    ----------
    .. [1] Paper v05-1417: Section 5.
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    final = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not (hasattr(final, "get_support") and hasattr(final, "predict")):
        raise ValueError(f"{type(final).__name__} must select features (get_support) and predict")
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        label = classes[np.argmin(counts)].item()
        raise ValueError(f"class {label!r} has one row; a fit without it would know one class less: add rows")
    fits = Parallel(n_jobs=n_jobs)(delayed(_without)(estimator, X, y, row) for row in range(len(y)))
    masks, predictions = (np.array(parts) for parts in zip(*fits))
    selected = masks.sum(axis=0)
    return LeaveOneOutSelection(np.flatnonzero(selected), selected, predictions, float(np.mean(predictions != y)))


def _without(estimator, X, y, row):
    model = clone(estimator).fit(np.delete(X, row, axis=0), np.delete(y, row))
    final = model[-1] if isinstance(model, Pipeline) else model
    return final.get_support(), model.predict(X[row : row + 1])[0]
