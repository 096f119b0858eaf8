"""What every classifier that learns from a stream asks of its rows and classes."""

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import validate_data


def is_first_call(learner, classes):
    """Whether ``partial_fit`` is called for the first time; raises where ``classes`` do not suit the call."""
    first = not hasattr(learner, "classes_")
    if first and classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit: the stream may hold more later")
    if not first and classes is not None and not np.array_equal(learner.classes_, unique_labels(classes)):
        raise ValueError(
            f"classes={_shown(classes)} differ from those of the first call, {_shown(learner.classes_)}; "
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


def codes_of(y, classes):
    """Labels as positions in ``classes``."""
    if len(classes) == 2:
        codes = y == classes[1]
        known = codes | (y == classes[0])
    else:
        codes = np.searchsorted(classes, y)
        known = classes[np.minimum(codes, len(classes) - 1)] == y
    if not np.all(known):
        unknown = np.unique(y[~known])
        raise ValueError(f"y holds {_shown(unknown)}, not among the classes {_shown(classes)} of the first call")
    return codes.astype(np.int64)


def _shown(labels):
    """A few labels in full, of many the first and the last."""
    return np.array2string(np.asarray(labels), threshold=10, separator=", ")
