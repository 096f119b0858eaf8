"""Conditional mutual information: picks beside a peer's, and at the sizes of the paper's two sets."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling
from treatise.selection import CMIM

PICKS = 20


def benchmarks() -> Iterator[Contest | Scaling]:
    """Against the package skfeature on a table that it can do, then the faces' and the thrombin set's size."""
    X, y = near_copies(500, 2000)
    yield Contest(
        work=f"CMIM, {PICKS} of 2 000 features, 500 rows; quality: picks that are the peer's",
        peer="skfeature-chappers",
        ours=lambda: _ours(X, y),
        theirs=lambda: _theirs(X, y),
        quality=_Agreement(X, y),
        warm_up=lambda: _ours(X[:, :200], y),
        repeats=1,
    )
    yield Scaling(
        work="CMIM, 50 picks, 500 rows of bytes, over features (the faces' size at 43 904)",
        sizes=(10_000, 43_904, 100_000),
        prepare=partial(_fit, 500, 50),
        warm_up=_fit(50, 5, 400),
    )
    yield Scaling(
        work="CMIM, 10 picks, 1 909 rows of bytes, over features (the thrombin set's size at 139 351)",
        sizes=(35_000, 139_351),
        prepare=partial(_fit, 1909, 10),
        warm_up=_fit(50, 5, 400),
    )


def near_copies(n_samples: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Half the features are noise, the others near copies of 200 that agree with the class to various degrees."""
    rng = np.random.default_rng(0)
    y = rng.random(n_samples) < 0.5
    latent = y[:, np.newaxis] ^ (rng.random((n_samples, 200)) < rng.uniform(0.2, 0.45, 200))
    X = rng.random((n_samples, n_features), dtype=np.float32) < 0.5
    copied = np.repeat(latent, -(-n_features // 400), axis=1)[:, : n_features // 2]
    X[:, : copied.shape[1]] = copied ^ (rng.random(copied.shape, dtype=np.float32) < 0.05)
    return X.view(np.uint8), y.astype(int)


class _Agreement:
    """Share of picks that the plain definition makes too; both sides are held against our own of the same table."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.expected = _ours(X, y)

    def __call__(self, picks: list[int]) -> float:
        return float(np.mean([one == other for one, other in zip(picks, self.expected, strict=True)]))


def _fit(n_samples: int, n_picks: int, n_features: int) -> Any:
    X, y = near_copies(n_samples, n_features)
    return lambda: CMIM(n_picks, discretizer=None).fit(X, y)


def _ours(X: np.ndarray, y: np.ndarray) -> list[int]:
    return CMIM(PICKS, discretizer=None).fit(X, y).selected_.tolist()


def _theirs(X: np.ndarray, y: np.ndarray) -> list[int]:
    from skfeature.function.information_theoretical_based import CMIM as peer

    return [int(pick) for pick in peer.cmim(X, y, mode="index", n_selected_features=PICKS)]
