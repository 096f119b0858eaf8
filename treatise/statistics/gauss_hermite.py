"""Expectations under a normal law by Gauss and Hermite's quadrature."""

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=16)
def _rule(n_points):
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_points)
    weights /= weights.sum()
    nodes.setflags(write=False)
    weights.setflags(write=False)
    return nodes, weights


def normal_nodes(n_points):
    """Nodes and weights that integrate polynomials up to degree ``2 n_points - 1`` exactly under N(0, 1).

    Parameters
    ----------
    n_points : int
        Number of nodes, at most 180: beyond it the weights of the outer ones are below the smallest number.

    Returns
    -------
    nodes, weights : ndarray of shape (n_points,)
        Read only; the weights add up to one.

    Examples
    --------
    >>> from treatise.statistics import normal_nodes
    >>> nodes, weights = normal_nodes(3)
    >>> round(float(weights @ nodes**4), 12)
    3.0
    """
    if not 1 <= n_points <= 180:
        raise ValueError(f"n_points={n_points} is out of range; choose 1 to 180")
    return _rule(int(n_points))


def normal_expectation(function, mean, variance, n_points=20):
    """The expectation of a function of normal variables, one for each pair of a mean and a variance.

    Parameters
    ----------
    function : callable
        Takes an array and gives the values at its entries.
    mean, variance : array-like
        Of each variable; they are broadcast.
    n_points : int, default=20
        Nodes.

    Returns
    -------
    expectation : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import normal_expectation
    >>> float(normal_expectation(np.square, 1.0, 3.0).round(12))
    4.0
    """
    nodes, weights = normal_nodes(n_points)
    mean, deviation = np.asarray(mean, dtype=np.float64), np.sqrt(np.asarray(variance, dtype=np.float64))
    return function(mean[..., None] + deviation[..., None] * nodes) @ weights
