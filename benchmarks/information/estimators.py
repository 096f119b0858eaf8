"""Entropy beside one search of a tree, distance correlation beside dcor, Kraskov's information, HSIC, landmarks."""

from collections.abc import Iterator
from functools import partial

import dcor
import numpy as np
from hyppo.independence import Hsic
from scipy.spatial import cKDTree
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_regression

from benchmarks._contest import Contest, Scaling
from treatise.information import entropy, independence_test, landmark_spectral_clustering, mutual_information


def benchmarks() -> Iterator[Contest | Scaling]:
    """The sizes at which each is usually wanted."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 3))
    yield Contest(
        "100000 x 3: Shannon entropy from third neighbours, beside one query of a tree",
        "scipy",
        ours=lambda: entropy(X),
        theirs=lambda: plain_entropy(X),
        quality=float,
        warm_up=lambda: entropy(X[:100]),
    )
    x, y = X[:, 0].copy(), X[:, 0] ** 2 + X[:, 1]
    yield Contest(
        "100000 rows, two columns: distance correlation",
        "dcor",
        ours=lambda: mutual_information(x, y, "distance_correlation"),
        theirs=lambda: dcor.distance_correlation(x, y, method="mergesort"),
        quality=float,
        warm_up=lambda: (
            mutual_information(x[:50], y[:50], "distance_correlation"),
            dcor.distance_correlation(x[:50], y[:50], method="mergesort"),
        ),
    )
    wide, other = X[:2000], rng.normal(size=(2000, 4)) + X[:2000, :1]
    yield Contest(
        "2000 rows, 3 and 4 columns: distance correlation",
        "dcor",
        ours=lambda: mutual_information(wide, other, "distance_correlation"),
        theirs=lambda: dcor.distance_correlation(wide, other),
        quality=float,
    )
    z = 0.6 * X[:20_000, 0] + 0.8 * X[:20_000, 1]
    yield Contest(
        "20000 rows, correlation 0.6: Shannon information by Kraskov's estimate (0.2231 in the limit)",
        "scikit-learn",
        ours=lambda: mutual_information(X[:20_000, 0], z),
        theirs=lambda: mutual_info_regression(X[:20_000, :1], z, random_state=0)[0],
        quality=float,
        warm_up=partial(mutual_information, X[:50, 0], z[:50]),
    )
    few, bent = X[:300, :1], X[:300, :1] ** 2 + X[:300, 1:2]
    yield Contest(
        "300 rows, two columns: HSIC test with 500 permutations, p-value",
        "hyppo",
        ours=lambda: independence_test(few, bent, "hsic", n_permutations=500, random_state=0).p_value,
        theirs=lambda: Hsic().test(few, bent, reps=500, auto=False, random_state=0).pvalue,
        quality=float,
        warm_up=lambda: independence_test(few[:20], bent[:20], "hsic", n_permutations=5),
        repeats=1,
    )
    yield Scaling(
        "spectral clustering of elements by 500 landmarks, 50 groups, 20 features, over elements",
        (10_000, 100_000, 1_000_000),
        prepare=lambda n: partial(landmark_spectral_clustering, elements(n), 50, random_state=0),
        repeats=1,
    )


def elements(n: int) -> np.ndarray:
    """Feature vectors about fifty directions."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(50, 20))
    return (directions[rng.integers(0, 50, n)] + 0.1 * rng.normal(size=(n, 20))).astype(np.float32)


def plain_entropy(X: np.ndarray) -> float:
    """The same estimate from one query of SciPy's tree."""
    radius = cKDTree(X).query(X, 4)[0][:, 3]
    return float(np.log(len(X) - 1) - digamma(3) + np.log(4 * np.pi / 3) + 3 * np.log(radius).mean())
