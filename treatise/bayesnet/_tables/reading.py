"""Reading any table: arrays and frames checked as scikit-learn checks them, their columns told apart."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from treatise.statistics._columns import is_frame, labels_beside


def read_table(estimator, X, y=None, *, reset, allow_missing=False, accept_sparse=False):
    """X checked for an estimator, and y if the estimator is being fitted to one; frames keep their columns' types."""
    has_y = y is not None or (reset and estimator.__sklearn_tags__().target_tags.required)
    if not is_frame(X):
        options = {
            "dtype": None, "reset": reset, "accept_sparse": "csr" if accept_sparse else False,
            "ensure_all_finite": "allow-nan" if allow_missing else True,
        }  # fmt: skip
        if not has_y:
            return validate_data(estimator, X, **options)
        return validate_data(estimator, X, y, **options)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not len(X):
        raise ValueError("X has 0 rows; at least one is needed")
    return (X, labels_beside(X, y, estimator)) if has_y else X


def is_plain(X):
    """Whether all cells of X are numbers by its type."""
    return sparse.issparse(X) or (not is_frame(X) and X.dtype.kind in "biuf")


def column_arrays(X):
    """The columns of a table, one array each."""
    if sparse.issparse(X):
        X = X.toarray()
    if not is_frame(X):
        return [X[:, i] for i in range(X.shape[1])]
    column = (lambda i: X.iloc[:, i]) if hasattr(X, "iloc") else (lambda i: X[:, i])
    return [np.asarray(column(i)) for i in range(X.shape[1])]


def is_categorical(X):
    """Which columns are categories by their type, whatever they hold."""
    if not is_frame(X):
        return np.zeros(X.shape[1], dtype=bool)
    return np.array([str(kind).startswith(("category", "Categorical", "Enum")) for kind in X.dtypes], dtype=bool)


def declared_categories(X, place):
    """Categories that the type of a column declares, seen or not."""
    kind = list(X.dtypes)[place] if is_frame(X) else None
    return set(map(plain, kind.categories)) if str(kind).startswith(("category", "Enum")) else set()


def is_numeric(values, name):
    """Whether a column holds numbers; Booleans are categories."""
    if values.dtype.kind in "mMcV":
        raise ValueError(
            f"column {name} of X has the type {values.dtype}; give numbers, strings, Booleans or categories"
        )
    if values.dtype.kind != "O":
        return values.dtype.kind in "iuf"
    return all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in values[~missing(values)])


def numbers_of(values, name):
    """A column as numbers, with NaN where it is missing."""
    if values.dtype.kind not in "biuf":
        known = ~missing(values)
        strange = [value for value in values[known] if not isinstance(value, Real)]
        if strange:
            raise ValueError(
                f"column {name} of X held numbers when the model was fitted and now holds {plain(strange[0])!r}"
            )
        numbers = np.full(len(values), np.nan)
        numbers[known] = values[known].astype(np.float64)
        values = numbers
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(f"Input X contains infinity in column {name}; clip or remove it")
    return values


def missing(values):
    """Which values of a column are missing."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.array([_is_missing(value) for value in values], dtype=bool)


def _is_missing(value):
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def categories_of(values):
    """The distinct categories of a column, as plain values; missing ones left out."""
    if values.dtype.kind in "UTbiu":
        return set(np.unique(values).tolist())
    return {plain(value) for value in values[~missing(values)]}


def plain(value):
    """The value without NumPy's wrapping, or what it prints as where it cannot be looked up."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def in_order(categories):
    """Categories in an order that does not depend on which came first."""
    try:
        return sorted(categories)
    except TypeError:
        return sorted(categories, key=lambda value: (type(value).__name__, repr(value)))
