"""A plane between two kinds of rows, by a linear program."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

OPTIMAL, OUT_OF_TIME, NONE = 0, 1, 2
"""Ends of a linear program that are told apart."""


def separating_plane(X, positive, *, time_limit=None):
    """Weights and a threshold that have some rows on one side and all others on the other, a distance of one apart.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        The rows.
    positive : array-like of bool of shape (n,)
        Which of them score above the threshold.
    time_limit : float or None, default=None
        Seconds after which a ``TimeoutError`` is raised.

    Returns
    -------
    (ndarray of shape (p,), float) or None
        ``X @ weights - threshold`` is at least 1 for the positive rows and at most -1 for the others; None where no
        plane separates them.

    Examples
    --------
    >>> from treatise.optimize import separating_plane
    >>> separating_plane([[0.0], [1.0], [2.0]], [True, False, True]) is None
    True
    """
    signs = np.where(positive, 1.0, -1.0)
    both = sparse.hstack if sparse.issparse(X) else np.hstack
    rows = both([X, np.full((len(signs), 1), -1.0)])
    rows = rows.multiply(-signs[:, np.newaxis]) if sparse.issparse(rows) else -signs[:, np.newaxis] * rows
    found = linprog(
        np.zeros(rows.shape[1]), sparse.csr_array(rows) if sparse.issparse(rows) else rows, np.full(len(signs), -1.0),
        bounds=(None, None), options={} if time_limit is None else {"time_limit": time_limit},
    )  # fmt: skip
    if found.status == OPTIMAL:
        return found.x[:-1], float(found.x[-1])
    if found.status == NONE:
        return None
    if found.status == OUT_OF_TIME:
        raise TimeoutError(f"no plane was found or ruled out in {time_limit} s; give it a longer time_limit")
    raise RuntimeError(f"the linear program did not end: {found.message}")
