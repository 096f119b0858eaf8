"""Linear worlds with quadratic rewards and normal noise: a cart with a pole, and pendulums of many links."""

import numpy as np
from scipy.linalg import solve_discrete_lyapunov

from treatise._core.jit import compiled
from treatise.rl.environments.base import Environment
from treatise.rl.processes.mdp import generator


@compiled
def _linear_walk(A, gain, B, shaking, deviations, state, states, actions, action_noise, state_noise):
    """One run of actions gain s + noise; both arrays of noise are standard normal."""
    for t in range(len(actions)):
        states[t] = state
        actions[t] = gain @ state + deviations * action_noise[t]
        state = A @ state + B @ actions[t] + shaking @ state_noise[t]
    states[len(actions)] = state


class LinearQuadratic(Environment):
    """A world s' = A s + B a + noise that rewards s^T Q s + a^T R a.

    Use it where exact values are wanted in a continuous world: values are quadratic, and a linear policy is the best.

    Parameters
    ----------
    A : array-like of shape (state_size, state_size)
        Where a state goes by itself.
    B : array-like of shape (state_size, action_size)
        What actions add.
    Q, R : array-like of shape (state_size, state_size) and (action_size, action_size)
        Rewards of states and of actions; negative definite ones are costs.
    noise : array-like of shape (state_size,), default=0.0
        Variance of the noise of each part of the state.
    discount : float, default=0.95
        What a reward is worth one step later.
    start : array-like of shape (state_size,) or None, default=None
        The first state; None is zero.

    Examples
    --------
    >>> from treatise.rl.environments import LinearQuadratic
    >>> world = LinearQuadratic([[1.0, 0.1], [0.0, 1.0]], [[0.0], [0.1]], [[-1.0, 0.0], [0.0, 0.0]], [[-0.1]])
    >>> world.optimal_gain().round(2)
    array([[-2.26, -2.04]])
    """

    def __init__(self, A, B, Q, R, *, noise=0.0, discount=0.95, start=None):
        self.A, self.B = np.array(A, dtype=np.float64), np.array(B, dtype=np.float64)
        self.Q, self.R = np.array(Q, dtype=np.float64), np.array(R, dtype=np.float64)
        self.state_size, self.action_size = len(self.A), self.B.shape[1] if self.B.ndim == 2 else 0
        shapes = {"A": (self.state_size,) * 2, "B": (self.state_size, self.action_size), "Q": (self.state_size,) * 2}
        for name, shape in {**shapes, "R": (self.action_size,) * 2}.items():
            if getattr(self, name).shape != shape or not self.action_size:
                raise ValueError(f"{name} has the shape {getattr(self, name).shape}; beside A and B it needs {shape}")
        self.noise = np.broadcast_to(np.asarray(noise, dtype=np.float64), (self.state_size,)).copy()
        if (self.noise < 0.0).any():
            raise ValueError(f"noise holds {self.noise.min():g}; variances are at least 0")
        if not 0.0 <= discount < 1.0:
            raise ValueError(f"discount={discount!r} is not in [0, 1)")
        self.discount = float(discount)
        self.start = np.zeros(self.state_size) if start is None else np.array(start, dtype=np.float64)

    def reset(self, rng):
        """Begin at the start.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of the noise.

        Returns
        -------
        state : ndarray of shape (state_size,)
        """
        self._rng, self._state = rng, self.start.copy()
        return self._state.copy()

    def step(self, action):
        """One step; the reward is that of the state before it and of the action.

        Parameters
        ----------
        action : array-like of shape (action_size,)
            What to do.

        Returns
        -------
        state : ndarray of shape (state_size,)
        reward : float
        done : bool
            Never.
        """
        action, state = np.asarray(action, dtype=np.float64).reshape(self.action_size), self._state
        reward = float(state @ self.Q @ state + action @ self.R @ action)
        shaken = np.sqrt(self.noise) * self._rng.standard_normal(self.state_size)
        self._state = self.A @ state + self.B @ action + shaken
        return self._state.copy(), reward, False

    def optimal_gain(self):
        """The matrix K of the best policy a = K s, by iterating the discounted Riccati equation.

        Returns
        -------
        gain : ndarray of shape (action_size, state_size)
        """
        worth, gamma = self.Q.copy(), self.discount
        for _ in range(10_000):
            curvature = self.R + gamma * self.B.T @ worth @ self.B
            gain = -np.linalg.lstsq(curvature, gamma * self.B.T @ worth @ self.A, rcond=None)[0]
            closed = self.A + self.B @ gain
            following = self.Q + gain.T @ self.R @ gain + gamma * closed.T @ worth @ closed
            change, worth = np.abs(following - worth).max(), (following + following.T) / 2.0
            if change <= 1e-12 * np.abs(worth).max():
                return gain
        raise ValueError("no policy keeps the values finite: the Riccati equation has no fixed point here")

    def value(self, gain, action_noise=0.0):
        """The value s^T P s + c of a linear policy.

        Parameters
        ----------
        gain : array-like of shape (action_size, state_size)
            Of the policy a = gain s + noise.
        action_noise : float or array-like of shape (action_size,), default=0.0
            Variances of its noise.

        Returns
        -------
        matrix : ndarray of shape (state_size, state_size)
        constant : float
        """
        gain, spread = self._policy(gain, action_noise)
        closed = self.A + self.B @ gain
        if np.sqrt(self.discount) * np.abs(np.linalg.eigvals(closed)).max() >= 1.0:
            raise ValueError("the policy lets the state grow too fast for its value to be finite")
        earned = self.Q + gain.T @ self.R @ gain
        matrix = solve_discrete_lyapunov(np.sqrt(self.discount) * closed.T, earned)
        shaken = np.diag(self.noise) + self.B @ np.diag(spread) @ self.B.T
        constant = np.trace(self.R @ np.diag(spread)) + self.discount * np.trace(matrix @ shaken)
        return matrix, float(constant / (1.0 - self.discount))

    def stationary_covariance(self, gain, action_noise=0.0):
        """Covariance of the states that a stabilising linear policy meets in the long run; their mean is zero.

        Parameters
        ----------
        gain : array-like of shape (action_size, state_size)
            Of the policy a = gain s + noise.
        action_noise : float or array-like of shape (action_size,), default=0.0
            Variances of its noise.

        Returns
        -------
        covariance : ndarray of shape (state_size, state_size)
        """
        gain, spread = self._policy(gain, action_noise)
        closed = self.A + self.B @ gain
        if np.abs(np.linalg.eigvals(closed)).max() >= 1.0:
            raise ValueError("the policy does not hold the state: it never settles")
        return solve_discrete_lyapunov(closed, np.diag(self.noise) + self.B @ np.diag(spread) @ self.B.T)

    def _policy(self, gain, action_noise):
        gain = np.atleast_2d(np.asarray(gain, dtype=np.float64))
        if gain.shape != (self.action_size, self.state_size):
            raise ValueError(f"gain has the shape {gain.shape}; give ({self.action_size}, {self.state_size})")
        spread = np.broadcast_to(np.asarray(action_noise, dtype=np.float64), (self.action_size,))
        if (spread < 0.0).any():
            raise ValueError(f"action_noise holds {spread.min():g}; variances are at least 0")
        return gain, spread

    def run(self, gain, action_noise, n_steps, *, random_state=None):
        """A run of a linear policy from the start.

        Parameters
        ----------
        gain : array-like of shape (action_size, state_size)
            Of the policy a = gain s + noise.
        action_noise : float or array-like of shape (action_size,)
            Variances of its noise.
        n_steps : int
            Steps.
        random_state : int, RandomState instance, Generator or None, default=None
            Seed of the noise.

        Returns
        -------
        states : ndarray of shape (n_steps + 1, state_size)
        actions : ndarray of shape (n_steps, action_size)
        rewards : ndarray of shape (n_steps,)
        """
        gain, spread = self._policy(gain, action_noise)
        rng = generator(random_state)
        states, actions = np.empty((n_steps + 1, self.state_size)), np.empty((n_steps, self.action_size))
        _linear_walk(
            self.A, np.ascontiguousarray(gain), self.B, np.diag(np.sqrt(self.noise)), np.sqrt(spread), self.start,
            states, actions, rng.standard_normal(actions.shape), rng.standard_normal((n_steps, self.state_size)),
        )  # fmt: skip
        rewards = np.einsum("ti,ij,tj->t", states[:-1], self.Q, states[:-1])
        return states, actions, rewards + np.einsum("ti,ij,tj->t", actions, self.R, actions)


