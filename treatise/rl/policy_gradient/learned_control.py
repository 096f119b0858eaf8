"""How good a baseline or a value function is for gradient estimates, and which way it should change, from a run."""

import numpy as np
from scipy.signal import lfilter


def baseline_distance_gradient(trajectory, log_gradients, baseline, *, beta=0.95):
    """Half the gradient of the distance to the best baseline, by a baseline's own numbers (Algorithm 1).

    It vanishes at the best baseline: follow it downhill to learn that. Costs a pass over the run for each observation.

    Parameters
    ----------
    trajectory : Trajectory
        A run with observations (its states stand for them where it has none).
    log_gradients : array-like of shape (n_observations, n_actions, n_parameters)
        Those of the policy: ``policy.log_gradients(theta)``.
    baseline : array-like of shape (n_observations,)
        One number for each observation.
    beta : float, default=0.95
        Discount of the credit.

    Returns
    -------
    gradient : ndarray of shape (n_observations,)

    References
    ----------
    .. [1] Paper v05-1471, Theorem 20 and Algorithm 1.
    """
    seen, later = _seen(trajectory)
    baseline = np.asarray(baseline, dtype=np.float64)
    lengths = np.square(np.asarray(log_gradients)).sum(axis=2)[seen, trajectory.actions]
    surprise = baseline[seen] - beta * baseline[later] - trajectory.rewards
    gradient = np.empty(len(baseline))
    for y in range(len(baseline)):
        trace = lfilter([1.0], [1.0, -beta], np.where(seen == y, lengths, 0.0))
        gradient[y] = np.mean(surprise * trace)
    return gradient


def value_error_gradient(trajectory, log_gradients, value, features, *, beta=0.95, omega_over_t=0.001):
    """Half the gradient of a bound on the squared error of gradient estimates that use a value function (Algorithm 3).

    The bound is ``omega_over_t Var(g V) + |E[g (J - V)]|^2``: variance, and the bias of V not being the true value.
    Rewards must belong to the state reached.

    Parameters
    ----------
    trajectory : Trajectory
        A run.
    log_gradients : array-like of shape (n_observations, n_actions, n_parameters)
        Those of the policy.
    value : array-like of shape (n_features,)
        Weights of the value function.
    features : array-like of shape (n_states, n_features)
        Features of the states, in which the value function is linear.
    beta : float, default=0.95
        Discount.
    omega_over_t : float, default=0.001
        How much variance counts beside bias; 0 leaves bias alone.

    Returns
    -------
    gradient : ndarray of shape (n_features,)

    References
    ----------
    .. [1] Paper v05-1471, Theorem 21 and Algorithm 3.
    """
    features, value = np.asarray(features, dtype=np.float64), np.asarray(value, dtype=np.float64)
    seen, _ = _seen(trajectory)
    # The value of the state after next is needed: the last step has none.
    g = np.asarray(log_gradients)[seen, trajectory.actions][:-1]
    reached, after = trajectory.next_states[:-1], trajectory.next_states[1:]
    values, slopes = features @ value, features[reached]
    z = lfilter([1.0], [1.0, -beta], g, axis=0)
    error = trajectory.rewards[:-1] + beta * values[after] - values[reached]
    n = len(g)
    lengths = np.square(g).sum(axis=1)
    variance = (lengths * values[reached]) @ slopes / n
    mean = values[reached] @ g / n
    bias = error @ z / n
    cross = g.T @ slopes / n
    return omega_over_t * (variance - mean @ cross) - bias @ cross


def _seen(trajectory):
    if trajectory.observations is None:
        return trajectory.states, trajectory.next_states
    return trajectory.observations, trajectory.next_observations
