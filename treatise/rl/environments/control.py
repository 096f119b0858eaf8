"""Continuous worlds in which policies are searched for: car, acrobot, cart, arm, pendulum and bicycle."""

import numpy as np

from treatise.rl.environments import _control_loops as loops
from treatise.rl.environments.base import Environment


class ControlWorld(Environment):
    """Base of the continuous worlds whose steps are compiled.

    Attributes
    ----------
    ACTIONS : ndarray of shape (n_actions, n_numbers) or None
        The numbers behind each numbered action; None where an action is a vector itself.
    constants : ndarray
        What the compiled step is given; each class says what they are and where they come from.
    """

    ACTIONS: np.ndarray | None = None
    _code: int
    constants: np.ndarray

    def reset(self, rng):
        """Begin an episode.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance until the next call.

        Returns
        -------
        state : ndarray of shape (state_size,)
        """
        self._rng, self._t, self._state = rng, 0, self.start(rng)
        return self._state.copy()

    def start(self, rng):
        """A first state; zeros where the class says nothing else.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of chance.

        Returns
        -------
        state : ndarray of shape (state_size,)
        """
        return np.zeros(self.state_size)

    def step(self, action):
        """Do something.

        Parameters
        ----------
        action : int or array-like of shape (action_size,)
            What to do.

        Returns
        -------
        state : ndarray of shape (state_size,)
        reward : float
        done : bool
            Whether the episode has ended for good.
        """
        if self.ACTIONS is not None:
            if not 0 <= int(action) < len(self.ACTIONS):
                raise ValueError(f"action {action!r} does not exist; there are {len(self.ACTIONS)}, counted from 0")
            numbers = self.ACTIONS[int(action)]
        else:
            numbers = np.asarray(action, dtype=np.float64).reshape(self.action_size)
        after = np.empty(self.state_size)
        reward, done = loops.one_control_step(
            self._code, self.constants, self._t, self._state, numbers, self._rng.random(), np.empty((4, 4)), after
        )
        self._t, self._state = self._t + 1, after
        return after.copy(), float(reward), bool(done)


class MountainCar(ControlWorld):
    """A car too weak for its hill: it must swing back before it can climb; every step costs one.

    Equations and constants are those of Sutton and Barto (1998), which Gymnasium's MountainCar has too; the two
    actions, the fixed start at rest in the valley and the 400 steps are the paper's. A state is the place and the
    speed.

    Parameters
    ----------
    max_steps : int, default=400
        Steps after which an episode is cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import MountainCar
    >>> car = MountainCar()
    >>> car.reset(np.random.default_rng(0)).round(4)
    array([-0.5236,  0.    ])
    >>> car.step(1)[1:]
    (-1.0, False)

    References
    ----------
    .. [1] Paper v15-0253, section 5.2.
    """

    n_actions, state_size = 2, 2
    ACTIONS = np.array([[-1.0], [1.0]])
    _code = loops.MOUNTAIN_CAR
    constants = np.array([0.001, 0.0025, 0.07, -1.2, 0.5])

    def __init__(self, *, max_steps=400):
        self.max_steps = max_steps

    def start(self, rng):
        """At rest at the lowest point of the valley."""
        return np.array([-np.pi / 6.0, 0.0])


class Acrobot(ControlWorld):
    """Two links that hang from a bar and must swing the free end one link's length above it; every step costs one.

    Equations, constants and the start at rest are those of Sutton and Barto (1998), integrated as in Gymnasium's
    Acrobot (one step of Runge and Kutta's fourth order in 0.2 s). A state is both angles, then their speeds; the three
    actions are torques at the hip of -1, 0 and 1.

    Parameters
    ----------
    max_steps : int, default=500
        Steps after which an episode is cut off; the paper does not say, Gymnasium has 500.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import Acrobot
    >>> Acrobot().reset(np.random.default_rng(0))
    array([0., 0., 0., 0.])

    References
    ----------
    .. [1] Paper v15-0253, section 5.3.
    """

    n_actions, state_size = 3, 4
    ACTIONS = np.array([[-1.0], [0.0], [1.0]])
    _code = loops.ACROBOT
    constants = np.array([0.2, 4.0 * np.pi, 9.0 * np.pi])

    def __init__(self, *, max_steps=500):
        self.max_steps = max_steps


