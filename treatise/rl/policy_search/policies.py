"""Policies for worlds whose states are vectors: actions, and how likely they are under many parameters at once."""

from abc import ABC, abstractmethod

import numpy as np

from treatise.rl.policy_search import _loops as loops


class ControlPolicy(ABC):
    """A policy with parameters, linear in terms of the state.

    Attributes
    ----------
    size : int
        Number of parameters.
    n_actions : int or None
        Number of actions, counted from 0; None where an action is a vector.
    action_size : int or None
        Length of an action that is a vector.
    stochastic : bool
        Whether every action is possible in every state, so that the behaviour of two policies can be compared.
    """

    n_actions: int | None = None
    action_size: int | None = None
    stochastic = True
    _kind: int
    _shape: tuple[int, int]
    """Heads and choices."""
    _deviation = 1.0

    def __init__(self, terms):
        self.terms = terms

    @property
    def size(self):
        """Number of parameters."""
        return self._shape[0] * self._shape[1] * self.terms.n_terms

    @abstractmethod
    def draws(self, rng, n_steps):
        """The chance behind the actions of an episode.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source.
        n_steps : int
            Steps.

        Returns
        -------
        draws : ndarray of shape (n_steps, n_heads)
        """

    @abstractmethod
    def log_likelihoods(self, thetas, features, actions, bounds):
        """Log probability of the actions of episodes under each of many parameter vectors, up to a constant.

        Parameters
        ----------
        thetas : array-like of shape (n, size)
            Parameters.
        features : ndarray of shape (n_steps, n_terms)
            Terms of the states.
        actions : ndarray of shape (n_steps,) or (n_steps, action_size)
            What was done.
        bounds : ndarray of int of shape (n_episodes + 1,)
            Where each episode begins, and the number of steps.

        Returns
        -------
        log_likelihoods : ndarray of shape (n, n_episodes)
        """

    def weights(self, thetas):
        """Parameters by head, choice and term.

        Parameters
        ----------
        thetas : array-like of shape (..., size)
            Parameters.

        Returns
        -------
        weights : ndarray of shape (..., n_heads, n_choices, n_terms)
        """
        thetas = np.asarray(thetas, dtype=np.float64)
        if thetas.shape[-1:] != (self.size,):
            raise ValueError(f"theta has the shape {thetas.shape}; this policy has {self.size} parameters")
        if not np.isfinite(thetas).all():
            raise ValueError("theta holds NaN or infinity")
        return np.ascontiguousarray(thetas.reshape(*thetas.shape[:-1], *self._shape, self.terms.n_terms))

    def act(self, theta, state, draw):
        """An action.

        Parameters
        ----------
        theta : array-like of shape (size,)
            Parameters.
        state : array-like of shape (state_size,)
            Where.
        draw : ndarray of shape (n_heads,)
            A row of :meth:`draws`.

        Returns
        -------
        action : int or ndarray of shape (action_size,)
        """
        action = np.empty(self._shape[0])
        number = loops.one_choice(
            self._kind, self.weights(theta), self._deviation, self.terms(state)[0], np.asarray(draw), action
        )
        return action if self.n_actions is None else int(number)


class SoftmaxControl(ControlPolicy):
    """Numbered actions, drawn in proportion to the exponential of a linear function of terms of the state.

    Several heads choose at once, each for itself: their choices are the digits of the action's number.

    Parameters
    ----------
    n_choices : int
        Choices of a head.
    terms : StateTerms
        Features of a state.
    n_heads : int, default=1
        Heads; there are ``n_choices ** n_heads`` actions.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import SoftmaxControl, StateTerms
    >>> policy = SoftmaxControl(2, StateTerms(1))
    >>> policy.size, policy.act([0.0, 5.0], [1.0], [0.5])
    (2, 1)

    References
    ----------
    .. [1] Paper v15-0253, section 5.1; the three controllers of the arm in section 5.5 are heads.
    """

    _kind = loops.SOFTMAX

    def __init__(self, n_choices, terms, *, n_heads=1):
        if n_choices < 2 or n_heads < 1:
            raise ValueError(f"n_choices={n_choices!r}, n_heads={n_heads!r}: give at least 2 choices and 1 head")
        super().__init__(terms)
        self._shape = int(n_heads), int(n_choices)
        self.n_actions = int(n_choices) ** int(n_heads)

    def draws(self, rng, n_steps):
        """Uniform numbers."""
        return rng.random((n_steps, self._shape[0]))

    def log_likelihoods(self, thetas, features, actions, bounds):
        """Log probability of the actions of episodes under each of many parameter vectors."""
        weights = self.weights(np.atleast_2d(thetas))
        heads, choices = self._shape
        out = np.zeros((len(bounds) - 1, len(weights)))
        digits = np.asarray(actions, dtype=np.int64)
        for head in range(heads):
            chosen = digits // choices ** (heads - 1 - head) % choices
            by_choice = weights[:, head].transpose(1, 2, 0)
            others = [[c for c in range(choices) if c != a] for a in range(choices)]
            gaps = np.ascontiguousarray(by_choice[others] - by_choice[:, np.newaxis])
            loops.softmax_log_likelihoods(gaps, features, chosen, bounds, out)
        return out.T


class GaussianControl(ControlPolicy):
    """Actions that are vectors: a linear function of terms of the state, and normal noise.

    Parameters
    ----------
    action_size : int
        Length of an action.
    terms : StateTerms
        Features of a state.
    deviation : float, default=0.1
        Of the noise. With 0 the policy is deterministic, and behaviours cannot be compared.

    Examples
    --------
    >>> from treatise.rl import GaussianControl, StateTerms
    >>> GaussianControl(1, StateTerms(2)).act([1.0, 2.0], [3.0, 4.0], [0.5])
    array([11.05])

    References
    ----------
    .. [1] Paper v15-0253, section 5.1, the policy of the cart-pole.
    """

    _kind = loops.GAUSSIAN

    def __init__(self, action_size, terms, *, deviation=0.1):
        if action_size < 1 or not deviation >= 0.0:
            raise ValueError(f"action_size={action_size!r}, deviation={deviation!r}: give at least 1, and 0 or more")
        super().__init__(terms)
        self._shape = int(action_size), 1
        self.action_size, self._deviation = int(action_size), float(deviation)
        self.stochastic = deviation > 0.0

    def draws(self, rng, n_steps):
        """Standard normal numbers."""
        return rng.standard_normal((n_steps, self._shape[0]))

    def log_likelihoods(self, thetas, features, actions, bounds):
        """Log density of the actions of episodes under each of many parameter vectors, without its constant."""
        weights = self.weights(np.atleast_2d(thetas)) / self._deviation
        actions = np.asarray(actions, dtype=np.float64).reshape(len(features), -1) / self._deviation
        out = np.zeros((len(bounds) - 1, len(weights)))
        for head in range(self._shape[0]):
            of_head = np.ascontiguousarray(weights[:, head, 0].T), features, np.ascontiguousarray(actions[:, head])
            loops.gaussian_log_likelihoods(*of_head, bounds, out)
        return out.T
