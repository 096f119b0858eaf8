"""Policies with parameters: probabilities of actions, and how they change with the parameters."""

from abc import ABC, abstractmethod

import numpy as np


class ParameterizedPolicy(ABC):
    """A policy whose actions are drawn by weights of a linear function of features.

    Parameters
    ----------
    n_actions : int
        Number of actions.
    features : array-like of shape (n_observations, n_features) or None, default=None
        Features of each observation; None makes an indicator of each, given their number at use. Worlds whose states
        are vectors bring their own.
    """

    def __init__(self, n_actions, features=None):
        if n_actions < 1:
            raise ValueError(f"n_actions={n_actions!r}: a policy has at least one action")
        self.n_actions = int(n_actions)
        self.features = None if features is None else np.atleast_2d(np.asarray(features, dtype=np.float64))
        if self.features is not None and not np.isfinite(self.features).all():
            raise ValueError("features hold NaN or infinity")

    @abstractmethod
    def weights_at(self, scores):
        """Probabilities of the actions, and the derivative of each one's log weight by its own score."""

    def probabilities(self, theta, features=None):
        """Probabilities of the actions.

        Parameters
        ----------
        theta : array-like of shape (n_actions * n_features,)
            Parameters, those of the first action first.
        features : array-like of shape (n, n_features) or None, default=None
            Features; None takes those of the observations.

        Returns
        -------
        probabilities : ndarray of shape (n, n_actions)
        """
        V, W = self._shaped(theta, features)
        return self.weights_at(V @ W.T)[0]

    def log_gradients(self, theta, features=None):
        """Gradients of the logarithms of the probabilities, the paper's grad mu / mu.

        An action of probability zero has a gradient of finite length here, and is never drawn.

        Parameters
        ----------
        theta : array-like of shape (n_actions * n_features,)
            Parameters.
        features : array-like of shape (n, n_features) or None, default=None
            Features; None takes those of the observations.

        Returns
        -------
        gradients : ndarray of shape (n, n_actions, n_actions * n_features)
        """
        V, W = self._shaped(theta, features)
        probabilities, slopes = self.weights_at(V @ W.T)
        # d log mu_u / d score_i = slope_i ([u = i] - mu_i), and d score_i / d theta_i = v.
        inner = slopes[:, None, :] * (np.eye(self.n_actions)[None] - probabilities[:, None, :])
        return (inner[..., None] * V[:, None, None, :]).reshape(len(V), self.n_actions, -1)

    def size(self, n_observations=None):
        """Number of parameters.

        Parameters
        ----------
        n_observations : int or None, default=None
            Number of observations, where the policy has no features of its own.

        Returns
        -------
        size : int
        """
        return self.n_actions * (n_observations if self.features is None else self.features.shape[1])

    def _shaped(self, theta, features):
        theta = np.asarray(theta, dtype=np.float64)
        V = self.features if features is None else np.atleast_2d(np.asarray(features, dtype=np.float64))
        if V is None:
            V = np.eye(theta.size // self.n_actions)
        if theta.shape != (self.n_actions * V.shape[1],):
            raise ValueError(
                f"theta has the shape {theta.shape}; {self.n_actions} actions with {V.shape[1]} features have "
                f"{self.n_actions * V.shape[1]} parameters"
            )
        if not np.isfinite(theta).all():
            raise ValueError("theta holds NaN or infinity")
        return V, theta.reshape(self.n_actions, -1)


class SoftmaxPolicy(ParameterizedPolicy):
    """Actions drawn in proportion to the exponential of a linear function of features.

    Parameters
    ----------
    n_actions : int
        Number of actions.
    features : array-like of shape (n_observations, n_features) or None, default=None
        Features of each observation; None makes an indicator of each.

    Examples
    --------
    >>> from treatise.rl import SoftmaxPolicy
    >>> SoftmaxPolicy(2, [[1.0]]).probabilities([1.0, -1.0]).round(3)
    array([[0.881, 0.119]])
    """

    def weights_at(self, scores):
        """Probabilities, and slopes of one."""
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True), np.ones_like(scores)


class SquashedPolicy(ParameterizedPolicy):
    """Actions drawn in proportion to a squashed linear function of features, ``(1 + tanh) / 2``.

    The policy of the paper's puck: no weight can exceed another one by more than its own distance from one.

    Parameters
    ----------
    n_actions : int
        Number of actions.
    features : array-like of shape (n_observations, n_features) or None, default=None
        Features of each observation; None makes an indicator of each.

    Examples
    --------
    >>> from treatise.rl import SquashedPolicy
    >>> SquashedPolicy(2, [[1.0]]).probabilities([1.0, -1.0]).round(3)
    array([[0.881, 0.119]])
    """

    def weights_at(self, scores):
        """Probabilities, and the slopes 1 - tanh; both without loss of digits where tanh is near -1."""
        weights = 1.0 / (1.0 + np.exp(np.clip(-2.0 * scores, None, 700.0)))
        return weights / weights.sum(axis=1, keepdims=True), 2.0 / (1.0 + np.exp(np.clip(2.0 * scores, None, 700.0)))
