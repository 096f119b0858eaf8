"""What everything that learns from a stream asks of its rows and classes, and the rows as compiled loops read them."""

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import validate_data

from treatise._core.classifier import shown
from treatise._core.row_arrays import rows_of
from treatise.online._row_loops import append_constant


def is_first_call(learner, classes):
    """Whether ``partial_fit`` is called for the first time; raises where ``classes`` do not suit the call."""
    first = not hasattr(learner, "classes_")
    if first and classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit: the stream may hold more later")
    if not first and classes is not None and not np.array_equal(learner.classes_, unique_labels(classes)):
        raise ValueError(
            f"classes={shown(classes)} differ from those of the first call, {shown(learner.classes_)}; "
            "make a new learner for other classes"
        )
    return first


def read_rows(learner, X, y, *, reset):
    """Rows of floats, sparse ones with each column once, and their labels."""
    X, y = validate_data(
        learner, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, order="C", multi_output=False
    )
    if y.dtype.kind not in "iubU":  # whole numbers and names are classes; fractions are not
        check_classification_targets(y)
    return each_column_once(X), y


def each_column_once(X):
    """Rows in which no sparse entry is repeated; the user's own stay as they are."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def rows_with_constant(X, turns):
    """The rows at these turns as compiled loops read them, each with a last feature 1."""
    if not sparse.issparse(X):
        return rows_of(np.hstack([X[turns], np.ones((len(turns), 1))]))
    pointers, columns, values = rows_of(X)
    ends = np.zeros(len(turns) + 1, dtype=np.int64)
    np.cumsum(pointers[turns + 1] - pointers[turns] + 1, out=ends[1:])
    all_columns, all_values = np.empty(ends[-1], dtype=np.uint32), np.empty(ends[-1])
    append_constant(pointers, columns, values, turns, X.shape[1], ends, all_columns, all_values)
    return ends, all_columns, all_values
