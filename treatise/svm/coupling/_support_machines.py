"""Decision values of many small support vector machines without scikit-learn's checks, which cost more than they do.

One pair of classes needs a machine for every fold. Their kernels come from the same products of rows, and the dual
solver of this library takes them as they are.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sklearn import config_context
from sklearn.svm import SVC

from treatise._core.threads import one_blas_thread
from treatise.kernels import GramRows
from treatise.optimize import SVMDualProblem, solve_svm_dual

_MOST_ROWS = 3000
"""Of a pair, so that its kernel takes no more than some 70 MB."""


def is_plain(base, X):
    """Whether a classifier is one of the machines that are known here, on rows that are numbers in an array."""
    known = type(base) is SVC and base.kernel in ("rbf", "linear") and base.class_weight is None
    return known and base.max_iter == -1 and isinstance(X, np.ndarray) and X.dtype == np.float64


@contextmanager
def many_small(base, size) -> Iterator[None]:
    """A context for machines of at most so many rows one after another, on data that were checked already.

    Their parameters are checked here, once, and matrices so small are left to one thread.
    """
    base._validate_params()
    with one_blas_thread(size), config_context(assume_finite=True, skip_parameter_validation=True):
        yield


def held_out_decisions(base, X, target, sample_weight, folds):
    """Decision value of every row from the machine that did not see its fold; None where the pair is too large."""
    n = len(target)
    if n > _MOST_ROWS:
        return None
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    products, signs = X @ X.T, np.where(target > 0, 1.0, -1.0)
    squares = np.diagonal(products)
    held_out = np.empty(n)
    # One kernel serves all folds, unless it depends on the rows that a fold leaves.
    varies = base.kernel == "rbf" and base.gamma == "scale"
    whole = None if varies else _kernel(base, _gamma(base, X), products, squares, squares)
    for number in np.unique(folds):
        train, test = np.flatnonzero(folds != number), np.flatnonzero(folds == number)
        if varies:
            columns = _kernel(base, _gamma(base, X[train]), products.take(train, axis=1), squares, squares[train])
        else:
            columns = whole.take(train, axis=1)
        problem = SVMDualProblem.classification(signs[train], base.C * weights[train])
        found = solve_svm_dual(GramRows.precomputed(columns[train]), problem, tol=base.tol)
        held_out[test] = columns[test] @ found.beta + found.offset
    return held_out


def decisions(machine, X, squares):
    """Decision values of rows by a fitted machine, given their squared lengths."""
    support = machine.support_vectors_
    of_support = np.einsum("ij,ij->i", support, support)
    block = _kernel(machine, machine._gamma, X @ support.T, squares, of_support)
    return block @ machine.dual_coef_[0] + machine.intercept_[0]


def _gamma(base, X):
    """The value that scikit-learn would take on these rows."""
    if base.gamma == "scale":
        variance = X.var()
        return 1.0 / (X.shape[1] * variance) if variance else 1.0
    return 1.0 / X.shape[1] if base.gamma == "auto" else float(base.gamma)


def _kernel(base, gamma, products, squares, of_others):
    """Kernel values from products and squared lengths."""
    if base.kernel == "linear":
        return np.ascontiguousarray(products)
    distances = -2.0 * products
    distances += squares[:, np.newaxis]
    distances += of_others
    np.maximum(distances, 0.0, out=distances)
    distances *= -gamma
    return np.exp(distances, out=distances)
