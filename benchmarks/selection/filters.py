"""Feature selection: the same filter by us and by a peer, and its cost against the number of features."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._contest import Contest, Scaling
from treatise.selection import FCBF

THRESHOLD = 0.02
"""Above the noise: at 0 the peer spends its minutes on that."""


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against the package fcbf, and over sizes: dense discrete, dense continuous, sparse binary."""
    X, y = discrete_table(1000, 5000, n_bases=3)
    yield Contest(
        work=f"FCBF, threshold {THRESHOLD}: 1000 rows, 5000 features of three values, half of them noise",
        peer="fcbf",
        ours=lambda: _ours(X, y),
        theirs=lambda: _theirs(X, y),
        quality=lambda names: float(len(names)),
        warm_up=lambda: _ours(X[:50, :5], y[:50]),
        repeats=1,
    )
    yield Scaling(
        work="FCBF(0), 5000 rows of continuous features, cut by class entropy, over features",
        sizes=(1_000, 3_000, 10_000),
        prepare=partial(_continuous, 5000),
        warm_up=_continuous(50, 20),
    )
    yield Scaling(
        work="FCBF(0), 5000 rows of features of three values, over features",
        sizes=(1_000, 3_000, 10_000),
        prepare=partial(_discrete, 5000),
        warm_up=_discrete(50, 20),
    )
    yield Scaling(
        work="FCBF(0), 100 rows of continuous features (Arcene's shape at 10 000), over features",
        sizes=(1_000, 3_000, 10_000, 30_000),
        prepare=partial(_continuous, 100),
        warm_up=_continuous(50, 20),
    )
    yield Scaling(
        work="FCBF(0), 800 rows of sparse binary features, 0.9 % ones (Dorothea's shape at 100 000), over features",
        sizes=(10_000, 30_000, 100_000),
        prepare=_sparse,
        warm_up=lambda: _sparse(100)(),
    )


def discrete_table(n_samples: int, n_features: int, n_bases: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Features of three values: half noise, half noisy copies of some that depend on the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n_samples)
    noise = np.linspace(0.3, 0.8, n_bases)
    bases = np.where(rng.random((n_samples, n_bases)) < noise, rng.integers(0, 3, (n_samples, n_bases)), y[:, None])
    X = rng.integers(0, 3, (n_samples, n_features))
    copied = np.repeat(bases, -(-n_features // (2 * n_bases)), axis=1)[:, : n_features // 2]
    X[:, : n_features // 2] = np.where(rng.random(copied.shape) < 0.1, X[:, : n_features // 2], copied)
    return X, y


def _discrete(n_samples: int, n_features: int) -> Any:
    X, y = discrete_table(n_samples, n_features)
    return lambda: FCBF(discretizer=None).fit(X, y)


def _continuous(n_samples: int, n_features: int) -> Any:
    X, y = discrete_table(n_samples, n_features)
    blurred = X + np.random.default_rng(1).normal(scale=0.5, size=X.shape)
    return lambda: FCBF().fit(blurred, y)


def _sparse(n_features: int) -> Any:
    rng = np.random.default_rng(0)
    X = sparse.random_array(
        (800, n_features), density=0.009, format="csr", rng=rng, data_sampler=lambda size: np.ones(size)
    )
    y = (rng.random(800) < 0.1).astype(int)
    return lambda: FCBF().fit(X, y)


def _ours(X: np.ndarray, y: np.ndarray) -> list[int]:
    return FCBF(THRESHOLD, discretizer=None).fit(X, y).selected_.tolist()


def _theirs(X: np.ndarray, y: np.ndarray) -> list[int]:
    import pandas
    from fcbf import fcbf

    kept, _, _ = fcbf(pandas.DataFrame(X), pandas.Series(y, name="class"), su_threshold=THRESHOLD)
    return kept
