"""Enriched Dirichlet processes beside the plain one, on the paper's simulated rows; no other package does this work."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._contest import Contest
from treatise.bayes import DPMixtureRegressor, EnrichedDPRegressor
from treatise.papers.bayes.v15_1041 import prior, simulated

SETS, SWEEPS = 5, 4000


def benchmarks() -> Iterator[Contest]:
    """200 rows with 5, 10 and 15 columns; the plain process is the one that the paper improves on."""
    for p in (5, 10, 15):
        yield Contest(
            work=f"{SETS} sets of 200 rows and {p} columns, {SWEEPS} sweeps and 200 means each, against the plain "
            "process; quality: mean absolute error of the means",
            peer="treatise",
            ours=partial(_error, EnrichedDPRegressor, p, SETS, SWEEPS),
            theirs=partial(_error, DPMixtureRegressor, p, SETS, SWEEPS),
            quality=float,
            prepare=partial(_warm_up, p),
            repeats=1,
        )


def _error(model: Any, p: int, sets: int, sweeps: int) -> float:
    """One chain a set with the paper's prior, a quarter of it before the first draw, and some 200 draws."""
    length = {"n_chains": 1, "burn_in": sweeps // 4, "n_samples": sweeps - sweeps // 4, "thin": max(1, sweeps // 250)}
    errors = []
    for seed in range(sets):
        X, y, new, truth = simulated(seed)
        chain = model(prior=prior(p), random_state=seed, verbose=False, **length)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            errors.append(np.abs(chain.fit(X[:, :p], y).predict(new[:, :p]) - truth).mean())
    return float(np.mean(errors))


def _warm_up(p: int) -> None:
    """Both sides compile."""
    for model in (EnrichedDPRegressor, DPMixtureRegressor):
        _error(model, p, 1, 20)
