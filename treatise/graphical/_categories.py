"""Tables of categories for the learners of graphs: columns coded from 0, numbers cut into bins on request."""

import numpy as np
from sklearn.utils.validation import validate_data

MOST_STATES = 50
"""Of a column: a table of weights holds the square of it for every pair."""


def coded_columns(estimator, X, n_bins, remedy="cut numbers with n_bins, or merge rare categories"):
    """Codes of every column, and the values that they stand for.

    Parameters
    ----------
    estimator : estimator
        The learner, whose feature names are set.
    X : array-like of shape (n_samples, n_features)
        Categories of any type, or numbers with ``n_bins``.
    n_bins : int or None
        Parts of equal size into which numeric columns with more different values are cut; None takes every value for
        a state of its own.
    remedy : str
        What to do about a column of too many states, for the error.

    Returns
    -------
    codes : ndarray of int of shape (n_samples, n_features)
    states : list of ndarray
        The values of each column, or the lower ends of its bins.
    """
    if hasattr(X, "isna"):
        # Before validation, which stumbles over pandas' own mark of a missing value.
        _refuse_missing(np.asarray(X.isna()))
    X = validate_data(estimator, X, dtype=None, ensure_min_samples=2)
    if X.dtype == object:
        _refuse_missing(np.equal(X, None))
    columns, states = [], []
    for j in range(X.shape[1]):
        column = X[:, j] if X.dtype != object else _comparable(X[:, j])
        values, codes = np.unique(column, return_inverse=True)
        if n_bins is not None and len(values) > n_bins and np.issubdtype(values.dtype, np.number):
            edges = np.unique(np.quantile(column.astype(np.float64), np.linspace(0, 1, n_bins + 1)[1:-1]))
            cut = np.searchsorted(edges, column, side="left")
            values, codes = np.unique(cut, return_inverse=True)
            values = np.concatenate([[-np.inf], edges])[values]
        if len(values) > MOST_STATES:
            raise ValueError(
                f"column {j} has {len(values)} different values, more than the {MOST_STATES} states that a table of "
                f"weights can hold; {remedy}"
            )
        columns.append(codes)
        states.append(values)
    return np.column_stack(columns).astype(np.int64), states


def known_codes(estimator, X, states):
    """Codes of new rows, which must hold the values of the fit.

    Parameters
    ----------
    estimator : estimator
        The learner.
    X : array-like of shape (n_samples, n_features)
        Rows.
    states : list of ndarray
        The values of each column in the fit.

    Returns
    -------
    codes : ndarray of int of shape (n_samples, n_features)
    """
    if hasattr(X, "isna"):
        _refuse_missing(np.asarray(X.isna()))
    X = validate_data(estimator, X, dtype=None, reset=False)
    codes = np.empty(X.shape, dtype=np.int64)
    for j, known in enumerate(states):
        column = X[:, j] if X.dtype != object else _comparable(X[:, j])
        if np.issubdtype(known.dtype, np.number) != np.issubdtype(column.dtype, np.number):
            column = column.astype(known.dtype)
        codes[:, j] = np.minimum(np.searchsorted(known, column), len(known) - 1)
        strange = known[codes[:, j]] != column
        if strange.any():
            raise ValueError(
                f"column {j} holds {column[strange][0]!s}, which the fit did not see; it saw {known.tolist()}"
            )
    return codes


def _refuse_missing(missing):
    missing = np.asarray(missing, dtype=bool)
    if missing.any():
        j = int(missing.any(axis=0).argmax())
        raise ValueError(
            f"column {j} misses {int(missing[:, j].sum())} of {len(missing)} values (NaN or None); fill them in, leave "
            "those rows out, or write a category of its own for them, such as 'unknown'"
        )


def _comparable(column):
    """A column of objects as numbers where all are, as text otherwise, so that its values have an order."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return column.astype(str)
