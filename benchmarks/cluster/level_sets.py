"""Spectral clustering on level sets beside scikit-learn's spectral clustering and its HDBSCAN."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.cluster import HDBSCAN, SpectralClustering
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from benchmarks._contest import Contest, Scaling
from treatise.cluster import LevelSetSpectralClustering


def benchmarks() -> Iterator[Contest | Scaling]:
    """Two moons among stray rows: agreement with the moons, of the rows that are."""
    for n, peer, name in (
        (5_000, SpectralClustering(2, random_state=0), "SpectralClustering"),
        (20_000, HDBSCAN(min_cluster_size=100, copy=True), "HDBSCAN"),
    ):
        X, sides = _noisy_moons(n)
        yield Contest(
            f"{n} rows, two moons and a tenth of stray rows: adjusted Rand index, {name}",
            "scikit-learn",
            ours=partial(LevelSetSpectralClustering().fit_predict, X),
            theirs=partial(peer.fit_predict, X),
            quality=lambda labels, sides=sides: float(adjusted_rand_score(sides, labels[: len(sides)])),
            repeats=1,
        )
    yield Scaling(
        "two moons and a tenth of stray rows, by rows",
        (10_000, 30_000, 100_000),
        lambda n: partial(LevelSetSpectralClustering().fit, _noisy_moons(n)[0]),
    )


def _noisy_moons(n: int) -> tuple[np.ndarray, np.ndarray]:
    moons, sides = make_moons(9 * n // 10, noise=0.06, random_state=0)
    stray = np.random.default_rng(0).uniform([-2, -1.5], [3, 2], (n - len(moons), 2))
    return np.vstack([moons, stray]), sides
