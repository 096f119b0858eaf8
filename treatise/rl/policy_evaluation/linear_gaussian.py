"""Policy evaluation in linear worlds with quadratic features: exact by the fourth moments of normal variables."""

import numpy as np

from treatise.rl.policy_evaluation.objectives import EvaluationProblem, Moments
from treatise.rl.policy_evaluation.transitions import Transitions


class _Quadratics:
    """Functions x^T F x + c of a normal vector x of mean zero: their means of products are sums of traces."""

    def __init__(self, matrices, constants):
        self.matrices, self.constants = np.asarray(matrices), np.asarray(constants, dtype=np.float64)

    def means(self, covariance):
        return np.einsum("kij,ji->k", self.matrices, covariance) + self.constants

    def products(self, others, covariance):
        """E f g = 2 tr(F S G S) + E f E g, for every f here and every g of the others."""
        left, right = self.matrices @ covariance, others.matrices @ covariance
        traces = 2.0 * np.einsum("kij,lji->kl", left, right, optimize=True)
        return traces + np.outer(self.means(covariance), others.means(covariance))

    def placed(self, size, offset):
        """The same functions of a part of a longer vector."""
        n = self.matrices.shape[1]
        wide = np.zeros((len(self.matrices), size, size))
        wide[:, offset : offset + n, offset : offset + n] = self.matrices
        return _Quadratics(wide, self.constants)


