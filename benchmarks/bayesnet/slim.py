"""Causal orders of linear non-Gaussian data: Gibbs sampling here, LiNGAM by its authors; and the cost of sweeps."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, left_out
from treatise.bayesnet import SLIM, SparseFactorModel
from treatise.datasets import LinearNetworkData, make_linear_network

N_NETWORKS = 10
SWEEPS = {"n_burn": 1000, "n_samples": 2000, "n_chains": 1}


def benchmarks() -> Iterator[Contest | Scaling]:
    """Right orders against DirectLiNGAM and ICA-LiNGAM, and seconds over variables and rows."""
    if find_spec("lingam") is None:
        left_out("slim: lingam is not installed; its contests are left out")
    else:
        import_module("lingam")  # seconds of imports that are no part of the contest
        networks = [_network(5, seed) for seed in range(N_NETWORKS)]
        for learner in ("DirectLiNGAM", "ICALiNGAM"):
            yield Contest(
                work=f"causal orders of {N_NETWORKS} networks, 5 variables, 500 rows, against {learner}: right orders",
                peer="lingam",
                ours=lambda: [_first(data) for data in networks],
                theirs=partial(_lingam, learner, networks),
                quality=lambda orders: float(sum(data.admits(order) for data, order in zip(networks, orders))),
                warm_up=lambda: _first(_network(3, 0)),
                repeats=1,
            )
    yield Scaling(
        work="SparseFactorModel with order search, 1000 rows, 100 sweeps, over variables",
        sizes=(5, 10, 20, 50),
        prepare=lambda d: _sweeps(d, 1000),
        warm_up=_sweeps(3, 50),
    )
    yield Scaling(
        work="SparseFactorModel with order search, 10 variables, 100 sweeps, over rows",
        sizes=(500, 2000, 8000),
        prepare=lambda n: _sweeps(10, n),
        warm_up=_sweeps(3, 50),
    )
    yield Scaling(
        work="SLIM, 1000 rows, one given order, 100 sweeps of the DAG, over variables",
        sizes=(5, 10, 20, 50),
        prepare=_dag,
        warm_up=_dag(3),
    )


def _network(n_variables: int, seed: int, n_samples: int = 500) -> LinearNetworkData:
    density = 1.0 if seed % 2 == 0 else 0.5
    return make_linear_network(n_samples, n_variables, density=density, balanced=True, random_state=seed)


def _first(data: LinearNetworkData) -> np.ndarray:
    """The most frequent order of the search."""
    return SparseFactorModel(search_orders=True, random_state=0, **SWEEPS).fit(data.X).order_candidates_[0]


def _lingam(learner: str, networks: list[LinearNetworkData]) -> list[np.ndarray]:
    import lingam

    return [np.array(getattr(lingam, learner)(random_state=0).fit(data.X).causal_order_) for data in networks]


def _sweeps(n_variables: int, n_samples: int) -> Callable[[], Any]:
    X = _network(n_variables, 1, n_samples).X
    model = SparseFactorModel(search_orders=True, n_burn=50, n_samples=50, thin=50, n_chains=1, random_state=0)
    return partial(model.fit, X)


def _dag(n_variables: int) -> Callable[[], Any]:
    data = _network(n_variables, 1, 1000)
    model = SLIM(orders=data.order, test_size=0, n_burn_dag=50, n_samples_dag=50, thin=50, n_chains=1, random_state=0)
    return partial(model.fit, data.X)
