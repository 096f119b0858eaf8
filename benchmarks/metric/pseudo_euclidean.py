"""Pseudo-Euclidean embedding: a few directions by Lanczos against scikit-learn's classical scaling, and over sizes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.manifold import ClassicalMDS

from benchmarks._contest import Contest, Scaling
from treatise.metric import PseudoEuclideanEmbedding, simpson_similarity


def benchmarks() -> Iterator[Contest | Scaling]:
    """The positive plane against the peer, which has no other; both ends over the number of objects."""
    D = overlap_dissimilarities(2000)
    distances = np.sqrt(D)
    yield Contest(
        work="two leading directions of 2000 objects, dissimilarities of overlap",
        peer="scikit-learn",
        ours=lambda: PseudoEuclideanEmbedding(2, 0, proximity="distance").fit_transform(distances),
        theirs=lambda: ClassicalMDS(2, metric="precomputed").fit_transform(distances),
        quality=lambda x: float((x**2).sum()),
        repeats=2,
    )
    yield Scaling(
        work="two directions at either end of the spectrum, over objects",
        sizes=(1000, 2000, 4000),
        prepare=_both_ends,
    )


def overlap_dissimilarities(n: int) -> np.ndarray:
    """One minus Simpson's score of random binary rows of two kinds and of unequal size."""
    rng = np.random.default_rng(0)
    density = np.where(rng.random((n, 1)) < 0.5, np.linspace(0.1, 0.9, 100), np.linspace(0.9, 0.1, 100))
    rows = (rng.random((n, 100)) < density * rng.uniform(0.3, 1.0, (n, 1))).astype(float)
    rows[:, 0] = 1.0
    return 1.0 - simpson_similarity(rows)


def _both_ends(n: int) -> Callable[[], Any]:
    D = overlap_dissimilarities(n)
    return lambda: PseudoEuclideanEmbedding().fit_transform(D)
