"""Ranks of the columns of a table: as places, as shares between 0 and 1 (the copula), and as normal scores."""

from typing import Literal

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

Ties = Literal["average", "max", "min", "ordinal"]
_SHIFTS = {"n": (0.0, 0.0), "n+1": (0.0, 1.0), "middle": (-0.5, 0.0)}


def copula_transform(X, *, scale: Literal["n", "n+1", "middle"] = "n+1", ties: Ties = "average") -> np.ndarray:
    """Each column as its ranks divided by their number: what is left of a table once the columns' own laws are removed.

    Any rising function of a column leaves the result as it is.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns) or (n_samples,)
        Numbers without missing values.
    scale : {"n+1", "n", "middle"}, default="n+1"
        Rank / (n + 1), in the open interval and with mean one half; rank / n, the empirical distribution function, with
        a mean of (n + 1) / 2n; or (rank - 1/2) / n.
    ties : {"average", "max", "min", "ordinal"}, default="average"
        Rank of equal values: their mean, greatest or least place, or places in the order of the rows.

    Returns
    -------
    U : ndarray of the shape of X

    Examples
    --------
    >>> from treatise.statistics import copula_transform
    >>> copula_transform([30.0, 10.0, 20.0])
    array([0.75, 0.25, 0.5 ])
    """
    X = np.asarray(X, np.float64)
    if X.size == 0 or np.isnan(X).any():
        raise ValueError(
            "X is empty; give at least one row" if X.size == 0 else "X holds NaN; missing values have no rank"
        )
    if scale not in _SHIFTS:
        raise ValueError(f"scale={scale!r} is unknown; it may be {', '.join(map(repr, _SHIFTS))}")
    up, more = _SHIFTS[scale]
    return (rankdata(X, method=ties, axis=0) + up) / (len(X) + more)


def normal_scores(X, *, ties: Ties = "average") -> np.ndarray:
    """Each column as the normal quantiles of its ranks / (n + 1): a standard normal column in the same order.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns) or (n_samples,)
        Numbers without missing values.
    ties : {"average", "max", "min", "ordinal"}, default="average"
        Rank of equal values.

    Returns
    -------
    Z : ndarray of the shape of X

    Examples
    --------
    >>> from treatise.statistics import normal_scores
    >>> normal_scores([30.0, 10.0, 20.0]).round(3)
    array([ 0.674, -0.674,  0.   ])
    """
    return ndtri(copula_transform(X, scale="n+1", ties=ties))
