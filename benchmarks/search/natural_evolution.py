"""Generations of natural evolution strategies beside other evolution strategies, and their cost over dimensions."""

import time
from collections.abc import Iterator

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.search import SNES, XNES


def benchmarks() -> Iterator[Contest | Scaling]:
    """Own work of the optimisers at one population on a function that costs nothing; evaluations to a target."""
    for d in (10, 100):
        for peer, theirs in (("cmaes", _cmaes), ("cma", _cma)):
            try:
                yield Contest(
                    work=f"200 generations of xNES' usual size, sphere of {d} dimensions; quality: trials told",
                    peer=peer,
                    ours=lambda d=d: _generations(XNES(np.ones(d), random_state=0)),
                    theirs=lambda d=d, theirs=theirs: theirs(d),
                    quality=float,
                )
            except ImportError as missing:
                left_out(f"{missing}: no contest with {peer}")
    for name, f, start in FUNCTIONS:
        for peer, theirs in (("cmaes", _cmaes_trials), ("cma", _cma_trials)):
            yield Contest(
                work=f"xNES to 1e-8 on {name} of 10 dimensions, {SEEDS} seeds; quality: median evaluations",
                peer=peer,
                ours=lambda f=f, start=start: _median_evaluations(_xnes_trials, f, start),
                theirs=lambda f=f, start=start, theirs=theirs: _median_evaluations(theirs, f, start),
                quality=float,
                repeats=1,
            )
    for (name, f, start), most in zip(FUNCTIONS[:2], ("1,500", "6,000")):
        yield Contest(
            work=f"xNES with adaptation to 1e-8 on {name} of 10 dimensions, {SEEDS} seeds; quality: median evaluations "
            f"(at most {most} asked)",
            peer="cma",
            ours=lambda f=f, start=start: _median_evaluations(_adaptive_trials, f, start),
            theirs=lambda f=f, start=start: _median_evaluations(_cma_trials, f, start),
            quality=float,
            repeats=1,
        )
    yield Contest(
        work="20 generations of SNES of 100,000 dimensions, each drawn once more, beside 40 such draws; quality: "
        "milliseconds a generation beyond its draws (under 10 asked)",
        peer="numpy",
        ours=_beyond_draws,
        theirs=lambda: _draws(40),
        quality=float,
        warm_up=lambda: _generations(SNES(np.ones(10), random_state=0), 2),
    )
    yield Scaling(
        work="50 generations of SNES over the dimension",
        sizes=(1_000, 10_000, 100_000),
        prepare=lambda d: lambda: _generations(SNES(np.ones(d), random_state=0), 50),
        warm_up=lambda: _generations(SNES(np.ones(10), random_state=0), 2),
    )


def _generations(search, n: int = 200) -> int:
    for _ in range(n):
        X = search.ask()
        search.tell(X, np.einsum("ij,ij->i", X, X))
    return search.evaluations


def _rosenbrock(x):
    return float(100.0 * np.square(x[1:] - x[:-1] ** 2).sum() + np.square(1.0 - x[:-1]).sum())


SEEDS = 10
FUNCTIONS = (
    ("a sphere", lambda x: float(x @ x), 1.0),
    ("an ellipsoid", lambda x: float(x**2 @ 10 ** (6 * np.arange(10) / 9)), 1.0),
    ("Rosenbrock's function", _rosenbrock, 0.0),
)
"""Names, functions of one trial, and where all coordinates begin; as the card of the paper has them."""


def _median_evaluations(trials, f, start) -> float:
    """Evaluations until a value is at most 1e-8, or 100,000."""
    counts = []
    for seed in range(SEEDS):
        ask, tell = trials(np.full(10, start), seed)
        told, best = 0, np.inf
        while best > 1e-8 and told < 100_000:
            X = ask()
            values = [f(x) for x in X]
            tell(X, values)
            told, best = told + len(X), min(best, *values)
        counts.append(told)
    return float(np.median(counts))


def _xnes_trials(start, seed):
    search = XNES(start, random_state=seed)
    return search.ask, search.tell


def _adaptive_trials(start, seed):
    search = XNES(start, adapt=True, random_state=seed)
    return search.ask, search.tell


def _cmaes_trials(start, seed):
    from cmaes import XNES as Peer

    search = Peer(mean=start, sigma=1.0, seed=seed)
    return lambda: [search.ask() for _ in range(search.population_size)], lambda X, f: search.tell(list(zip(X, f)))


def _cma_trials(start, seed):
    import cma

    quiet = {"verbose": -9, "seed": seed + 1, "tolfun": 0, "tolx": 0, "tolfunhist": 0}
    search = cma.CMAEvolutionStrategy(start, 1.0, quiet)
    return search.ask, search.tell


def _draws(n: int, d: int = 100_000) -> float:
    """What SNES of that many dimensions draws in some generations, and nothing beyond."""
    rng, popsize = np.random.default_rng(0), SNES(np.ones(d)).popsize
    for _ in range(n):
        rng.standard_normal((popsize, d))
    return 0.0


def _beyond_draws(n: int = 20, d: int = 100_000) -> float:
    """Milliseconds of a generation without its draws and without the function, each the shortest that was seen."""
    search, own, drawn = SNES(np.ones(d), random_state=0), np.inf, np.inf
    for values in np.random.default_rng(0).random((n, search.popsize)):
        began = time.perf_counter()
        search.tell(search.ask(), values)
        own = min(own, time.perf_counter() - began)
        began = time.perf_counter()
        _draws(1, d)
        drawn = min(drawn, time.perf_counter() - began)
    return 1e3 * (own - drawn)


def _cmaes(d: int) -> int:
    from cmaes import XNES as Peer

    search, told = Peer(mean=np.ones(d), sigma=1.0, seed=0), 0
    for _ in range(200):
        trials = [search.ask() for _ in range(search.population_size)]
        search.tell([(x, float(x @ x)) for x in trials])
        told += len(trials)
    return told


def _cma(d: int) -> int:
    import cma

    quiet = {"verbose": -9, "seed": 1, "tolfun": 0, "tolx": 0, "tolfunhist": 0}
    search, told = cma.CMAEvolutionStrategy(np.ones(d), 1.0, quiet), 0
    for _ in range(200):
        trials = search.ask()
        search.tell(trials, [float(x @ x) for x in trials])
        told += len(trials)
    return told