def linear_cart_pole(*, physics="paper", discount=0.95, noise=0.01):
    """A pole on a cart, linearised at the top: angle, its speed, place of the cart, its speed; the action is a force.

    Parameters
    ----------
    physics : {"paper", "correct"}, default="paper"
        "paper" has the matrices behind the numbers of JMLR 15:809, whose pole feels no gravity and whose friction acts
        on the angle's speed; "correct" is the linearisation of its Equations 39 and 40 with both mended.
    discount : float, default=0.95
        What a reward is worth one step later.
    noise : float, default=0.01
        Variance of the noise of the cart's speed (the paper's text calls this number a standard deviation).

    Returns
    -------
    world : LinearQuadratic

    Examples
    --------
    >>> from treatise.rl.environments import linear_cart_pole
    >>> linear_cart_pole().optimal_gain().round(3)
    array([[24.902,  5.524,  0.858,  1.722]])
    """
    step, mass, cart, length, friction, gravity = 0.1, 0.5, 0.5, 0.6, 0.1, 9.81
    if physics == "paper":
        A = np.array(
            [[1.0, step, 0.0, 0.0], [1.0 / 3.0, 1.02, 0.0, 0.0], [0.0, 0.0, 1.0, step], [0.981, -0.8 / 3.0, 0.0, 1.0]]
        )
        # (3 (M + m), 3 b) / (4 M l - m l) and (3 m g, -4 b) / (4 M - m), as far as the numbers show them.
        B = np.array([[0.0], [-1.0 / 3.0], [0.0], [4.0 / 15.0]])
    elif physics == "correct":
        inertia, weight = 4.0 * (mass + cart) - 3.0 * mass, 6.0 * (mass + cart) * gravity
        A = np.eye(4)
        A[0, 1] = A[2, 3] = step
        A[1, [0, 3]] += step * np.array([weight, 6.0 * friction]) / (length * inertia)
        A[3, [0, 3]] += step * np.array([3.0 * mass * gravity, -4.0 * friction]) / inertia
        B = step * np.array([[0.0], [-6.0 / (length * inertia)], [0.0], [4.0 / inertia]])
    else:
        raise ValueError(f"physics={physics!r}; take 'paper' or 'correct'")
    return LinearQuadratic(
        A, B, np.diag([-100.0, 0.0, -1.0, 0.0]), [[-0.1]], noise=[0.0, 0.0, 0.0, noise], discount=discount,
        start=[1e-4, 0.0, 0.0, 0.0],
    )  # fmt: skip


