"""Tables of categories: columns coded from 0, numbers cut into bins on request, missing cells refused or marked."""

import numpy as np
from sklearn.utils.validation import validate_data

MOST_STATES = 50
"""Of a column: a table of weights holds the square of it for every pair."""

MISSING = -1
"""Code of a cell that is not known."""


def coded_columns(
    estimator, X, n_bins, remedy="cut numbers with n_bins, or merge rare categories", *, missing="error",
    categories=None,
):  # fmt: skip
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
    missing : {"error", "mask"}, default="error"
        What to do about cells of NaN, None or pandas' NA: refuse them, or give them the code -1.
    categories : sequence or None, default=None
        Values that the cells may have: of all columns, or one sequence for each; None takes those that they have.

    Returns
    -------
    codes : ndarray of int of shape (n_samples, n_features)
    states : list of ndarray
        The values of each column, or the lower ends of its bins, the first of which is minus infinity.
    """
    X, unknown = _read(estimator, X, missing, reset=True)
    stated = None if categories is None else _stated(categories, X.shape[1])
    columns, states = [], []
    for j in range(X.shape[1]):
        known = ~unknown[:, j]
        column = X[known, j] if X.dtype != object else _comparable(X[known, j])
        if stated is not None:
            whole = np.full(len(X), MISSING)
            whole[known] = _places(column, stated[j], j, "is not among its categories")
            columns.append(whole)
            states.append(stated[j])
            continue
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
        whole = np.full(len(X), MISSING)
        whole[known] = codes
        columns.append(whole)
        states.append(values)
    return np.column_stack(columns).astype(np.int64), states


def known_codes(estimator, X, states, *, missing="error"):
    """Codes of new rows, which must hold the values of the fit, or numbers where the fit cut numbers.

    Parameters
    ----------
    estimator : estimator
        The learner.
    X : array-like of shape (n_samples, n_features)
        Rows.
    states : list of ndarray
        The values of each column in the fit.
    missing : {"error", "mask"}, default="error"
        What to do about cells that are not known: refuse them, or give them the code -1.

    Returns
    -------
    codes : ndarray of int of shape (n_samples, n_features)
    """
    X, unknown = _read(estimator, X, missing, reset=False)
    codes = np.full(X.shape, MISSING, dtype=np.int64)
    for j, values in enumerate(states):
        known = ~unknown[:, j]
        column = X[known, j] if X.dtype != object else _comparable(X[known, j])
        codes[known, j] = _places(column, values, j, "the fit did not see; it saw")
    return codes


def _places(column, values, j, complaint):
    """The place of each cell's value among the values of its column, or of the bin that it falls into."""
    numeric = np.issubdtype(values.dtype, np.number)
    if numeric != np.issubdtype(column.dtype, np.number):
        column = column.astype(values.dtype)
    if numeric and values[0] == -np.inf:
        return np.searchsorted(values[1:], column, side="left")
    found = np.minimum(np.searchsorted(values, column), len(values) - 1)
    strange = values[found] != column
    if strange.any():
        raise ValueError(f"column {j} holds {column[strange][0]!s}, which {complaint} {values.tolist()}")
    return found


def _stated(categories, n_columns):
    """The categories of each column, in order."""
    own = [np.atleast_1d(np.asarray(values)) for values in categories]
    if all(np.ndim(values) == 0 for values in categories):
        own = [np.asarray(categories)] * n_columns
    if len(own) != n_columns:
        raise ValueError(f"categories has {len(own)} sequences for the {n_columns} columns of X; give one for each")
    return [np.unique(values) for values in own]


def _read(estimator, X, missing, reset):
    """The table as an array, and which of its cells are not known."""
    mask = missing == "mask"
    unknown = None
    if hasattr(X, "isna"):
        # Before validation, which stumbles over pandas' own mark of a missing value.
        unknown = np.asarray(X.isna(), dtype=bool)
        if not mask:
            _refuse_missing(estimator, unknown)
        elif unknown.any():
            X = X.astype(object).mask(unknown, None)
    settings = {"ensure_min_samples": 2} if reset else {}
    X = validate_data(estimator, X, dtype=None, reset=reset, ensure_all_finite="allow-nan", **settings)
    if unknown is None:
        unknown = np.isnan(X) if X.dtype.kind == "f" else np.zeros(X.shape, dtype=bool)
        if X.dtype == object:
            # NaN alone differs from itself.
            unknown = np.equal(X, None) | np.not_equal(X, X).astype(bool)
    if not mask:
        _refuse_missing(estimator, unknown)
    return X, unknown


def _refuse_missing(estimator, missing):
    if missing.any():
        j = int(missing.any(axis=0).argmax())
        masks = ", or say missing='mask'" if hasattr(estimator, "missing") else ""
        raise ValueError(
            f"column {j} misses {int(missing[:, j].sum())} of {len(missing)} values (NaN or None); fill them in, leave "
            f"those rows out, or write a category of its own for them, such as 'unknown'{masks}"
        )


def _comparable(column):
    """A column of objects as numbers where all are, as text otherwise, so that its values have an order."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return column.astype(str)
