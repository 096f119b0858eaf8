"""Tables of two values for the learners of binary graphs: zeros and ones of whatever the values were."""

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data


def binary_table(estimator, X, kind, advice):
    """Zeros and ones of a table in training; sets ``values_``, the two values that stand for them.

    Parameters
    ----------
    estimator : estimator
        The learner, with ``binarize``; its feature names are set.
    X : array-like of shape (n_samples, n_features)
        Two values in the whole table, or numbers to be cut at ``binarize``.
    kind : str
        What the learner learns, for the error.
    advice : str
        Which other learners take such tables, for the error.

    Returns
    -------
    table : ndarray of shape (n_samples, n_features)
        Zeros and ones, float64.
    """
    try:
        X = validate_data(estimator, X, dtype=np.float64, ensure_min_samples=2)
    except ValueError as error:
        if "could not convert string" in str(error):
            raise ValueError(
                f"the table holds text ({error}); {kind} takes numbers of two values, such as 0 and 1: code the text "
                f"first, or {advice}"
            ) from None
        raise
    if estimator.binarize is not None:
        X = (estimator.binarize < X).astype(np.float64)
    values = np.unique(X)
    if len(values) > 2:
        examples = ", ".join(f"{value:g}" for value in values[:3])
        raise ValueError(
            f"the table holds {len(values)} different values, such as {examples}; {kind} takes two, such as 0 and 1: "
            f"cut numbers with binarize, or {advice}"
        )
    if len(values) == 1:
        values = np.array([0.0, 1.0]) if values[0] in (0.0, 1.0) else np.sort(np.append(values, -values))
    estimator.values_ = values
    return (values[-1] == X).astype(np.float64)


def known_values(estimator, X):
    """Zeros and ones of new rows, which must hold the values of the fit.

    Parameters
    ----------
    estimator : estimator
        The learner, with ``binarize`` and ``values_``.
    X : array-like of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    table : ndarray of shape (n_samples, n_features)
        Zeros and ones, float64.
    """
    X = validate_data(estimator, X, dtype=np.float64, reset=False)
    if estimator.binarize is not None:
        X = (estimator.binarize < X).astype(np.float64)
    if not np.isin(X, estimator.values_).all():
        raise ValueError(f"rows must hold the values {estimator.values_.tolist()} of the fit")
    return (estimator.values_[1] == X).astype(np.float64)


def zeros_and_ones(X, matrix, name):
    """A table of zeros and ones whose columns are those of a symmetric matrix.

    Parameters
    ----------
    X : array-like of shape (n_samples, p)
        The table.
    matrix : ndarray of shape (p, p)
        A graph or its couplings.
    name : str
        Of the matrix, for the error.

    Returns
    -------
    X : ndarray of shape (n_samples, p)
        As float64.
    """
    X = check_array(X, dtype=np.float64)
    if not np.isin(X, (0.0, 1.0)).all():
        raise ValueError(f"X holds {X[~np.isin(X, (0.0, 1.0))][0]:g}; a binary field is of zeros and ones")
    p = X.shape[1]
    if matrix.shape != (p, p) or not (matrix == matrix.T).all():
        raise ValueError(f"{name} must be symmetric, of shape {(p, p)} for {p} columns; its shape is {matrix.shape}")
    return X
