"""Bayesian optimisation of a policy from few episodes, by its trajectories (Wilson, Fern & Tadepalli, JMLR 15:253)."""

import json
import warnings

import numpy as np

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise._core.progress import progress
from treatise._core.saved_arrays import load_arrays
from treatise.optimize.evolution.base import checked_bounds
from treatise.rl.environments.gymnasium import as_environment
from treatise.rl.policy_search.behavior import BehaviorArchive, episode_bounds
from treatise.rl.policy_search.box_maximum import METHODS, maximum_in_box
from treatise.rl.policy_search.dynamics import warn_of_divergence
from treatise.rl.policy_search.episodes import run_policy
from treatise.rl.policy_search.gaussian_process import GaussianProcess, expected_improvement
from treatise.rl.policy_search.policies import ControlPolicy
from treatise.rl.processes.mdp import generator
from treatise.rl.processes.trajectory import Trajectory

FORMAT = 1
USUAL_WEIGHTS = (0.0, 1.5)
"""Weights of a learned model beyond which it tells returns the wrong way round, or on another scale."""
FALL = 3.0
"""With alpha drawn from the trials, policies at the median distance have the likeness exp(-3), or 0.05."""
STEPS = ("states", "actions", "rewards", "next_states", "starts", "ends")


class PolicyBO:
    """Search for the parameters of a policy with the highest return, when every trial is expensive.

    Returns of untried policies are told by a Gaussian process. Its kernel compares either parameters ("se") or what
    policies did in the episodes kept ("bbk"); its prior mean is zero or the return in a simulator that is learned from
    the same episodes ("model"), weighed by how well it fits. The next trial is where the expected improvement is
    highest.

    Use it for tens to a few hundred trials of policies with up to about a hundred parameters. Where trials are cheap,
    take evolution strategies or policy gradients. The behaviour kernel needs stochastic policies, and a learned model
    features that suit the world. A candidate costs one pass over all steps kept ("bbk") or ``n_rollouts`` simulated
    episodes ("model"); the matrix costs trials^3.

    Parameters
    ----------
    policy : ControlPolicy
        The policy whose parameters are sought.
    bounds : pair or array-like of shape (policy.size, 2), default=(-1.0, 1.0)
        Least and largest value of all parameters, or of each; finite.
    kernel : {"bbk", "se"}, default="bbk"
        By behaviour, ``exp(-alpha D)``, or squared exponential in the parameters, ``exp(-rho / 2 |a - b|^2)``.
    mean : {"zero", "model"}, default="zero"
        Prior mean of returns; "model" needs ``model``.
    model : LinearDynamics or None, default=None
        The world to learn.
    alpha : float or "median", default="median"
        How fast likeness of behaviour falls. "median" is three over the median distance of the trials told, so that
        long episodes do not make all policies unlike; the paper has 1. Of 1, one, two, three and five over the median,
        three was best or as good as the best in four worlds of five (acrobot, cart-pole, arm, swing-up; 10 searches of
        25 to 30 trials each); on the mountain car, where distances are small, the paper's 1 was better (median best
        return -264, here -302, with one over the median -360).
    rho : float, default=1.0
        How fast likeness of parameters falls.
    noise : float, default=1e-2
        Variance of a return beside that of all returns seen, which are standardised.
    n_rollouts : int, default=20
        Simulated episodes for the prior mean of a policy.
    n_init : int, default=5
        Trials drawn at random from the box before the first choice.
    acq_optimizer : {"auto", "direct", "nes", "random"}, default="auto"
        How the expected improvement is climbed: dividing rectangles, natural evolution strategies or random points;
        "auto" is "direct" up to 15 parameters and "nes" beyond.
    n_candidates : int, default=2000
        Candidates looked at for each trial.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the search, and of the episodes of :meth:`optimize`.

    Attributes
    ----------
    X_ : ndarray of shape (n_trials, policy.size)
        Parameters tried.
    y_ : ndarray of shape (n_trials,)
        Their mean returns.
    best_theta_, best_return_ : ndarray of shape (policy.size,) and float
        The best trial.
    gp_ : GaussianProcess
        Behind the last choice.
    beta_ : float
        Weight of the learned model there; 0 without one.
    jitter_ : float
        What was added to the diagonal of the kernel matrix there: the behaviour kernel need not be positive definite.

    Examples
    --------
    >>> from treatise.rl import MountainCar, PolicyBO, SoftmaxControl, StateTerms
    >>> terms = StateTerms([("identity", 0, 1.0, 0.5), ("identity", 1, 100.0)])
    >>> search = PolicyBO(SoftmaxControl(2, terms), n_candidates=200, random_state=0)
    >>> search.optimize(MountainCar(), 15).best_return_ > -200.0
    True

    References
    ----------
    .. [1] Paper v15-0253, Algorithms 1 and 2. The factor of the variance that a learned mean should bring, which the
       paper leaves undefined, is one.
    """

    def __init__(
        self, policy, bounds=(-1.0, 1.0), *, kernel="bbk", mean="zero", model=None, alpha="median", rho=1.0, noise=1e-2,
        n_rollouts=20, n_init=5, acq_optimizer="auto", n_candidates=2000, random_state=None,
    ):  # fmt: skip
        if not isinstance(policy, ControlPolicy):
            raise TypeError(f"policy={policy!r} is no policy with parameters; give SoftmaxControl or GaussianControl")
        for name, value, known in (
            ("kernel", kernel, ("bbk", "se")), ("mean", mean, ("zero", "model")),
            ("acq_optimizer", acq_optimizer, METHODS),
        ):  # fmt: skip
            if value not in known:
                raise ValueError(f"{name}={value!r} is not known; choose one of {', '.join(map(repr, known))}")
        if (mean == "model") != (model is not None):
            raise ValueError(f"mean={mean!r} with model={model!r}: mean='model' goes with a LinearDynamics")
        if isinstance(alpha, str) and alpha != "median":
            raise ValueError(f"alpha={alpha!r} is not known; give a number, or 'median'")
        for name, number in (("alpha", 1.0 if alpha == "median" else alpha), ("rho", rho), ("noise", noise)):
            if not (np.isfinite(number) and number >= 0.0):
                raise ValueError(f"{name}={number!r}; give a number of at least 0")
        for name, count in (("n_rollouts", n_rollouts), ("n_init", n_init), ("n_candidates", n_candidates)):
            if count < 1:
                raise ValueError(f"{name}={count!r}; give at least 1")
        self.policy, self.model = policy, model
        self.bounds = checked_bounds(bounds, policy.size)
        if not np.isfinite(self.bounds).all():
            raise ValueError("bounds are infinite; the search needs a box")
        self.kernel, self.mean, self.alpha, self.rho, self.noise = kernel, mean, alpha, float(rho), float(noise)
        self.n_rollouts, self.n_init, self.n_candidates = int(n_rollouts), int(n_init), int(n_candidates)
        self.acq_optimizer = acq_optimizer
        self._archive = BehaviorArchive(policy) if kernel == "bbk" else None
        self._rng = generator(random_state)
        self._asked, self._trajectory, self._lengths, self._warned = None, None, [], False
        self.X_, self.y_ = np.empty((0, policy.size)), np.empty(0)
        self.gp_, self.beta_, self.jitter_ = None, 0.0, 0.0

    @property
    def best_theta_(self):
        """Parameters of the best trial."""
        return self.X_[self._best()].copy()

    @property
    def best_return_(self):
        """Mean return of the best trial."""
        return float(self.y_[self._best()])

    def _best(self):
        if not len(self.y_):
            raise ValueError("no trial has been told yet; there is no best one")
        return int(self.y_.argmax())

    def ask(self):
        """Parameters to try next; the same until a trial is told.

        Returns
        -------
        theta : ndarray of shape (policy.size,)
        """
        if self._asked is None:
            low, high = self.bounds.T
            if len(self.y_) < self.n_init:
                self._asked = self._rng.uniform(low, high)
            else:
                improvement = self._improvement()
                self._asked, _ = maximum_in_box(
                    improvement, self.bounds, self.X_[self._best()], self.n_candidates, self.acq_optimizer, self._rng
                )
        return self._asked.copy()

    def tell(self, theta, trajectory):
        """Learn from the episodes of a policy, asked for or not.

        Parameters
        ----------
        theta : array-like of shape (policy.size,)
            Its parameters.
        trajectory : Trajectory
            Its episodes in a row, with states of shape (n_steps, state_size).
        """
        theta = np.asarray(theta, dtype=np.float64)
        self.policy.weights(theta)
        states = np.asarray(trajectory.states)
        if states.ndim != 2 or not len(states) or not trajectory.starts[0]:
            raise ValueError(
                f"states have the shape {states.shape}; give the steps of whole episodes, (n_steps, state_size)"
            )
        for name in ("states", "next_states", "rewards"):
            if not np.isfinite(getattr(trajectory, name)).all():
                raise ValueError(f"the {name} of the episodes hold NaN or infinity; the world diverged")
        if self._archive is not None:
            self._archive.add(theta, trajectory)
        self._trajectory = trajectory if self._trajectory is None else Trajectory(
            *(np.concatenate([getattr(self._trajectory, name), getattr(trajectory, name)]) for name in STEPS)
        )  # fmt: skip
        self._lengths.append(len(states))
        episodes = len(episode_bounds(trajectory)) - 1
        self.X_ = np.vstack([self.X_, theta])
        self.y_ = np.append(self.y_, trajectory.rewards.sum() / episodes)
        self._asked = None

    def optimize(self, world, n_evals, episodes_per_eval=1, *, max_steps=None, show_progress=None):
        """Try policies in a world.

        Parameters
        ----------
        world : Environment or gymnasium.Env
            Where.
        n_evals : int
            Trials, on top of those told before.
        episodes_per_eval : int, default=1
            Episodes of each.
        max_steps : int or None, default=None
            Steps after which an episode is cut off; None takes the world's limit.
        show_progress : bool or None, default=None
            None shows a bar on a terminal.

        Returns
        -------
        self
        """
        world = as_environment(world)
        with progress("trials", n_evals, show=show_progress) as done:
            for _ in range(n_evals):
                theta = self.ask()
                run = run_policy(
                    world, self.policy, theta, episodes_per_eval, max_steps=max_steps, random_state=self._rng
                )
                self.tell(theta, run)
                done(1)
        return self

    def kernel_matrix(self):
        """Likeness of the policies tried, by the kernel of this search.

        Returns
        -------
        K : ndarray of shape (n_trials, n_trials)
        """
        if self._archive is not None:
            distances = self._archive.distances()
            return np.exp(-self._fall(distances) * distances)
        return self._squared_exponential(self.X_)

    def _squared_exponential(self, thetas):
        gaps = np.square(thetas).sum(axis=1)[:, np.newaxis] - 2.0 * thetas @ self.X_.T + np.square(self.X_).sum(axis=1)
        return np.exp(-0.5 * self.rho * np.maximum(gaps, 0.0))

    def _fall(self, distances):
        """How fast likeness of behaviour falls."""
        if self.alpha != "median":
            return self.alpha
        apart = distances[np.triu_indices(len(distances), 1)]
        return FALL / np.median(apart[apart > 0.0]) if (apart > 0.0).any() else 1.0

    def _likeness(self):
        """Likeness to the trials told, as a function of many parameter vectors."""
        if self._archive is None:
            return self._squared_exponential
        fall = self._fall(self._archive.distances())
        return lambda thetas: np.exp(-fall * self._archive.distances_of(thetas))

    def _improvement(self):
        """Expected improvement as a function of many parameter vectors."""
        spread = self.y_.std()
        scale = spread if spread > 0.0 else 1.0
        prior, seen = self._prior(scale)
        y = (self.y_ - self.y_.mean()) / scale
        self.gp_ = GaussianProcess(self.kernel_matrix(), y, mean=seen, noise=self.noise)
        self.beta_, self.jitter_ = self.gp_.beta, self.gp_.jitter
        if not USUAL_WEIGHTS[0] <= self.beta_ <= USUAL_WEIGHTS[1] and not self._warned:
            self._warned = True
            warnings.warn(
                f"the learned model has the weight {self.beta_:.2g}, outside 0 to 1.5: it does not tell the returns of "
                "this world; look at its features (said once)",
                stacklevel=3,
            )
        best, likeness = y.max(), self._likeness()

        def improvement(thetas):
            return expected_improvement(*self.gp_.predict(likeness(thetas), prior(thetas)), best)

        return improvement

    def _prior(self, scale):
        """The prior mean as a function, and at the trials: in the units of the returns, and centred over the trials.

        Centred as the returns are, a simulator that is wrong by a constant is as good as one that is right, and one
        that says nothing changes nothing.
        """
        if self.model is None:
            return (lambda thetas: np.zeros(len(thetas))), None
        self.model.fit(self._trajectory, self.policy)
        seed = int(self._rng.integers(2**31 - 1))

        def returns(thetas):
            return self.model.returns(self.policy, thetas, self.n_rollouts, random_state=seed)

        seen = returns(self.X_)
        warn_of_divergence(self.model.clipped_)
        middle = seen.mean()
        return (lambda thetas: (returns(thetas) - middle) / scale), (seen - middle) / scale

    def save(self, path):
        """Keep the search in a file, random numbers included; :meth:`load` goes on to the bit.

        Parameters
        ----------
        path : str or path
            A file, by custom with the ending ``.npz``.
        """
        about = {
            "format": FORMAT, "kernel": self.kernel, "mean": self.mean, "alpha": self.alpha, "rho": self.rho,
            "noise": self.noise, "n_rollouts": self.n_rollouts, "n_init": self.n_init,
            "acq_optimizer": self.acq_optimizer, "n_candidates": self.n_candidates,
            "random": self._rng.bit_generator.state,
        }  # fmt: skip
        arrays = {"X": self.X_, "bounds": self.bounds, "lengths": np.array(self._lengths, dtype=np.int64)}
        if self._asked is not None:
            arrays["asked"] = self._asked
        if self._trajectory is not None:
            arrays.update({name: getattr(self._trajectory, name) for name in STEPS})
        with replacing(path) as temporary, open(temporary, "wb") as stream:
            np.savez(stream, about=np.array(json.dumps(about)), **arrays)

    @classmethod
    def load(cls, path, policy, *, model=None):
        """A search from a file that :meth:`save` wrote; it goes on to the bit. Runs no code.

        Parameters
        ----------
        path : str or path
            The file.
        policy : ControlPolicy
            The policy of the search, made as it was; files hold numbers only.
        model : LinearDynamics or None, default=None
            Its model, likewise.

        Returns
        -------
        search : PolicyBO
        """
        try:
            arrays = load_arrays(path)
            about = json.loads(str(arrays.pop("about")))
            about.pop("format")
            state = about.pop("random")
            search = cls(policy, arrays["bounds"], model=model, **about)
            begun = 0
            for theta, length in zip(arrays["X"], arrays["lengths"], strict=True):
                search.tell(theta, Trajectory(*(arrays[name][begun : begun + length] for name in STEPS)))
                begun += length
            search._rng.bit_generator.state = state
        except OSError as error:
            raise TreatiseError(f"{path} cannot be read ({error.strerror or error})") from error
        except Exception as error:
            raise TreatiseError(
                f"{path} holds no search of this policy and model ({type(error).__name__}: {error})"
            ) from error
        search._asked = arrays.get("asked")
        return search
