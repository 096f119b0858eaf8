"""Mixtures by merging beside a mixture for each number of components, and the selection at the size of its paper."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_hidden_clusters
from treatise.selection import ClusterFeatureSelector
from treatise.statistics import MergeGaussianMixture

MOST = 10


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same data and tolerance; then 500 rows of 5, 10 and 20 features, at most 10 clusters, of which 4 are there.

    Of the features two are relevant: a run that does not pick them first, or finds another number of clusters, fails.
    """
    X = _standardised(3)
    yield Contest(
        work=f"Gaussian mixture, best number of components up to {MOST} by BIC, 500 rows of 3 features; quality: "
        "least BIC, less is better",
        peer="scikit-learn",
        ours=lambda: float(MergeGaussianMixture(MOST, covariance="full", random_state=0).fit(X).bic_path_["bic"].min()),
        # Its tolerance is that of the mean over rows.
        theirs=lambda: min(
            GaussianMixture(k, tol=1e-4 / len(X), max_iter=500, random_state=0).fit(X).bic(X)
            for k in range(1, MOST + 1)
        ),
        quality=lambda bic: bic,
        warm_up=lambda: MergeGaussianMixture(2, covariance="full", random_state=0).fit(X[:60]),
    )
    yield Scaling(
        work=f"2 relevant features and 4 clusters found together, 500 rows, at most {MOST} clusters, over features",
        sizes=(5, 10, 20),
        prepare=_selection,
        warm_up=_selection(3),
    )


def _standardised(n_features: int) -> np.ndarray:
    X, _, _ = make_hidden_clusters("four", n_noise=n_features - 2, random_state=0)
    return X / X.std(axis=0)


def _selection(n_features: int) -> Any:
    X = _standardised(n_features)

    def work() -> ClusterFeatureSelector:
        found = ClusterFeatureSelector(max_clusters=MOST, random_state=0).fit(X)
        assert sorted(found.selected_[:2].tolist()) == [0, 1] and found.n_clusters_ == 4
        return found

    return work