class CartPole(ControlWorld):
    """A cart that balances a pole for 1000 steps by a force of any size; upright and in the middle earns most.

    Equations and masses are those of Barto, Sutton and Anderson (1983), which Gymnasium's CartPole has too. The
    limits (4 m and pi / 4) are those of the paper's features, the 1000 steps are the paper's. It does not print its
    rewards: here a step earns 1 less half of the squared angle and half of the squared place, each as a share of its
    limit; 1000 for holding to the end. A state is place, speed, angle, its speed; the action is the share of 10 N.

    Parameters
    ----------
    max_steps : int, default=1000
        Steps to hold the pole.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import CartPole
    >>> cart = CartPole()
    >>> cart.reset(np.random.default_rng(0)).shape, cart.action_size
    ((4,), 1)

    References
    ----------
    .. [1] Paper v15-0253, section 5.4.
    """

    action_size, state_size = 1, 4
    _code = loops.CART_POLE

    def __init__(self, *, max_steps=1000):
        self.max_steps = max_steps
        self.constants = np.array([10.0, 0.02, 4.0, np.pi / 4.0, float(max_steps), 1000.0])

    def start(self, rng):
        """All numbers uniform between -0.05 and 0.05, as in Gymnasium."""
        return rng.uniform(-0.05, 0.05, 4)


class PlanarArm(ControlWorld):
    """An arm of three links whose tip must reach a target; each step costs the distance that is left.

    The paper prints no constants and calls the transitions linear. Here each of three motors turns its joint by 0.1
    either way in a step (eight actions, the first motor counting most), links have the length one, the arm starts
    stretched out along the first axis, and the target of radius 0.3 at (0.5, 1.5) earns 10 and ends the episode. A
    state is three angles, each relative to the link before, and the place of the tip.

    Parameters
    ----------
    max_steps : int, default=100
        Steps after which an episode is cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import PlanarArm
    >>> PlanarArm().reset(np.random.default_rng(0))
    array([0., 0., 0., 3., 0.])

    References
    ----------
    .. [1] Paper v15-0253, section 5.5.
    """

    n_actions, state_size = 8, 5
    ACTIONS = np.array([(a, b, c) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)])
    TARGET = (0.5, 1.5)
    _code = loops.PLANAR_ARM
    constants = np.array([0.1, *TARGET, 0.3, 10.0])

    def __init__(self, *, max_steps=100):
        self.max_steps = max_steps

    def start(self, rng):
        """Stretched out."""
        return np.array([0.0, 0.0, 0.0, 3.0, 0.0])


class SwingUp(ControlWorld):
    """A pendulum that hangs and must be swung up by a weak motor and held.

    Equations, constants and costs are those of Gymnasium's Pendulum; the start is at rest at the bottom. A state is
    the angle from the top, counted on through full turns, and its speed; the action is a torque, cut off at 2.

    Parameters
    ----------
    max_steps : int, default=200
        Steps after which an episode is cut off.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import SwingUp
    >>> pendulum = SwingUp()
    >>> pendulum.reset(np.random.default_rng(0)).round(3)
    array([3.142, 0.   ])
    """

    action_size, state_size = 1, 2
    _code = loops.SWING_UP
    constants = np.array([2.0, 0.05, 8.0])

    def __init__(self, *, max_steps=200):
        self.max_steps = max_steps

    def start(self, rng):
        """Hanging at rest."""
        return np.array([np.pi, 0.0])


class Bicycle(ControlWorld):
    """Randlov and Alstrom's bicycle, to be kept upright for ten minutes by the handlebar and the rider's seat.

    Equations, masses, lengths, the 0.01 s of a step and the noise of 2 cm of the rider are those of Randlov and Alstrom
    (1998); the five actions (a torque of -1 or 1 at the bars, a shift of the rider of 2 cm either way, nothing) and the
    fall at pi / 15 are the paper's. Each step costs the squared change of the tilt and a fall costs 10, discounted in
    time; the paper does not print the discount, here it is 0.999. A state has nine numbers: tilt and its speed,
    handlebar and its speed, heading, place of the front wheel and of the rear wheel.

    Parameters
    ----------
    max_steps : int, default=60000
        Steps after which an episode is cut off: ten minutes.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import Bicycle
    >>> Bicycle().reset(np.random.default_rng(0)).shape
    (9,)

    References
    ----------
    .. [1] Paper v15-0253, section 5.6.
    """

    n_actions, state_size = 5, 9
    ACTIONS = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -0.02], [0.0, 0.02], [0.0, 0.0]])
    WHEELBASE = 1.11
    _code = loops.BICYCLE
    constants = np.array([np.pi / 15.0, 10.0, 0.999, 0.02])

    def __init__(self, *, max_steps=60_000):
        self.max_steps = max_steps

    def start(self, rng):
        """Upright, heading along the second axis, the rear wheel at the origin."""
        state = np.zeros(9)
        state[6] = self.WHEELBASE
        return state
