"""The errors that methods of policy evaluation minimise, from moments of the features (JMLR 15:809, Section 2.1).

With V = phi theta, T V = r + gamma V' and the projection Pi on the features: the mean squared error (mse), Bellman
error (msbe), projected Bellman error (mspbe), temporal difference (mstde) and norm of the expected update (neu).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

OBJECTIVES = ("mse", "msbe", "mspbe", "mstde", "neu")


@dataclass(frozen=True)
class Moments:
    """Expectations over states and steps, of which every objective is made.

    A mean successor is the mean over the steps from one state; a drawn one varies with the step.

    Attributes
    ----------
    features : ndarray of shape (n_features, n_features)
        E phi phi^T.
    ahead : ndarray of shape (n_features, n_features)
        E phi phi'^T.
    mean_ahead, drawn_ahead : ndarray of shape (n_features, n_features)
        E phi' phi'^T of mean and of drawn successors.
    rewards, mean_rewards_ahead, drawn_rewards_ahead : ndarray of shape (n_features,)
        E phi r, and E phi' r of mean and of drawn steps.
    mean_square, drawn_square : float
        E r^2 of mean and of drawn rewards.
    values : ndarray of shape (n_features,)
        E phi V.
    value_square : float
        E V^2.
    """

    features: np.ndarray
    ahead: np.ndarray
    mean_ahead: np.ndarray
    drawn_ahead: np.ndarray
    rewards: np.ndarray
    mean_rewards_ahead: np.ndarray
    drawn_rewards_ahead: np.ndarray
    mean_square: float
    drawn_square: float
    values: np.ndarray
    value_square: float


class EvaluationProblem(ABC):
    """A policy to be judged with given features in a known world: the objectives, their minima, and runs to learn from.

    Attributes
    ----------
    moments : Moments
        What the objectives are made of.
    discount : float
        What a reward is worth one step later.
    n_features : int
        Number of features.
    """

    moments: Moments
    discount: float

    @property
    def n_features(self):
        """Number of features."""
        return len(self.moments.rewards)

    @abstractmethod
    def sample(self, n_steps, *, random_state=None):
        """A run of the policy that acts, as :class:`Transitions`."""

    def _quadratic(self, name):
        """The matrix Q, vector q and constant of theta^T Q theta - 2 q^T theta + constant."""
        m, gamma = self.moments, self.discount
        if name == "mse":
            return m.features, m.values, m.value_square
        drawn = name == "mstde"
        ahead = m.drawn_ahead if drawn else m.mean_ahead
        right = m.rewards - gamma * (m.drawn_rewards_ahead if drawn else m.mean_rewards_ahead)
        matrix = m.features - gamma * (m.ahead + m.ahead.T) + gamma**2 * ahead
        return matrix, right, m.drawn_square if drawn else m.mean_square

    def _system(self):
        """A and b of the fixed point A theta = b, and the inverse of E phi phi^T where it has one."""
        m = self.moments
        return m.features - self.discount * m.ahead, m.rewards, np.linalg.pinv(m.features, hermitian=True)

    def objective(self, coef, name="mspbe"):
        """One of the objectives.

        Parameters
        ----------
        coef : array-like of shape (n_features,) or (n_estimates, n_features)
            Coefficients, of one estimate or of many (as an estimator's ``path_``).
        name : {"mse", "msbe", "mspbe", "mstde", "neu"}, default="mspbe"
            Which.

        Returns
        -------
        error : float or ndarray of shape (n_estimates,)
        """
        _known(name)
        coef = np.asarray(coef, dtype=np.float64)
        if name in ("mspbe", "neu"):
            matrix, right, inverse = self._system()
            update = right - coef @ matrix.T
            metric = inverse if name == "mspbe" else np.eye(len(right))
            error = np.einsum("...i,ij,...j->...", update, metric, update)
        else:
            matrix, right, constant = self._quadratic(name)
            error = np.einsum("...i,ij,...j->...", coef, matrix, coef) - 2.0 * coef @ right + constant
        error = np.maximum(error, 0.0)  # rounding may leave a trace below zero
        return float(error) if coef.ndim == 1 else error

    def objectives(self, coef):
        """All objectives of one estimate, by name.

        Parameters
        ----------
        coef : array-like of shape (n_features,)
            Coefficients.

        Returns
        -------
        errors : dict of float
        """
        return {name: self.objective(coef, name) for name in OBJECTIVES}

    def gradient(self, coef, name="mspbe"):
        """The gradient of an objective.

        Parameters
        ----------
        coef : array-like of shape (n_features,)
            Coefficients.
        name : {"mse", "msbe", "mspbe", "mstde", "neu"}, default="mspbe"
            Which.

        Returns
        -------
        gradient : ndarray of shape (n_features,)
        """
        _known(name)
        if name in ("mspbe", "neu"):
            matrix, right, inverse = self._system()
            update = right - matrix @ coef
            return -2.0 * matrix.T @ (inverse @ update if name == "mspbe" else update)
        matrix, right, _ = self._quadratic(name)
        return 2.0 * (matrix @ coef - right)

    def solution(self, name="mspbe"):
        """Coefficients at which an objective is least; of several the shortest.

        Parameters
        ----------
        name : {"mse", "msbe", "mspbe", "mstde", "neu"}, default="mspbe"
            Which.

        Returns
        -------
        coef : ndarray of shape (n_features,)
        """
        _known(name)
        matrix, right = (self._system() if name in ("mspbe", "neu") else self._quadratic(name))[:2]
        return np.linalg.lstsq(matrix, right, rcond=1e-12)[0]


def _known(name):
    if name not in OBJECTIVES:
        raise ValueError(f"no objective is called {name!r}; take one of {', '.join(OBJECTIVES)}")
