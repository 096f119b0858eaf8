"""Clustering of hidden Markov models: variational steps against steps on drawn sequences, and cost over models."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._contest import Contest, Scaling
from treatise.bayes import HMMClusterer, SampledHMMClusterer
from treatise.inference import MixtureHMM

STEPS = 10


def benchmarks() -> Iterator[Contest | Scaling]:
    """1 000 models of 4 states, 2 components and 10 columns into 10, ten steps each; then up to 8 000 models."""
    models = _families(1000)
    unseen = [model.sample(10, 1, random_state=i)[0] for i, model in enumerate(models)]
    yield Contest(
        work="1 000 hidden Markov models into 10, ten steps (the rival draws 10 sequences of each and fits those; "
        "quality: log-likelihood of unseen draws under the centre of their model)",
        peer="treatise",
        ours=lambda: _ours(models),
        theirs=lambda: _drawn(models),
        quality=lambda found: _fit(found, unseen),
        warm_up=lambda: _ours(models[:20]),
        repeats=1,
    )
    yield Scaling(
        work="HMMClusterer, ten steps with soft groups, 10 centres, over models",
        sizes=(500, 2000, 8000),
        prepare=_many,
        warm_up=_many(20),
    )


def _families(n: int) -> list[MixtureHMM]:
    """Models around ten sources, with full covariances."""
    rng = np.random.default_rng(0)
    S, M, d = 4, 2, 10
    sources = 3 * rng.normal(size=(10, S, M, d))
    found = []
    for i in range(n):
        factors = 0.3 * rng.normal(size=(S, M, d, d))
        found.append(
            MixtureHMM(
                rng.dirichlet(np.full(S, 5.0)), rng.dirichlet(np.full(S, 5.0), S), rng.dirichlet(np.full(M, 5.0), S),
                sources[i % 10] + 0.5 * rng.normal(size=(S, M, d)), factors @ factors.swapaxes(-1, -2) + np.eye(d),
            )
        )  # fmt: skip
    return found


def _many(n: int) -> Any:
    """Hard groups stand still after some steps, more or fewer; those that overlap take all ten."""
    models = _families(n)
    return lambda: _ours(models, 0.01).n_iter_


def _ours(models: list[MixtureHMM], n_virtual: float = 1e4) -> HMMClusterer:
    way = HMMClusterer(10, n_virtual=n_virtual, n_init=1, anneal=False, max_iter=STEPS, tol=0, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return way.fit(models)


def _drawn(models: list[MixtureHMM]) -> SampledHMMClusterer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SampledHMMClusterer(10, n_samples=10, n_init=1, max_iter=STEPS, tol=0, random_state=1).fit(models)


def _fit(found: Any, unseen: list[np.ndarray]) -> float:
    logs = found.sequence_log_likelihood(unseen)
    return float(logs[np.arange(len(unseen)), found.labels_].mean() / 10)