class LinearGaussianEvaluation(EvaluationProblem):
    """A linear policy to be judged in a linear world, from its own steps or from those of a noisier one.

    Use it as :class:`FiniteEvaluation`, where states cannot be listed. Features are squares and products of the state's
    parts, each divided by its standard deviation in the long run.

    Parameters
    ----------
    world : LinearQuadratic
        The world.
    gain : array-like of shape (action_size, state_size) or None, default=None
        Of the policy a = gain s + noise; None takes the best.
    target_noise : float or array-like of shape (action_size,), default=0.0
        Variances of the noise of the policy to be judged.
    behaviour_noise : float or array-like or None, default=None
        Variances of the noise of the policy that acts; None is the same.
    features : {"squares", "products"}, default="squares"
        Squares of the state's parts, which cannot express the value, or all products of two parts, which can.
    constant : bool, default=False
        Whether there is a constant feature too; for "products" there always is.
    weights : {"behaviour", "target"}, default="behaviour"
        Whose states count in the long run.

    Attributes
    ----------
    gain : ndarray of shape (action_size, state_size)
        Of both policies.
    moments : Moments
        What the objectives are made of.
    discount : float
        Of the world.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import LinearGaussianEvaluation
    >>> from treatise.rl.environments import linear_cart_pole
    >>> problem = LinearGaussianEvaluation(linear_cart_pole())
    >>> round(float(np.sqrt(problem.objective(problem.solution("mspbe"), "mse"))), 2)
    2.63

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Sections 3.1.4 and 3.1.5.
    """

    def __init__(
        self, world, gain=None, target_noise=0.0, behaviour_noise=None, *, features="squares", constant=False,
        weights="behaviour",
    ):  # fmt: skip
        self.world, self.discount = world, world.discount
        self.gain, self.target_noise = world._policy(world.optimal_gain() if gain is None else gain, target_noise)
        self.behaviour_noise = self.target_noise
        if behaviour_noise is not None:
            self.behaviour_noise = world._policy(self.gain, behaviour_noise)[1]
        if ((self.behaviour_noise == 0.0) & (self.target_noise > 0.0)).any():
            raise ValueError("the behaviour policy has no noise where the target has some: it never does the same")
        if weights not in ("behaviour", "target"):
            raise ValueError(f"weights={weights!r}; take 'behaviour' or 'target'")
        counted = self.behaviour_noise if weights == "behaviour" else self.target_noise
        self.covariance = world.stationary_covariance(self.gain, counted)
        self._features = self._chosen(features, constant)
        spread = np.sqrt(
            np.diag(self._features.products(self._features, self.covariance))
            - np.square(self._features.means(self.covariance))
        )
        spread[spread == 0.0] = 1.0
        self._features = _Quadratics(
            self._features.matrices / spread[:, np.newaxis, np.newaxis], self._features.constants / spread
        )
        self.moments = self._moments()

    def _chosen(self, features, constant):
        n = self.world.state_size
        if features not in ("squares", "products"):
            raise ValueError(f"features={features!r}; take 'squares' or 'products'")
        pairs = [(i, i) for i in range(n)] if features == "squares" else [(i, j) for i in range(n) for j in range(i, n)]
        matrices = np.zeros((len(pairs), n, n))
        for place, (i, j) in enumerate(pairs):
            matrices[place, i, j] += 0.5
            matrices[place, j, i] += 0.5
        constants = np.zeros(len(pairs))
        if constant or features == "products":
            matrices, constants = np.concatenate([matrices, np.zeros((1, n, n))]), np.append(constants, 1.0)
        return _Quadratics(matrices, constants)

    def _moments(self):
        world, covariance, phi = self.world, self.covariance, self._features
        closed = world.A + world.B @ self.gain
        shaken = np.diag(world.noise) + world.B @ np.diag(self.target_noise) @ world.B.T
        after = _Quadratics(
            closed.T @ phi.matrices @ closed, phi.constants + np.einsum("kij,ji->k", phi.matrices, shaken)
        )
        earned = _Quadratics(
            [world.Q + self.gain.T @ world.R @ self.gain], [np.trace(world.R @ np.diag(self.target_noise))]
        )
        matrix, level = world.value(self.gain, self.target_noise)
        value = _Quadratics([matrix], [level])
        # A drawn step is a function of the state, the noise of the action and that of the world, all normal.
        n, k = world.state_size, world.action_size
        size = 2 * n + k
        joint = np.zeros((size, size))
        joint[:n, :n] = covariance
        joint[n : n + k, n : n + k] = np.diag(self.target_noise)
        joint[n + k :, n + k :] = np.diag(world.noise)
        reach = np.hstack([closed, world.B, np.eye(n)])
        acting = np.hstack([self.gain, np.eye(k), np.zeros((k, n))])
        drawn_after = _Quadratics(reach.T @ phi.matrices @ reach, phi.constants)
        drawn_earned = _Quadratics([np.pad(world.Q, (0, n + k)) + acting.T @ world.R @ acting], [0.0])
        return Moments(
            features=phi.products(phi, covariance), ahead=phi.products(after, covariance),
            mean_ahead=after.products(after, covariance), drawn_ahead=drawn_after.products(drawn_after, joint),
            rewards=phi.products(earned, covariance)[:, 0], mean_rewards_ahead=after.products(earned, covariance)[:, 0],
            drawn_rewards_ahead=drawn_after.products(drawn_earned, joint)[:, 0],
            mean_square=float(earned.products(earned, covariance)[0, 0]),
            drawn_square=float(drawn_earned.products(drawn_earned, joint)[0, 0]),
            values=phi.products(value, covariance)[:, 0], value_square=float(value.products(value, covariance)[0, 0]),
        )  # fmt: skip

    def features_of(self, states):
        """Features of some states.

        Parameters
        ----------
        states : array-like of shape (n, state_size)
            The states.

        Returns
        -------
        features : ndarray of shape (n, n_features)
        """
        states = np.asarray(states, dtype=np.float64)
        rows, columns = [np.array(index) for index in zip(*(self._place(matrix) for matrix in self._features.matrices))]
        scale = np.array(
            [matrix[i, j] * (1.0 if i == j else 2.0) for matrix, i, j in zip(self._features.matrices, rows, columns)]
        )
        return states[:, rows] * states[:, columns] * scale + self._features.constants

    @staticmethod
    def _place(matrix):
        return np.unravel_index(np.abs(np.triu(matrix)).argmax(), matrix.shape)

    def sample(self, n_steps, *, random_state=None):
        """A run of the policy that acts, from the world's start.

        Parameters
        ----------
        n_steps : int
            Steps.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.

        Returns
        -------
        transitions : Transitions
        """
        states, actions, rewards = self.world.run(self.gain, self.behaviour_noise, n_steps, random_state=random_state)
        features = self.features_of(states)
        surprise = np.square(actions - states[:-1] @ self.gain.T)
        noisy = self.behaviour_noise > 0.0
        acted, judged = self.behaviour_noise[noisy], self.target_noise[noisy]
        if (judged == 0.0).any():
            raise ValueError("the target has no noise where the behaviour has some: all ratios would be zero")
        logs = 0.5 * surprise[:, noisy] @ (1.0 / acted - 1.0 / judged) + 0.5 * np.log(acted / judged).sum()
        starts = np.zeros(n_steps, dtype=bool)
        starts[0] = True
        ends = np.zeros(n_steps, dtype=bool)
        return Transitions(features[:-1], rewards, features[1:], np.exp(logs), starts, ends)
