"""The choice of rows: among all, or among those that touch the ellipsoid (Algorithm 2 of v15-1011)."""

from typing import NamedTuple

import numpy as np

from treatise.decomposition.separable_nmf._rounding import Rounding, ellipsoidal_rounding, leading_directions
from treatise.decomposition.separable_nmf._xray import xray
from treatise.optimize import successive_projection


class Choice(NamedTuple):
    """Rows that were chosen, and from which."""

    rows: np.ndarray
    candidates: np.ndarray
    rounding: Rounding | None


def choose_rows(X, wanted, method, *, rho=None, selection="max", tol=1e-9, random_state=None):
    """Choose rows by one of the methods; fewer where all other rows are combinations of these.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    wanted : int
        Number of rows.
    method, rho, selection, tol, random_state
        As in :class:`~treatise.decomposition.SeparableNMF`.

    Returns
    -------
    Choice
    """

    def select(rows):
        if method.endswith("spa"):
            return successive_projection(rows, wanted).indices
        return xray(rows, wanted, selection, random_state)

    if not method.startswith("er-"):
        return Choice(select(X), np.arange(X.shape[0]), None)
    rho = min(rho or wanted, *X.shape)
    while True:
        directions = leading_directions(X, rho)
        rounding = ellipsoidal_rounding(X, directions, tol)
        rows = rounding.active[select(X[rounding.active])]
        # At least rho independent rows touch (Lemma 11), so that this ends at the number wanted or at the rank of X.
        if len(rows) == wanted or directions.shape[1] < rho or rho == min(X.shape):
            return Choice(rows, rounding.active, rounding)
        rho += 1
