"""Mutual information of a table of probabilities, without the rounding that hides weak dependence."""

import numpy as np


def departures(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far a joint table is from independence given the last axis.

    Parameters
    ----------
    joint : ndarray of shape (n_x, n_y, n_z)
        Probabilities.

    Returns
    -------
    expected : ndarray of shape (n_x, n_y, n_z)
        Probabilities if x and y were independent given z.
    departure : ndarray of shape (n_x, n_y, n_z)
        ``joint / expected - 1``; 0 where both are 0.
    """
    of_x, of_y, of_z = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True), joint.sum(axis=(0, 1))
    expected = of_x * of_y / np.where(of_z > 0, of_z, 1.0)
    possible = expected > 0
    departure = np.where(possible, joint / np.where(possible, expected, 1.0) - 1.0, 0.0)
    return expected, departure


def information_in(joint: np.ndarray) -> float:
    """Mutual information of the first two axes given the last, in nats (Equation 4 of the paper v05-1287).

    It is summed as ``expected * ((1 + d) log(1 + d) - d)`` over the departures d from independence: no term is
    negative, so that weak dependence does not drown in the rounding of strong terms that cancel.
    """
    expected, d = departures(joint)
    near = np.abs(d) < 1e-3
    series = d * d * (0.5 - d * (1 / 6 - d * (1 / 12 - d / 20)))
    with np.errstate(divide="ignore", invalid="ignore"):
        direct = np.where(d > -1.0, (1.0 + d) * np.log1p(d) - d, 1.0)
    return float(np.sum(expected * np.where(near, series, direct)))
