"""Systems that switch between linear dynamics, and their kernel by sampled switches (JMLR 5:819, section 5.1).

Each time has a regime, a Markov chain; each regime its own linear step with Gaussian noise. The state is taken to be
seen as it is, so that expectation-maximisation is exact. Arrays have one entry per model first.
"""

from typing import NamedTuple

import numpy as np

from treatise.kernels import GaussianProductKernel, Gaussians


class SwitchingSystems(NamedTuple):
    """Start and moves of the regimes, mean and covariance of the first state, steps and covariances of each regime."""

    start: np.ndarray
    moves: np.ndarray
    centre: np.ndarray
    spread: np.ndarray
    steps: np.ndarray
    noises: np.ndarray


def fitted_switching(Y: np.ndarray, n_regimes: int, max_iter: int, *, ridge: float = 1.0) -> SwitchingSystems:
    """Fit models to series by expectation-maximisation.

    Parameters
    ----------
    Y : ndarray of shape (n_models, n_series, length, n_dimensions)
        The series of each model.
    n_regimes, max_iter : int
        Regimes of each model, and rounds from random shares of the regimes.
    ridge : float, default=1.0
        Of the mean square of a model's series, what is added to second moments, once for each regime.
    """
    m, r, length, D = Y.shape
    prior = ridge * (Y**2).mean(axis=(1, 2, 3))[:, None, None, None] * np.eye(D)
    generator = np.random.default_rng(0)
    shares = generator.dirichlet(np.ones(n_regimes), (m, r, length))
    pairs = np.ones((m, n_regimes, n_regimes))
    for _ in range(max_iter):
        systems = _maximised(Y, shares, pairs, prior)
        shares, pairs, _ = _expected(Y, systems)
    return _maximised(Y, shares, pairs, prior)


def log_likelihoods(Y: np.ndarray, systems: SwitchingSystems) -> np.ndarray:
    """Of each series under its model, an array of shape (n_models, n_series)."""
    return _expected(Y, systems)[2]


def _maximised(Y: np.ndarray, shares: np.ndarray, pairs: np.ndarray, prior: np.ndarray) -> SwitchingSystems:
    """The models of largest likelihood, with priors, for given shares of the regimes in every time."""
    past, future, weights = Y[:, :, :-1], Y[:, :, 1:], shares[:, :, 1:]
    gram = np.einsum("mrtk,mrtd,mrte->mkde", weights, past, past) + prior
    cross = np.einsum("mrtk,mrtd,mrte->mkde", weights, future, past)
    steps = np.swapaxes(np.linalg.solve(gram, np.swapaxes(cross, 2, 3)), 2, 3)
    rest = future[:, :, :, None] - np.einsum("mkde,mrte->mrtkd", steps, past)
    count = weights.sum(axis=(1, 2))[..., None, None] + 1.0
    noises = (np.einsum("mrtk,mrtkd,mrtke->mkde", weights, rest, rest) + prior) / count
    first = Y[:, :, 0]
    centre = first.mean(axis=1)
    away = first - centre[:, None]
    spread = np.einsum("mrd,mre->mde", away, away) / Y.shape[1] + prior[:, 0]
    start, moves = shares[:, :, 0].sum(axis=1) + 1.0, pairs + 1.0
    return SwitchingSystems(
        start / start.sum(axis=1, keepdims=True),
        moves / moves.sum(axis=2, keepdims=True),
        centre,
        spread,
        steps,
        noises,
    )


