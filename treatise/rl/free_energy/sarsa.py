"""Values of actions made of many bits as free energies (Sallans & Hinton, JMLR 5:1063)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import finite, is_array
from treatise._core.progress import progress
from treatise.rl.environments.gymnasium import from_gymnasium
from treatise.rl.free_energy._loops import gibbs_sweeps, hidden_inputs, move_weights, negative_free_energy
from treatise.rl.processes.mdp import generator


class FreeEnergySARSA(BaseEstimator):
    """Learns the values of actions that are too many to list, and draws good ones.

    The value of an action in a state is the negative free energy of a restricted Boltzmann machine whose visible units
    are the bits of both. Actions are drawn by Gibbs sampling with probability ``exp(value / temperature)``, so that
    actions of 40 bits are no obstacle; weights follow the error of SARSA.

    Use it for discrete control with factored states and actions; with few actions a table or plain SARSA is simpler.
    Learning by semi-gradients has no guarantee: ``diverged_`` tells where weights grew beyond bounds. A decision costs
    sweeps x action bits x hidden units, a step of learning bits x hidden units.

    Parameters
    ----------
    n_hidden : int, default=16
        Hidden units.
    gamma : float, default=0.95
        Discount, from 0 to below 1.
    learning_rate : tuple of float, default=(0.02, 0.002)
        At the beginning and at the end of ``run``.
    temperature : tuple of float, default=(1.0, 0.1)
        At the beginning and at the end of ``run``.
    schedule : {"exponential", "linear"}, default="exponential"
        How both change in between.
    n_sweeps : int, default=10
        Gibbs sweeps over all action bits for each decision; a draw nears the distribution above as they grow.
    bias : bool, default=True
        Whether a visible unit is always on.
    linear_term : bool, default=True
        Whether values have a linear part too. Without it they cannot be negative, as in the paper's form.
    init_scale : float, default=0.5
        Deviation of the first weights.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of weights and actions.

    Attributes
    ----------
    W_ : ndarray of shape (n_visible, n_hidden)
        Weights; rows are state bits, action bits, the unit that is always on.
    c_ : ndarray of shape (n_visible,)
        Weights of the linear term.
    history_ : ndarray
        Rewards of the last ``run``.
    diverged_ : bool
        Whether a weight is no longer finite.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FreeEnergySARSA
    >>> agent = FreeEnergySARSA(4, random_state=0).start([1, 1], [1, 1, 1])
    >>> agent.act([True, False]).shape
    (3,)

    References
    ----------
    .. [1] Paper v05-1063, sections 3 and 4.
    """

    _parameter_constraints: dict = {
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, 1, closed="left")],
        "schedule": [StrOptions({"exponential", "linear"})],
        "n_sweeps": [Interval(Integral, 1, None, closed="left")],
        "bias": ["boolean"],
        "linear_term": ["boolean"],
        "init_scale": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, n_hidden=16, *, gamma=0.95, learning_rate=(0.02, 0.002), temperature=(1.0, 0.1), schedule="exponential",
        n_sweeps=10, bias=True, linear_term=True, init_scale=0.5, random_state=None,
    ):  # fmt: skip
        self.n_hidden = n_hidden
        self.gamma = gamma
        self.learning_rate = learning_rate
        self.temperature = temperature
        self.schedule = schedule
        self.n_sweeps = n_sweeps
        self.bias = bias
        self.linear_term = linear_term
        self.init_scale = init_scale
        self.random_state = random_state

    def start(self, state_groups, action_groups):
        """Draw the first weights for states and actions of some shape.

        Parameters
        ----------
        state_groups, action_groups : sequence of int
            Sizes of the groups of bits: 1 for a bit by itself, J for one of J.

        Returns
        -------
        self
        """
        self._validate_params()
        self._pair("learning_rate"), self._pair("temperature")
        for name, groups in (("state_groups", state_groups), ("action_groups", action_groups)):
            if any(int(size) != size or size < 1 for size in groups):
                raise ValueError(f"{name}={list(groups)!r} must be sizes of groups, 1 or more")
        if not len(action_groups):
            raise ValueError("action_groups is empty; an action has at least one bit")
        self.n_state_bits_, self.n_action_bits_ = int(sum(state_groups)), int(sum(action_groups))
        self.action_groups_ = np.array(action_groups, dtype=np.int64)
        n_visible = self.n_state_bits_ + self.n_action_bits_ + int(self.bias)
        self._rng = generator(self.random_state)
        self.W_ = self._rng.normal(0.0, self.init_scale, (n_visible, self.n_hidden))
        self.c_, self.diverged_ = np.zeros(n_visible), False
        return self

    def _check_started(self):
        if not hasattr(self, "W_"):
            raise NotFittedError("the agent has no weights yet; call start, or run it in a world")

    def _pair(self, name):
        pair = np.asarray(getattr(self, name), dtype=np.float64)
        if pair.shape != (2,) or not (np.isfinite(pair) & (pair > 0.0)).all():
            raise ValueError(
                f"{name}={getattr(self, name)!r} must be two numbers above 0, at the beginning and the end"
            )
        return float(pair[0]), float(pair[1])

    def schedules(self, n_steps):
        """Learning rates and temperatures of a run.

        Parameters
        ----------
        n_steps : int
            Length of the run.

        Returns
        -------
        rates, temperatures : ndarray of shape (n_steps,)
        """
        space = np.geomspace if self.schedule == "exponential" else np.linspace
        return space(*self._pair("learning_rate"), n_steps), space(*self._pair("temperature"), n_steps)

    def _visible(self, state, action):
        state, action = np.asarray(state), np.asarray(action)
        for name, bits, size in (("state", state, self.n_state_bits_), ("action", action, self.n_action_bits_)):
            if bits.shape != (size,):
                raise ValueError(f"the {name} has the shape {bits.shape}; give {size} bits")
            if not np.isin(bits, (0, 1)).all():
                raise ValueError(f"the {name} holds something other than 0 and 1")
        return np.concatenate([state, action, np.ones(int(self.bias))]).astype(np.bool_)

    def value(self, state, action):
        """Value of an action in a state.

        Parameters
        ----------
        state, action : array-like of bool
            Bits.

        Returns
        -------
        value : float
        """
        self._check_started()
        return float(negative_free_energy(self._visible(state, action), self.W_, self.c_, np.zeros(self.n_hidden)))

    def act(self, state, *, temperature=None, fixed=None):
        """Draw an action.

        Parameters
        ----------
        state : array-like of bool
            Bits of the state.
        temperature : float or None, default=None
            Above 0: low ones favour good actions. None takes that of the end of a run.
        fixed : dict of int to array-like of bool or None, default=None
            Groups of the action, by number, whose bits are given.

        Returns
        -------
        action : ndarray of bool of shape (n_action_bits_,)
        """
        self._check_started()
        temperature = self._pair("temperature")[1] if temperature is None else float(temperature)
        if not 0.0 < temperature < np.inf:
            raise ValueError(f"temperature={temperature!r} must be above 0 and finite")
        starts = np.concatenate([[0], np.cumsum(self.action_groups_)])
        action, free = np.zeros(self.n_action_bits_, dtype=np.bool_), np.ones(len(self.action_groups_), dtype=np.bool_)
        for g, size in enumerate(self.action_groups_):
            if size > 1:
                action[starts[g] + self._rng.integers(size)] = True
            else:
                action[starts[g]] = self._rng.random() < 0.5
        for g, bits in (fixed or {}).items():
            bits = np.asarray(bits, dtype=np.bool_)
            if not 0 <= g < len(free) or bits.shape != (self.action_groups_[g],):
                raise ValueError(
                    f"fixed names group {g} with {bits.shape} bits; groups have {self.action_groups_.tolist()}"
                )
            if len(bits) > 1 and bits.sum() != 1:
                raise ValueError(f"fixed gives {bits.sum()} bits of group {g}, of which one must be on")
            free[g], action[starts[g] : starts[g + 1]] = False, bits
        visible, x = self._visible(state, action), np.zeros(self.n_hidden)
        hidden_inputs(visible, self.W_, x)
        gibbs_sweeps(
            self._rng, visible, self.W_, self.c_, starts, self.n_state_bits_ + np.arange(self.n_action_bits_), free,
            temperature, self.n_sweeps, x, np.zeros(int(self.action_groups_.max()) + 1),
        )  # fmt: skip
        return visible[self.n_state_bits_ : self.n_state_bits_ + self.n_action_bits_].copy()

    def learn(self, state, action, reward, next_state=None, next_action=None, *, rate=None):
        """One step of SARSA.

        Parameters
        ----------
        state, action : array-like of bool
            Where something was done, and what.
        reward : float
            What it earned.
        next_state, next_action : array-like of bool or None, default=None
            What followed; None where the episode ended.
        rate : float or None, default=None
            Learning rate; None takes that of the end of a run.

        Returns
        -------
        error : float
            What the value was too small by.
        """
        if not np.isfinite(reward):
            raise ValueError(f"reward={reward} would spoil every weight; give a finite one")
        ahead = 0.0 if next_state is None else self.gamma * self.value(next_state, next_action)
        visible, x = self._visible(state, action), np.zeros(self.n_hidden)
        error = float(reward) + ahead - negative_free_energy(visible, self.W_, self.c_, x)
        rate = self._pair("learning_rate")[1] if rate is None else float(rate)
        move_weights(visible, self.W_, self.c_, x, rate * error, bool(self.linear_term))
        self._look_for_divergence()
        return error

    def _look_for_divergence(self):
        """Tell, once, that weights are no longer numbers."""
        before = self.diverged_
        self.diverged_ = not (np.isfinite(self.W_).all() and np.isfinite(self.c_).all())
        if self.diverged_ and not before:
            warnings.warn(
                f"the weights grew beyond all bounds with learning_rate={self.learning_rate!r}; start anew with "
                "smaller ones",
                ConvergenceWarning,
                stacklevel=3,
            )

    def run(self, world, n_steps, *, show_progress=None):
        """Act and learn.

        Parameters
        ----------
        world : Environment, gymnasium.Env or object
            A world whose states and actions are made of groups of bits, as :class:`BlockersTask`, one of Gymnasium's
            with the spaces ``MultiBinary`` and ``MultiDiscrete``, or any object with ``reset(rng)``, ``step(action)``,
            ``state_groups``, ``action_groups`` and ``max_steps``; or one with ``run(agent, n_steps)``, a compiled loop
            of its own, as :class:`LargeActionTask`.
        n_steps : int
            Actions.
        show_progress : bool or None, default=None
            None shows a bar on a terminal.

        Returns
        -------
        self
        """
        if hasattr(world, "observation_space"):
            world = from_gymnasium(world)
        if world.state_groups is None or world.action_groups is None:
            raise ValueError(
                "states and actions must be made of bits here, and this world has others; Gymnasium's "
                "FlattenObservation makes bits of numbered states"
            )
        if not hasattr(self, "W_"):
            self.start(world.state_groups, world.action_groups)
        if hasattr(world, "run"):
            self.history_ = world.run(self, n_steps)
        else:
            self.history_ = self._episodes(world, n_steps, show_progress)
        self._look_for_divergence()
        return self

    def _episodes(self, world, n_steps, show_progress):
        rates, temperatures = self.schedules(n_steps)
        rewards = np.empty(n_steps)
        state = world.reset(self._rng)
        action, age = self.act(state, temperature=temperatures[0]), 0
        with progress("acting", n_steps, show=show_progress) as done:
            for t in range(n_steps):
                after, reward, ended = world.step(action)
                rewards[t], age = reward, age + 1
                follow = None if ended else self.act(after, temperature=temperatures[t])
                self.learn(state, action, reward, None if ended else after, follow, rate=rates[t])
                if ended or getattr(world, "cut_off", False) or age == world.max_steps:
                    after, age = world.reset(self._rng), 0
                    follow = self.act(after, temperature=temperatures[t])
                state, action = after, follow
                if t % 256 == 255:
                    done(256)
                    if self.diverged_:
                        rewards[t + 1 :] = np.nan
                        break
        return rewards

    def _invariants(self):
        n = self.n_state_bits_ + self.n_action_bits_ + int(self.bias)
        yield "weights have a row for every bit", is_array(self.W_, np.floating, n, self.n_hidden) and finite(self.W_)
        yield "the linear term has a number for every bit", is_array(self.c_, np.floating, n) and finite(self.c_)
        self._pair("learning_rate"), self._pair("temperature")
        yield "randomness has a generator", isinstance(self._rng, np.random.Generator)
        # To act would never end.
        yield "an action takes at most ten thousand sweeps", self.n_sweeps <= 10_000
        groups = self.action_groups_
        yield "groups hold the action's bits", is_array(groups, np.integer, None) and groups.min() >= 1
        yield "groups are all of the action", int(groups.sum()) == self.n_action_bits_
