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

SWEEPS = 20_000


def benchmarks() -> Iterator[Contest]:
    """200 rows with 5, 10 and 15 columns; the plain process is the one that the paper improves on."""
    X, y, new, truth = simulated(0)
    for p in (5, 10, 15):
        rows = X[:, :p], y, new[:, :p]
        yield Contest(
            work=f"{SWEEPS} sweeps over 200 rows and {p} columns and 200 means, against the plain process; quality: "
            "mean absolute error of the means",
            peer="treatise",
            ours=partial(_means, EnrichedDPRegressor, rows, SWEEPS),
            theirs=partial(_means, DPMixtureRegressor, rows, SWEEPS),
            quality=partial(_error, truth),
            warm_up=partial(_warm_up, rows),
            repeats=1,
        )


def _means(model: Any, rows: tuple[np.ndarray, ...], sweeps: int) -> np.ndarray:
    """One chain with the paper's prior, a quarter of it before the first draw, and 250 draws."""
    X, y, new = rows
    length = {"n_chains": 1, "burn_in": sweeps // 4, "n_samples": sweeps - sweeps // 4, "thin": max(1, sweeps // 250)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model(prior=prior(X.shape[1]), random_state=0, verbose=False, **length).fit(X, y).predict(new)


def _warm_up(rows: tuple[np.ndarray, ...]) -> None:
    """Both sides compile."""
    for model in (EnrichedDPRegressor, DPMixtureRegressor):
        _means(model, rows, 20)


def _error(truth: np.ndarray, means: np.ndarray) -> float:
    return float(np.abs(means - truth).mean())
