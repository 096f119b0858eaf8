"""The behaviour kernel over candidates and steps, and asking for a trial beside another package's."""

import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.rl import PolicyBO, SoftmaxControl, StateTerms, Trajectory
from treatise.rl.policy_search.behavior import BehaviorArchive

PARAMETERS, TRIALS, CANDIDATES = 10, 40, 20_000
PRODUCTS = [(0,), (1,), (0, 0), (0, 1), (1, 1), (0, 0, 1), (0, 1, 1), (1, 1, 1)]


def benchmarks() -> Iterator[Contest | Scaling]:
    """A block of candidates against policies with episodes; one trial chosen with a fixed kernel."""
    yield Scaling(
        work="behaviour kernel, 256 candidates of 16 parameters, episodes of 400 steps, over the policies kept",
        sizes=(25, 50, 100),
        prepare=_block,
        warm_up=lambda: _block(2)(),
    )
    points, values = _trials()
    yield Contest(
        work=f"choose a trial after {TRIALS} of {PARAMETERS} parameters, squared exponential kernel, {CANDIDATES:,} "
        "random candidates; quality: expected improvement of the choice",
        peer="bayesian-optimization",
        ours=lambda: _ours(points, values),
        theirs=lambda: _theirs(points, values),
        quality=lambda theta: _improvement(points, values, theta),
        warm_up=lambda: _ours(points, values),
    )


def _block(n_policies: int):
    rng = np.random.default_rng(0)
    archive = BehaviorArchive(SoftmaxControl(2, StateTerms(2, products=PRODUCTS)))
    for _ in range(n_policies):
        states, starts = rng.normal(size=(400, 2)), np.arange(400) == 0
        run = Trajectory(states, rng.integers(0, 2, 400), -np.ones(400), states, starts, ~starts)
        archive.add(rng.uniform(-1.0, 1.0, 16), run)
    candidates = rng.uniform(-1.0, 1.0, (256, 16))
    return lambda: archive.distances_of(candidates)


def _trials():
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (TRIALS, PARAMETERS))
    return points, -np.square(points - 0.3).sum(axis=1)


def _search(points, values):
    policy = SoftmaxControl(2, StateTerms(PARAMETERS // 2))
    search = PolicyBO(policy, kernel="se", noise=1e-4, acq_optimizer="random", n_candidates=CANDIDATES, random_state=0)
    for point, value in zip(points, values):
        state = np.zeros((1, PARAMETERS // 2))
        run = Trajectory(state, np.zeros(1, dtype=int), np.array([value]), state, np.ones(1, bool), np.ones(1, bool))
        search.tell(point, run)
    return search


def _ours(points, values):
    return _search(points, values).ask()


def _improvement(points, values, theta):
    return float(_search(points, values)._improvement()(np.atleast_2d(theta))[0])


def _theirs(points, values):
    from bayes_opt import BayesianOptimization
    from bayes_opt.acquisition import ExpectedImprovement
    from sklearn.gaussian_process.kernels import RBF

    names = [f"x{j:02d}" for j in range(PARAMETERS)]
    search = BayesianOptimization(
        None, dict.fromkeys(names, (-1.0, 1.0)), acquisition_function=ExpectedImprovement(xi=0.0, random_state=0),
        random_state=0, verbose=0, allow_duplicate_points=True,
    )  # fmt: skip
    search.set_gp_params(kernel=RBF(1.0), optimizer=None, alpha=1e-4, normalize_y=True)
    for point, value in zip(points, values):
        search.register(params=dict(zip(names, point)), target=float(value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = search.acquisition_function.suggest(
            search._gp, search._space, n_random=CANDIDATES // 2, n_smart=10, fit_gp=True
        )
    return np.array([chosen[name] for name in names]) if isinstance(chosen, dict) else np.asarray(chosen)
