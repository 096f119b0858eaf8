"""Linear dynamical systems fitted by expectation-maximisation (Shumway & Stoffer), many series of one length at once.

A system is the tuple (mean, covariance, A, Q, C, R) of the paper's section 4.5, every array with one entry per series.
"""

import numpy as np


def initial_systems(Y, n_states):
    """Systems from the principal components of each series, and least squares on their steps."""
    n, length, D = Y.shape
    left, lengths, right = np.linalg.svd(Y, full_matrices=False)
    kept = min(n_states, lengths.shape[1])
    C = np.zeros((n, D, n_states))
    C[:, :, :kept] = np.swapaxes(right[:, :kept], 1, 2)
    states = np.zeros((n, length, n_states))
    states[:, :, :kept] = left[:, :, :kept] * lengths[:, np.newaxis, :kept]
    level = (Y**2).mean(axis=(1, 2))[:, np.newaxis, np.newaxis] + 1e-12
    eye = np.eye(n_states)
    past, future = states[:, :-1], states[:, 1:]
    gram = np.swapaxes(past, 1, 2) @ past + 1e-3 * length * level * eye
    A = np.swapaxes(np.linalg.solve(gram, np.swapaxes(past, 1, 2) @ future), 1, 2)
    steps = future - past @ np.swapaxes(A, 1, 2)
    Q = np.swapaxes(steps, 1, 2) @ steps / (length - 1) + 0.1 * level * eye
    R = 0.1 * level * np.eye(D)
    return (
        states[:, 0].copy(),
        level * np.broadcast_to(eye, (n, n_states, n_states)),
        A,
        Q,
        C,
        np.broadcast_to(R, (n, D, D)),
    )


def smoothed(Y, systems):
    """Kalman filter and smoother: state means, covariances, lag-one covariances, log-likelihood of each series."""
    mean, covariance, A, Q, C, R = systems
    n, length, D = Y.shape
    K = mean.shape[1]
    means, covariances = np.empty((n, length, K)), np.empty((n, length, K, K))
    ahead_means, ahead = np.empty_like(means), np.empty_like(covariances)
    likelihood = np.full(n, -0.5 * length * D * np.log(2 * np.pi))
    Ct = np.swapaxes(C, 1, 2)
    for t in range(length):
        if t == 0:
            ahead_means[:, 0], ahead[:, 0] = mean, covariance
        else:
            ahead_means[:, t] = _apply(A, means[:, t - 1])
            ahead[:, t] = A @ covariances[:, t - 1] @ np.swapaxes(A, 1, 2) + Q
        surprise = Y[:, t] - _apply(C, ahead_means[:, t])
        S = C @ ahead[:, t] @ Ct + R
        whitened = np.linalg.solve(S, np.concatenate((surprise[..., np.newaxis], C @ ahead[:, t]), axis=2))
        likelihood -= 0.5 * (np.linalg.slogdet(S)[1] + np.einsum("nd,nd->n", surprise, whitened[:, :, 0]))
        cross = ahead[:, t] @ Ct
        means[:, t] = ahead_means[:, t] + _apply(cross, whitened[:, :, 0])
        covariances[:, t] = _symmetric(ahead[:, t] - cross @ whitened[:, :, 1:])
    lagged = np.empty((n, length - 1, K, K))
    for t in range(length - 2, -1, -1):
        gain = np.swapaxes(np.linalg.solve(ahead[:, t + 1], A @ covariances[:, t]), 1, 2)
        # Cov(s_{t+1}, s_t | all) = smoothed covariance of s_{t+1} times the gain's transpose.
        lagged[:, t] = covariances[:, t + 1] @ np.swapaxes(gain, 1, 2)
        means[:, t] += _apply(gain, means[:, t + 1] - ahead_means[:, t + 1])
        change = covariances[:, t + 1] - ahead[:, t + 1]
        covariances[:, t] = _symmetric(covariances[:, t] + gain @ change @ np.swapaxes(gain, 1, 2))
    return means, covariances, lagged, likelihood


def fitted_systems(Y, n_states, max_iter, ridge, shared=False):
    """Systems after ``max_iter`` steps of expectation-maximisation; one for all series where ``shared``.

    ``ridge`` is the least variance of every noise: added to Q, R and the first covariance after each step.
    """
    systems = initial_systems(Y, n_states)
    if shared:
        systems = _shared(systems, len(Y))
    for _ in range(max_iter):
        systems = _maximised(Y, *smoothed(Y, systems)[:3], ridge, shared)
    return systems


def rise_of_next_step(Y, systems, ridge):
    """What one more step would add to the log-likelihood of each series, per number observed."""
    *states, likelihood = smoothed(Y, systems)
    return (smoothed(Y, _maximised(Y, *states, ridge, False))[3] - likelihood) / (Y.shape[1] * Y.shape[2])


def _maximised(Y, means, covariances, lagged, ridge, shared):
    n, length, D = Y.shape
    Yt = np.swapaxes(Y, 1, 2)
    squares = covariances + means[..., :, np.newaxis] * means[..., np.newaxis, :]
    moved = lagged.sum(axis=1) + np.swapaxes(means[:, 1:], 1, 2) @ means[:, :-1]
    past, future, everything = squares[:, :-1].sum(axis=1), squares[:, 1:].sum(axis=1), squares.sum(axis=1)
    shown, power = Yt @ means, Yt @ Y
    mean, first = means[:, 0], squares[:, 0]
    count = 1
    if shared:
        count = n
        moved, past, future, everything, shown, power, mean, first = (
            np.broadcast_to(each.sum(axis=0), each.shape)
            for each in (moved, past, future, everything, shown, power, mean / n, first / n)
        )
    A = np.swapaxes(np.linalg.solve(past, np.swapaxes(moved, 1, 2)), 1, 2)
    C = np.swapaxes(np.linalg.solve(everything, np.swapaxes(shown, 1, 2)), 1, 2)
    states, dimensions = np.eye(A.shape[1]), np.eye(D)
    Q = _symmetric(future - A @ np.swapaxes(moved, 1, 2)) / (count * (length - 1)) + ridge * states
    R = _symmetric(power - C @ np.swapaxes(shown, 1, 2)) / (count * length) + ridge * dimensions
    covariance = _symmetric(first - mean[:, :, np.newaxis] * mean[:, np.newaxis]) + ridge * states
    return mean, covariance, A, Q, C, R


def _shared(systems, n):
    # Any one series' system is in the coordinates of its own components; the first one's serves as a start for all.
    return tuple(np.broadcast_to(each[0], each.shape) for each in systems)


def _apply(matrices, vectors):
    return (matrices @ vectors[..., np.newaxis])[..., 0]


def _symmetric(matrices):
    return (matrices + np.swapaxes(matrices, 1, 2)) / 2