def n_link_pendulum(n_links=20, *, length=5.0, mass=1.0, noise=0.01, step=0.1, discount=0.95):
    """A pendulum of many links with a motor at each joint, linearised at the top; angles, then their speeds.

    Parameters
    ----------
    n_links : int, default=20
        Links.
    length, mass : float, default=5.0 and 1.0
        Of a link, in metres and kilograms.
    noise : float, default=0.01
        Variance of the noise of every angle and speed; the paper does not print it.
    step : float, default=0.1
        Seconds between two actions.
    discount : float, default=0.95
        What a reward is worth one step later.

    Returns
    -------
    world : LinearQuadratic
        With the reward minus the summed squares of the angles.

    Examples
    --------
    >>> from treatise.rl.environments import n_link_pendulum
    >>> world = n_link_pendulum(3)
    >>> world.state_size, world.action_size
    (6, 3)
    """
    if n_links < 1:
        raise ValueError(f"n_links={n_links!r}: a pendulum has at least one link")
    carried = (n_links - np.arange(n_links)) * mass
    inertia = length**2 * np.minimum(carried[:, np.newaxis], carried)
    inverse = np.linalg.inv(inertia)
    A = np.eye(2 * n_links)
    A[:n_links, n_links:] = step * np.eye(n_links)
    A[n_links:, :n_links] = step * inverse * (9.81 * length * carried)
    B = np.vstack([np.zeros((n_links, n_links)), step * inverse])
    Q = np.diag(np.repeat([-1.0, 0.0], n_links))
    return LinearQuadratic(A, B, Q, np.zeros((n_links, n_links)), noise=noise, discount=discount)
