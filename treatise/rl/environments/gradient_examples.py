"""Small processes on which policy gradients are known exactly, and a puck that looks for its target (JMLR 5:1471)."""

import numpy as np

from treatise.rl.environments.base import Environment
from treatise.rl.policy_gradient.policies import SoftmaxPolicy
from treatise.rl.processes.mdp import FiniteMDP


def three_state_process():
    """Three states, two actions, two features: the process of the paper's Figures 2 to 5.

    Returns
    -------
    process : FiniteMDP
        Reaching the third state earns one.
    policy : SoftmaxPolicy
        With the features of the states.
    theta : ndarray of shape (4,)
        The parameters at which the paper's numbers hold.

    Examples
    --------
    >>> from treatise.rl import three_state_process
    >>> three_state_process()[0].n_states
    3
    """
    first = [[0.0, 0.8, 0.2], [0.8, 0.0, 0.2], [0.0, 0.8, 0.2]]
    second = [[0.0, 0.2, 0.8], [0.2, 0.0, 0.8], [0.0, 0.2, 0.8]]
    features = np.array([[12.0, 6.0], [6.0, 12.0], [5.0, 5.0]]) / 18.0
    process = FiniteMDP([first, second], _reached([0.0, 0.0, 1.0], 2))
    return process, SoftmaxPolicy(2, features), np.array([1.0, 1.0, -1.0, -1.0])


def cyclic_process():
    """Three states in a circle and two actions, each a tendency to stay: the process of the paper's Appendix D.

    Returns
    -------
    process : FiniteMDP
        Reaching the first state earns 4.515.
    policy : SoftmaxPolicy
        One parameter for each action, the same in all states.
    theta : ndarray of shape (2,)
        Zeros: both actions are as likely.

    Examples
    --------
    >>> from treatise.rl import cyclic_process
    >>> cyclic_process()[0].stationary([[0.5, 0.5]] * 3).round(3)
    array([0.333, 0.333, 0.333])
    """
    stay = np.array([[0.75, 0.25, 0.25], [0.25, 0.75, 0.75]])
    forward = np.roll(np.eye(3), 1, axis=1)
    transitions = stay[:, :, None] * np.eye(3) + (1.0 - stay)[:, :, None] * forward
    return FiniteMDP(transitions, _reached([4.515, 0.0, 0.0], 2), discount=0.9), _OneNumber(), np.zeros(1)


class _OneNumber(SoftmaxPolicy):
    """Two actions with the weights ``exp(theta)`` and ``exp(-theta)``, the same whatever is seen."""

    def __init__(self):
        super().__init__(2, np.ones((3, 1)))

    def probabilities(self, theta, features=None):
        """Of both actions."""
        return super().probabilities(np.array([theta[0], -theta[0]]), features)

    def log_gradients(self, theta, features=None):
        """By the one parameter."""
        both = super().log_gradients(np.array([theta[0], -theta[0]]), features)
        return both[..., :1] - both[..., 1:]

    def size(self, n_observations=None):
        """One."""
        return 1


def _reached(rewards, n_actions):
    """Rewards of the states reached."""
    rewards = np.asarray(rewards, dtype=np.float64)
    return np.broadcast_to(rewards, (len(rewards), n_actions, len(rewards))).copy()


class PuckWorld(Environment):
    """A puck that slides on a table of 5 by 5 and is thrust towards a target, or away from it.

    Every twentieth of a second one of four thrusts is chosen; the reward is the distance to the target, so that a
    learner that climbs flees from it. Give rewards of the other sign to look for it. Every 30 seconds puck and target
    are put anywhere. A state has seven numbers: place, place relative to the target, velocity and one, scaled as in the
    paper.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import PuckWorld
    >>> world = PuckWorld()
    >>> world.reset(np.random.default_rng(0)).shape, world.n_actions
    ((7,), 4)

    References
    ----------
    .. [1] Paper v05-1471, section 8.3.
    """

    n_actions, state_size, max_steps = 4, 7, 600
    SIZE, RADIUS, FORCE, FRICTION, GRAVITY = 5.0, 0.05, 5.0, 0.0005, 9.8
    STEP, STEPS_OF_CONTROL, FASTEST = 0.01, 5, 10.0
    THRUSTS = np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])

    def reset(self, rng):
        """Puck and target anywhere, with any velocity up to ten each way."""
        low, high = self.RADIUS, self.SIZE - self.RADIUS
        self.place, self.target = rng.uniform(low, high, 2), rng.uniform(low, high, 2)
        self.velocity = rng.uniform(-self.FASTEST, self.FASTEST, 2)
        return self._state()

    def step(self, action):
        """Thrust for a twentieth of a second."""
        low, high = self.RADIUS, self.SIZE - self.RADIUS
        for _ in range(self.STEPS_OF_CONTROL):
            speed = np.linalg.norm(self.velocity)
            drag = self.FRICTION * self.GRAVITY * self.velocity / speed if speed > 0.0 else 0.0
            self.velocity = self.velocity + self.STEP * (self.FORCE * self.THRUSTS[action] - drag)
            self.place = self.place + self.STEP * self.velocity
            beyond = (self.place < low) | (self.place > high)
            # Elastic walls turn the velocity, and the place is mirrored.
            self.velocity = np.where(beyond, -self.velocity, self.velocity)
            self.place = np.where(self.place < low, 2.0 * low - self.place, self.place)
            self.place = np.where(self.place > high, 2.0 * high - self.place, self.place)
        return self._state(), float(np.linalg.norm(self.place - self.target)), False

    def _state(self):
        middle = self.SIZE / 2.0
        return np.concatenate([
            (self.place - middle) / middle, (self.place - self.target) / self.SIZE, self.velocity / self.FASTEST, [1.0],
        ])  # fmt: skip
