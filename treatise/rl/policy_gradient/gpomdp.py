"""Policy gradients from one long run (Greensmith, Bartlett & Baxter, JMLR 5:1471)."""

import math
import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.progress import progress
from treatise.rl.environments.gymnasium import as_environment
from treatise.rl.policy_gradient._loops import gpomdp_run, online_baseline_run
from treatise.rl.policy_gradient.exact import sights_of
from treatise.rl.policy_gradient.world_walk import WorldWalk
from treatise.rl.processes._sampling_loops import cumulative
from treatise.rl.processes.markov_chain import closed_class
from treatise.rl.processes.mdp import FiniteMDP, generator

BLOCKS = 32
"""Parts of a run whose estimates tell how far the whole may be off."""
MEMORY_NUMBERS = 50_000_000


@dataclass(frozen=True)
class GradientEstimate:
    """A gradient from a run, and how sure it is."""

    gradient: np.ndarray
    """Estimate of the discounted gradient of the average reward."""
    standard_error: np.ndarray
    """Of each of its parts, from the means of 32 stretches of the run; NaN where the run is shorter."""
    average_reward: float
    """Mean reward of a step."""
    baseline: np.ndarray
    """What was taken from the returns at each observation; in a world that shows vectors, the weights of one and of the
    numbers shown."""
    n_steps: int
    """Steps of the run."""


