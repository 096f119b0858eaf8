"""Kernels between distributions: counts against scikit-learn's cosines, models of sequences and sets by number."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from benchmarks._contest import Contest, Scaling
from treatise.kernels import (
    GaussianProductKernel,
    Gaussians,
    HiddenMarkovModel,
    HiddenMarkovProductKernel,
    MultinomialProductKernel,
)


def benchmarks() -> Iterator[Contest | Scaling]:
    """Counts against the peer's sparse product; models of sequences and of sets over their number."""
    counts = sparse.random_array(
        (4000, 20_000), density=0.004, format="csr", rng=np.random.default_rng(0), data_sampler=_counts
    )
    yield Contest(
        work="Bhattacharyya kernel of 4000 documents, 20 000 words, 80 in each",
        peer="scikit-learn",
        ours=lambda: MultinomialProductKernel()(counts),
        theirs=lambda: cosine_similarity(counts.sqrt()),
        quality=lambda gram: float(gram.mean()),
        repeats=2,
    )
    yield Scaling(
        work="hidden Markov kernel, T = 10, models of 5 states and 4 symbols, over models (all pairs)",
        sizes=(125, 250, 500, 1000),
        prepare=_hidden_markov,
        warm_up=lambda: _hidden_markov(5)(),
    )
    yield Scaling(
        work="Gaussian kernel, whole covariances in 10 dimensions, over models (all pairs)",
        sizes=(125, 250, 500),
        prepare=partial(_gaussians, 10),
    )


def _counts(size: int) -> np.ndarray:
    return np.random.default_rng(1).geometric(0.6, size).astype(float)


def _hidden_markov(n: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    models = [
        HiddenMarkovModel(rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), 5), rng.dirichlet(np.ones(4), 5))
        for _ in range(n)
    ]
    kernel = HiddenMarkovProductKernel(n_steps=10)
    prepared = kernel.prepare(models)
    return lambda: kernel.log_block(prepared, prepared)


def _gaussians(n_dimensions: int, n: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(n, n_dimensions, 2 * n_dimensions))
    models = Gaussians(rng.normal(size=(n, n_dimensions)), roots @ roots.transpose(0, 2, 1))
    kernel = GaussianProductKernel()
    return lambda: kernel.log_block(models, models)