def _expected(Y: np.ndarray, systems: SwitchingSystems) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of the regimes in every time, expected numbers of their moves, log-likelihoods: forward and backward."""
    past, future = Y[:, :, :-1], Y[:, :, 1:]
    rest = future[:, :, :, None] - np.einsum("mkde,mrte->mrtkd", systems.steps, past)
    shown = _log_density(rest, systems.noises[:, None, None])
    first = _log_density(Y[:, :, 0] - systems.centre[:, None], systems.spread[:, None])
    top = shown.max(axis=3, keepdims=True)
    seen = np.exp(shown - top)
    length = Y.shape[2]
    forward = np.empty((*Y.shape[:3], systems.start.shape[1]))
    forward[:, :, 0] = systems.start[:, None]
    scales = np.empty((*Y.shape[:2], length - 1))
    for t in range(1, length):
        ahead = np.einsum("mrj,mjk->mrk", forward[:, :, t - 1], systems.moves) * seen[:, :, t - 1]
        scales[:, :, t - 1] = ahead.sum(axis=2)
        forward[:, :, t] = ahead / scales[:, :, t - 1, None]
    backward, pairs = np.ones_like(forward[:, :, 0]), np.zeros_like(systems.moves)
    shares = forward.copy()
    for t in range(length - 1, 0, -1):
        after = seen[:, :, t - 1] * backward / scales[:, :, t - 1, None]
        pairs += np.einsum("mrj,mjk,mrk->mjk", forward[:, :, t - 1], systems.moves, after)
        backward = np.einsum("mjk,mrk->mrj", systems.moves, after)
        shares[:, :, t - 1] = forward[:, :, t - 1] * backward
    return shares, pairs, first + np.log(scales).sum(axis=2) + top[..., 0].sum(axis=2)


def _log_density(rest: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    far = np.einsum("...d,...de,...e->...", rest, np.linalg.inv(covariances), rest)
    return -0.5 * (far + np.linalg.slogdet(covariances)[1] + rest.shape[-1] * np.log(2 * np.pi))


def sampled_moments(
    systems: SwitchingSystems, n_samples: int, n_steps: int, random_state: int
) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances at every time for sampled switches: shapes (n_models, n_samples, n_steps + 1, D[, D])."""
    generator = np.random.default_rng(random_state)
    m, D = systems.centre.shape
    means, covariances = np.empty((m, n_samples, n_steps + 1, D)), np.empty((m, n_samples, n_steps + 1, D, D))
    means[:, :, 0], covariances[:, :, 0] = systems.centre[:, None], systems.spread[:, None]
    chances = np.repeat(systems.start[:, None], n_samples, axis=1)
    model = np.arange(m)[:, None]
    for t in range(n_steps + 1):
        below = generator.random((m, n_samples, 1)) > np.cumsum(chances, axis=2)
        regime = np.minimum(below.sum(axis=2), chances.shape[2] - 1)
        chances = systems.moves[model, regime]
        if t > 0:
            step = systems.steps[model, regime]
            means[:, :, t] = np.einsum("mnde,mne->mnd", step, means[:, :, t - 1])
            turned = step @ covariances[:, :, t - 1] @ np.swapaxes(step, 2, 3)
            covariances[:, :, t] = turned + systems.noises[model, regime]
    return means, covariances


def switching_gram(systems: SwitchingSystems, n_samples: int, n_steps: int, rho: float) -> np.ndarray:
    """Normalised Gram matrix: the mean, over pairs of sampled switches, of kernels between the systems that result."""
    means, covariances = sampled_moments(systems, n_samples, n_steps, random_state=0)
    m, D, times = len(means), means.shape[3], range(n_steps + 1)
    everything = [Gaussians(means[:, :, t].reshape(-1, D), covariances[:, :, t].reshape(-1, D, D)) for t in times]
    kernel, gram = GaussianProductKernel(rho=rho), np.empty((m, m))
    for i in range(m):
        own = [Gaussians(means[i, :, t], covariances[i, :, t]) for t in times]
        logs = np.sum([kernel.log_block(a, b) for a, b in zip(own, everything)], axis=0)
        gram[i] = np.logaddexp.reduce(logs.reshape(n_samples, m, n_samples), axis=(0, 2))
    diagonal = np.diagonal(gram).copy()
    return np.exp(gram - 0.5 * (diagonal[:, None] + diagonal))
