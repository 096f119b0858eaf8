"""Probability product kernel of linear dynamical systems (Jebara, Kondor & Howard, JMLR 5:819, section 4.5)."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.kernels.base import Prepared
from treatise.kernels.products._kalman_em import fitted_systems, rise_of_next_step
from treatise.kernels.products.base import ProbabilityProductKernel, check_not_negative, check_whole, observation_sets
from treatise.kernels.products.gaussian import GaussianProductKernel, Gaussians

_MOST_STEPS = 1000
"""Of which the covariances take the square."""
_SETTLED = 1e-2
"""Rise of the log-likelihood per number that a further step may still bring."""


@dataclass(frozen=True)
class LinearDynamicalSystem:
    """A hidden Gaussian state that moves linearly, seen linearly through noise (a Kalman filter's model).

    Parameters
    ----------
    mean, covariance : arrays of shapes (n_states,) and (n_states, n_states)
        Of the first state.
    A, Q : arrays of shape (n_states, n_states)
        Step of the state and covariance of its noise.
    C, R : arrays of shapes (n_dimensions, n_states) and (n_dimensions, n_dimensions)
        What is seen of the state and covariance of its noise.
    """

    mean: np.ndarray
    covariance: np.ndarray
    A: np.ndarray
    Q: np.ndarray
    C: np.ndarray
    R: np.ndarray

    def __post_init__(self):
        for name in ("mean", "covariance", "A", "Q", "C", "R"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), np.float64))
        K, D = len(self.mean), len(self.C)
        right = {"mean": (K,), "covariance": (K, K), "A": (K, K), "Q": (K, K), "C": (D, K), "R": (D, D)}
        if self.mean.ndim != 1:
            raise ValueError(f"mean has shape {self.mean.shape}; it must be one number for each state")
        for name, shape in right.items():
            if getattr(self, name).shape != shape:
                raise ValueError(
                    f"{name} has shape {getattr(self, name).shape}; {K} states seen in {D} dimensions need {shape}"
                )
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} holds NaN or infinity")

    def moments(self, n_steps):
        """Mean and covariance of the series x_0 .. x_T, of shapes (T+1, D) and (T+1, D, T+1, D).

        Parameters
        ----------
        n_steps : int
            T.

        Returns
        -------
        means, covariances : ndarray
        """
        D, state, spread = len(self.C), self.mean, self.covariance
        means, covariances = np.empty((n_steps + 1, D)), np.empty((n_steps + 1, D, n_steps + 1, D))
        for t in range(n_steps + 1):
            if t > 0:
                state, spread = self.A @ state, self.A @ spread @ self.A.T + self.Q
            means[t] = self.C @ state
            # Cov(x_u, x_t) = C A^(u-t) S_t C' for u > t: the joint covariance has no zero blocks.
            later = spread @ self.C.T
            covariances[t, :, t] = self.C @ later + self.R
            for u in range(t + 1, n_steps + 1):
                later = self.A @ later
                covariances[u, :, t] = self.C @ later
                covariances[t, :, u] = covariances[u, :, t].T
        return means, covariances


class LinearDynamicalProductKernel(ProbabilityProductKernel):
    """Kernel of linear dynamical systems, one fitted to each series of vectors.

    Use it for short multivariate series (movements, sensors) whose dynamics tell them apart, of equal or unequal
    length. Not for series that switch between regimes many times within their length, nor for one-off shapes at fixed
    times, where the raw values serve better. Centre the series first if their level does not matter: the model has no
    offset. Fitting costs ``max_iter * length * (states^3 + D^3)`` a series; a pair T D^3, or (T D)^3 with ``joint``.

    Parameters
    ----------
    n_states : int, default=2
        Dimensions of the hidden state.
    n_steps : int, default=9
        Transitions T over which systems are compared.
    rho : float, default=0.5
        Power of the densities.
    joint : bool, default=False
        Compare the joint Gaussians of whole series; else, as in the paper, the product over time of the Gaussians at
        each time, which leaves out how a series depends on its own past but through its spread.
    max_iter : int, default=50
        Steps of expectation-maximisation; a ConvergenceWarning tells where one more would still raise the
        log-likelihood of a series by more than a hundredth for each of its numbers.
    ridge : float, default=1e-3
        Least variance of the noises, in units of the mean square of each series.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import LinearDynamicalProductKernel
    >>> time = np.arange(30.0)[:, np.newaxis]
    >>> series = [np.cos(speed * time + [0.0, 1.5]) for speed in (0.3, 0.31, 1.2)]
    >>> gram = LinearDynamicalProductKernel(n_steps=5).normalized()(series)
    >>> bool(gram[0, 1] > gram[0, 2])
    True

    References
    ----------
    .. [1] Paper v05-0819, sections 4.5 and 8.3. The text calls the joint covariance block diagonal, which it is not.
    """

    def __init__(self, n_states=2, *, n_steps=9, rho=0.5, joint=False, max_iter=50, ridge=1e-3):
        self.n_states = n_states
        self.n_steps = n_steps
        self.rho = rho
        self.joint = joint
        self.max_iter = max_iter
        self.ridge = ridge

    def models(self, X):
        """Fit a system to every series; systems among the objects stay as they are.

        Parameters
        ----------
        X : list of arrays of shape (length, n_dimensions), or of LinearDynamicalSystem
            The objects.

        Returns
        -------
        models : list of LinearDynamicalSystem
        """
        self._check_parameters()
        X = list(X)
        found = [each if isinstance(each, LinearDynamicalSystem) else None for each in X]
        waiting = [i for i, model in enumerate(found) if model is None]
        series, rise = observation_sets([X[i] for i in waiting]) if waiting else [], 0.0
        for length in {len(each) for each in series}:
            if length < 3:
                raise ValueError(f"a series of length {length} is too short to fit a system to; give at least 3 times")
            chosen = [k for k, each in enumerate(series) if len(each) == length]
            Y = np.array([series[k] for k in chosen])
            # In units of each series, so that one ridge serves all scales.
            units = np.sqrt((Y**2).mean(axis=(1, 2))) + 1e-150
            Y = Y / units[:, np.newaxis, np.newaxis]
            systems = fitted_systems(Y, self.n_states, self.max_iter, self.ridge)
            rise = max(rise, float(rise_of_next_step(Y, systems, self.ridge).max()))
            for position, k in enumerate(chosen):
                mean, covariance, A, Q, C, R = (each[position] for each in systems)
                unit = units[position]
                found[waiting[k]] = LinearDynamicalSystem(mean, covariance, A, Q, unit * C, unit**2 * R)
        if rise > _SETTLED:
            warnings.warn(
                f"another step of expectation-maximisation after max_iter={self.max_iter} raises the log-likelihood of "
                f"a series by {rise:.2g} per number; raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found

    def prepare(self, X):
        models = self.models(X)
        if not models:
            raise ValueError("the list of objects is empty; give at least one")
        dimensions = {len(model.C) for model in models}
        if len(dimensions) > 1:
            raise ValueError(f"systems are seen in {sorted(dimensions)} dimensions; models are compared on one space")
        moments = [model.moments(self.n_steps) for model in models]
        means, covariances = np.array([mean for mean, _ in moments]), np.array([cov for _, cov in moments])
        if self.joint:
            n, size = len(models), means[0].size
            return Prepared(Gaussians(means.reshape(n, size), covariances.reshape(n, size, size)))
        return Prepared(*(Gaussians(means[:, t], covariances[:, t, :, t]) for t in range(self.n_steps + 1)))

    def log_block(self, A, B):
        kernel = GaussianProductKernel(rho=self.rho)
        return sum(kernel.log_block(a, b) for a, b in zip(_times(A), _times(B)))

    def log_diagonal(self, A):
        kernel = GaussianProductKernel(rho=self.rho)
        return sum(kernel.log_diagonal(each) for each in _times(A))

    def _check_parameters(self):
        self._check_rho()
        for name, least in (("n_states", 1), ("max_iter", 0)):
            check_whole(self, name, least)
        check_whole(self, "n_steps", 0, _MOST_STEPS)
        check_not_negative(self, "ridge")
        if self.ridge == 0:
            raise ValueError(f"ridge={self.ridge!r} must be positive, or a noise may vanish")


def _times(prepared):
    return (prepared.objects, *prepared.companions)
