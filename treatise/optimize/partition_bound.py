"""Quadratic upper bound on a log-partition function (Choromanska, 2014, Section 2.1)."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array, column_or_1d

from treatise.optimize._partition_bound_loops import bound_over_states


class PartitionBound(NamedTuple):
    """log Z(theta) <= log_partition + d @ mean + d @ curvature @ d / 2 with d = theta - (where it was made)."""

    log_partition: float
    mean: np.ndarray
    curvature: np.ndarray


def log_partition_bound(theta, features, prior=None):
    r"""Quadratic upper bound on :math:`\log Z(\theta)=\log\sum_y h(y)e^{\theta^\top f(y)}`, tight at ``theta``.

    The mean is the gradient of log Z, and the curvature dominates the Hessian everywhere at once, so that a step to
    the minimum of the bound never raises log Z and needs no step size. Use it for models over few states; the
    curvature grows with the number of states and depends on their order (not for two). Costs O(n_states * d^2).

    Parameters
    ----------
    theta : array-like of shape (d,)
        Where the bound touches.
    features : array-like of shape (n_states, d)
        f(y), one row a state.
    prior : array-like of shape (n_states,) or None, default=None
        h(y), not negative; None gives every state the weight 1.

    Returns
    -------
    PartitionBound
        ``log_partition``, ``mean`` and ``curvature``.

    Examples
    --------
    Two states give the curvature of Jaakkola and Jordan, tanh(x / 2) / (2 x) with x the difference of the scores:

    >>> from treatise.optimize import log_partition_bound
    >>> bound = log_partition_bound([2.0], [[0.0], [1.0]])
    >>> bound.mean.round(4), bound.curvature.round(4)
    (array([0.8808]), array([[0.1904]]))

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, 2014, Algorithm 1 and Theorem 1.
    """
    theta = column_or_1d(np.asarray(theta, dtype=np.float64))
    features = check_array(features, dtype=np.float64, order="C", input_name="features")
    if features.shape[1] != len(theta):
        raise ValueError(f"features have {features.shape[1]} columns; theta has {len(theta)} entries, as many needed")
    scores = features @ theta + log_prior(prior, len(features))
    mean, factors = np.zeros(len(theta)), np.zeros_like(features)
    log_z = bound_over_states(scores, features, mean, factors)
    return PartitionBound(float(log_z), mean, factors.T @ factors)


def log_prior(prior, n_states):
    """Logarithms of the states' prior weights, checked; zeros for None."""
    if prior is None:
        return np.zeros(n_states)
    prior = column_or_1d(np.asarray(prior, dtype=np.float64))
    if len(prior) != n_states:
        raise ValueError(f"prior has {len(prior)} entries, but there are {n_states} states")
    if not np.all(np.isfinite(prior)) or prior.min() < 0.0 or prior.max() == 0.0:
        raise ValueError(
            f"prior ranges from {prior.min():g} to {prior.max():g}; weights from 0 on are needed, not all of them 0"
        )
    with np.errstate(divide="ignore"):
        return np.log(prior)
