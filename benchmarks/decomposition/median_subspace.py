"""Robust principal components beside one singular value decomposition, and beside robust covariances."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.covariance import EmpiricalCovariance, MinCovDet

from benchmarks._contest import Contest
from treatise.datasets import make_subspace_outliers
from treatise.decomposition import GeometricMedianSubspace
from treatise.statistics import subspace_distance


def benchmarks() -> Iterator[Contest]:
    """The paper's larger sizes, a million rows, and scikit-learn's covariances."""
    for size in ((250, 250, 100, 10), (500, 500, 200, 20)):
        X, _, components = make_subspace_outliers(*size, noise=0.01, random_state=0)
        yield Contest(
            f"{len(X)} x {size[2]}, half outlying, noise 0.01: subspace error (the peer is one SVD)",
            "numpy",
            ours=partial(_robust, X, size[3]),
            theirs=lambda X=X, d=size[3]: np.linalg.svd(X, full_matrices=False)[2][:d],
            quality=partial(subspace_distance, components),
            warm_up=partial(_robust, X[:20], 1),
            repeats=5,
        )
    X, _, components = make_subspace_outliers(500_000, 500_000, 50, 5, random_state=0)
    yield Contest(
        "1000000 x 50, half outlying: subspace error (the peer is one SVD)",
        "numpy",
        ours=partial(_robust, X, 5),
        theirs=lambda X=X: np.linalg.svd(X, full_matrices=False)[2][:5],
        quality=partial(subspace_distance, components),
        warm_up=partial(_robust, X[:20], 1),
        repeats=1,
    )
    X, _, components = make_subspace_outliers(700, 300, 50, 5, noise=0.01, random_state=0)
    for peer in (MinCovDet(random_state=0), EmpiricalCovariance()):
        yield Contest(
            f"1000 x 50, 3 in 10 outlying, noise 0.01: subspace error, {type(peer).__name__}",
            "scikit-learn",
            ours=partial(_robust, X, 5),
            theirs=lambda X=X, peer=peer: np.linalg.eigh(peer.fit(X).covariance_)[1][:, -5:].T,
            quality=partial(subspace_distance, components),
            warm_up=partial(_robust, X[:20], 1),
        )


def _robust(X: np.ndarray, d: int) -> np.ndarray:
    return GeometricMedianSubspace(d).fit(X).components_