class GPOMDP(BaseEstimator):
    """Gradient of the average reward by the parameters of a policy, from one long run, with the least variance.

    A trace of log gradients is credited with the rewards that follow, discounted by ``beta``: a larger one gives less
    bias and more variance. A baseline takes from the returns what no action changes; the best one weighs returns by the
    squared length of the log gradient, and can make the variance hundreds of times smaller.

    Use it to train small stochastic policies on processes that go on for ever, or to study baselines against the exact
    numbers of :func:`exact_policy_gradient`. For deep policies and episodes the usual packages serve better. A step
    costs as many operations as there are parameters and observations; in a world of yours or of Gymnasium's it goes
    through Python.

    Parameters
    ----------
    beta : float, default=0.95
        Discount of the credit, from 0 to below 1.
    baseline : {"observation", "constant", "mean_return", "online", None}, float or array-like, default="observation"
        The best one for each observation, the best constant or the mean return, each estimated from the same run;
        one for each observation that is learned on the way (Algorithm 2); none; or given numbers. In a world that shows
        vectors "observation" is the best linear function of them, and "online" is not known.
    step : float, default=1.0
        Size of the steps of "online".
    schedule : float or "log", default=1000.0
        Steps of "online" shrink as ``schedule / (schedule + t)``; "log" takes the paper's ``1 / ln(1 + t)``, which is
        large: give it a smaller ``step``.
    extra_steps : int, default=0
        Steps at the beginning that are not counted, so that the run forgets its start.
    random_state : int, RandomState instance, Generator or None, default=None
        Seed of the runs.

    Examples
    --------
    >>> from treatise.rl import GPOMDP, three_state_process
    >>> process, policy, theta = three_state_process()
    >>> found = GPOMDP(random_state=0).estimate(process, policy, theta, n_steps=200_000)
    >>> bool(found.gradient[0] < 0 < found.gradient[2])
    True

    References
    ----------
    .. [1] Paper v05-1471, sections 2, 5 and 7.
    """

    _parameter_constraints: dict = {
        "beta": [Interval(Real, 0, 1, closed="left")],
        "baseline": [
            StrOptions({"observation", "constant", "mean_return", "online"}),
            None,
            Interval(Real, None, None, closed="neither"),
            "array-like",
        ],
        "step": [Interval(Real, 0, None, closed="neither")],
        "schedule": [Interval(Real, 0, None, closed="neither"), StrOptions({"log"})],
        "extra_steps": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, beta=0.95, *, baseline="observation", step=1.0, schedule=1000.0, extra_steps=0, random_state=None
    ):
        self.beta = beta
        self.baseline = baseline
        self.step = step
        self.schedule = schedule
        self.extra_steps = extra_steps
        self.random_state = random_state

    def estimate(self, pomdp, policy, theta, n_steps):
        """The gradient at some parameters.

        Parameters
        ----------
        pomdp : FiniteMDP, FinitePOMDP, Environment or gymnasium.Env
            Where to act. A world with numbered actions that shows vectors goes on for ever here: it begins anew where
            an episode ends.
        policy : ParameterizedPolicy
            How: it reacts to the last observation (the state, for an MDP; the vector shown, for a world).
        theta : array-like
            Its parameters.
        n_steps : int
            Length of the run.

        Returns
        -------
        estimate : GradientEstimate
        """
        return self._run(pomdp, policy, theta, n_steps, generator(self.random_state))

    def _run(self, pomdp, policy, theta, n_steps, rng):
        if not isinstance(self.random_state, np.random.Generator):
            self._validate_params()
        if n_steps < 1:
            raise ValueError(f"n_steps={n_steps!r}: a run has at least one step")
        if not isinstance(pomdp, FiniteMDP):
            return self._in_world(as_environment(pomdp), policy, theta, n_steps, rng)
        sights, probabilities = sights_of(pomdp), policy.probabilities(theta)
        gradients = np.ascontiguousarray(policy.log_gradients(theta))
        n_observations, K = sights.shape[1], gradients.shape[2]
        if probabilities.shape != (n_observations, pomdp.n_actions):
            raise ValueError(
                f"the policy has {probabilities.shape[0]} observations and {probabilities.shape[1]} actions; the "
                f"process has {n_observations} and {pomdp.n_actions}"
            )
        if K * n_observations * BLOCKS > MEMORY_NUMBERS:
            raise ValueError(f"{K} parameters and {n_observations} observations are too many for one table of sums")
        closed_class(np.einsum("sa,ast->st", sights @ probabilities, pomdp.transitions))
        lengths = np.ascontiguousarray(np.square(gradients).sum(axis=2))
        tables = (
            cumulative(pomdp.transitions), cumulative(sights), cumulative(probabilities), pomdp.rewards, gradients,
            lengths, float(self.beta),
        )  # fmt: skip
        state = int(rng.choice(pomdp.n_states, p=pomdp.start))
        seen = int(rng.choice(n_observations, p=sights[state]))
        if isinstance(self.baseline, str) and self.baseline == "online":
            return self._learning(rng, state, seen, tables, n_steps, n_observations, K)

        def walk(place, steps, *sums):
            state, seen, earned = gpomdp_run(rng, *place, *tables, steps, *sums)
            return (state, seen), earned

        return self._counting(walk, (state, seen), n_steps, K, np.zeros(n_observations), np.zeros(n_observations))

    def _in_world(self, world, policy, theta, n_steps, rng):
        if isinstance(self.baseline, str) and self.baseline == "online":
            raise ValueError("baseline='online' needs observations that are numbered; take 'observation'")
        walk = WorldWalk(world, policy, theta, float(self.beta), rng)
        size = 1 + world.state_size
        return self._counting(walk, walk.begun(), n_steps, np.size(theta), np.zeros(size), np.zeros((size, size)))

    def _counting(self, walk, place, n_steps, K, weighted, totals):
        """Sums of the whole run, made by ``walk``; the baseline is applied to them at its end."""
        n = len(weighted)
        trace, weights = np.zeros(K), np.zeros(n)
        if self.extra_steps:
            spare = np.zeros(K), np.zeros((K, n)), np.zeros_like(weighted), np.zeros_like(totals)
            place, _ = walk(place, self.extra_steps, trace, weights, *spare)
        edges = np.linspace(0, n_steps, min(BLOCKS, n_steps) + 1).astype(np.int64)
        sums, columns, earned = np.zeros((len(edges) - 1, K)), np.zeros((len(edges) - 1, K, n)), 0.0
        for block, steps in enumerate(np.diff(edges)):
            place, more = walk(place, steps, trace, weights, sums[block], columns[block], weighted, totals)
            earned += more
        baseline = self._baseline(weighted, totals, earned / n_steps)
        parts = (sums - columns @ baseline) / np.diff(edges)[:, None]
        return self._estimate(parts, np.diff(edges), earned, baseline, n_steps)

    def _learning(self, rng, state, seen, tables, n_steps, n_observations, K):
        trace, weights, baseline = np.zeros(K), np.zeros(n_observations), np.zeros(n_observations)
        schedule = 0.0 if self.schedule == "log" else float(self.schedule)
        begun = 0
        if self.extra_steps:
            state, seen, _ = online_baseline_run(
                rng, state, seen, *tables, self.extra_steps, 0, float(self.step), schedule, trace, weights, baseline,
                np.zeros(K),
            )  # fmt: skip
            begun = self.extra_steps
        edges = np.linspace(0, n_steps, min(BLOCKS, n_steps) + 1).astype(np.int64)
        sums, earned = np.zeros((len(edges) - 1, K)), 0.0
        for block, steps in enumerate(np.diff(edges)):
            state, seen, more = online_baseline_run(
                rng, state, seen, *tables, steps, begun + int(edges[block]), float(self.step), schedule, trace, weights,
                baseline, sums[block],
            )  # fmt: skip
            earned += more
        if not np.isfinite(baseline).all():
            raise ValueError(f"the baseline diverged with step={self.step!r}; give a smaller one")
        return self._estimate(sums / np.diff(edges)[:, None], np.diff(edges), earned, baseline, n_steps)

    def _baseline(self, weighted, totals, average):
        """Numbers of the observations, or weights of one and of what is shown, where ``totals`` is a matrix."""
        n, shown = len(weighted), totals.ndim == 2
        # A constant: the same at every observation, or the weight of one.
        constant = np.eye(n)[0] if shown else np.ones(n)
        if self.baseline is None:
            return np.zeros(n)
        if isinstance(self.baseline, str):
            if self.baseline == "mean_return":
                return average / (1.0 - self.beta) * constant
            if self.baseline == "constant":
                total = constant @ totals @ constant if shown else totals.sum()
                return (weighted @ constant / total if total > 0.0 else 0.0) * constant
            if shown:
                return np.linalg.lstsq(totals, weighted)[0]
            return np.divide(weighted, totals, out=np.zeros(n), where=totals > 0.0)
        given = np.asarray(self.baseline, dtype=np.float64)
        if given.shape not in ((), (n,)):
            raise ValueError(f"baseline has the shape {given.shape}; give one number, or one for each of {n}")
        return given.copy() if given.ndim else given * constant

    def _estimate(self, parts, lengths, earned, baseline, n_steps):
        gradient = lengths @ parts / n_steps
        enough = len(parts) == BLOCKS
        error = parts.std(axis=0, ddof=1) / math.sqrt(BLOCKS) if enough else np.full_like(gradient, np.nan)
        return GradientEstimate(gradient, error, earned / n_steps, baseline, int(n_steps))

    def optimize(self, pomdp, policy, theta=None, *, n_iter=20, n_steps=100_000, first_step=1.0, show_progress=None):
        """Climb: conjugate directions, and along each a search by the sign of the slope alone.

        Values along a run are noisy, and slopes less so: a step is doubled as long as the gradient still points
        forward, and ends between the last two (after Baxter and Bartlett's GSEARCH).

        Parameters
        ----------
        pomdp : FiniteMDP, FinitePOMDP, Environment or gymnasium.Env
            Where to act.
        policy : ParameterizedPolicy
            How.
        theta : array-like or None, default=None
            Parameters to begin from; None begins from zero.
        n_iter : int, default=20
            Directions at most.
        n_steps : int, default=100000
            Steps of each run.
        first_step : float, default=1.0
            Length of the first step tried.
        show_progress : bool or None, default=None
            None shows a bar on a terminal.

        Returns
        -------
        theta : ndarray
            The parameters of the highest average reward that was seen.
        history : ndarray of shape (n_directions + 1,)
            Average rewards at the parameters visited.
        """
        rng, finite = generator(self.random_state), isinstance(pomdp, FiniteMDP)
        size = policy.size(sights_of(pomdp).shape[1] if finite else as_environment(pomdp).state_size)
        theta = np.zeros(size) if theta is None else np.array(theta, dtype=np.float64)
        found = self._run(pomdp, policy, theta, n_steps, rng)
        best, history = (found.average_reward, theta), [found.average_reward]
        direction, length = found.gradient.copy(), float(first_step)
        with progress("climbing", n_iter, show=show_progress) as done:
            for _ in range(n_iter):
                size_of = np.linalg.norm(direction)
                if size_of == 0.0 or np.linalg.norm(found.gradient) <= 2.0 * np.linalg.norm(found.standard_error):
                    break  # no slope that stands out from the noise
                unit = direction / size_of
                theta, after, length = self._search(pomdp, policy, theta, unit, length, n_steps, rng)
                history.append(after.average_reward)
                if after.average_reward > best[0]:
                    best = after.average_reward, theta
                # Polak and Ribiere, begun anew where it would not climb.
                change = after.gradient - found.gradient
                mix = max(0.0, float(after.gradient @ change / max(found.gradient @ found.gradient, 1e-300)))
                direction = after.gradient + mix * direction
                if direction @ after.gradient <= 0.0:
                    direction = after.gradient.copy()
                found = after
                done(1)
            else:
                warnings.warn(f"still climbing after n_iter={n_iter} directions", stacklevel=2)
        return best[1], np.array(history)

    def _search(self, pomdp, policy, theta, unit, length, n_steps, rng):
        here = self._run(pomdp, policy, theta + length * unit, n_steps, rng)
        if here.gradient @ unit > 0.0:
            for _ in range(10):
                further = self._run(pomdp, policy, theta + 2.0 * length * unit, n_steps, rng)
                if further.gradient @ unit <= 0.0 or further.average_reward < here.average_reward:
                    break
                here, length = further, 2.0 * length
        else:
            for _ in range(10):
                length *= 0.5
                here = self._run(pomdp, policy, theta + length * unit, n_steps, rng)
                if here.gradient @ unit > 0.0:
                    break
        return theta + length * unit, here, length
