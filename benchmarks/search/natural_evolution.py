"""Generations of natural evolution strategies beside other evolution strategies, and their cost over dimensions."""

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
    yield Contest(
        work="xNES to 1e-8 on an ellipsoid of 10 dimensions; quality: evaluations",
        peer="cmaes",
        ours=lambda: _to_target(XNES(np.ones(10), random_state=0)),
        theirs=lambda: _cmaes_to_target(),
        quality=float,
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


def _ellipsoid(X):
    return X**2 @ 10 ** (6 * np.arange(10) / 9)


def _to_target(search) -> int:
    while search.best_f > 1e-8:
        X = search.ask()
        search.tell(X, _ellipsoid(X))
    return search.evaluations


def _cmaes(d: int) -> int:
    from cmaes import XNES as Peer

    search, told = Peer(mean=np.ones(d), sigma=1.0, seed=0), 0
    for _ in range(200):
        trials = [search.ask() for _ in range(search.population_size)]
        search.tell([(x, float(x @ x)) for x in trials])
        told += len(trials)
    return told


def _cmaes_to_target() -> int:
    from cmaes import XNES as Peer

    search, told, best = Peer(mean=np.ones(10), sigma=1.0, seed=0), 0, np.inf
    while best > 1e-8:
        trials = [search.ask() for _ in range(search.population_size)]
        values = [float(_ellipsoid(x)) for x in trials]
        search.tell(list(zip(trials, values)))
        told, best = told + len(trials), min(best, *values)
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
