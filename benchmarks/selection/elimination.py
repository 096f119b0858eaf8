"""Randomized elimination beside forward selection: the same ten features of 500, in far fewer fits."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import Ridge
from sklearn.model_selection import PredefinedSplit

from benchmarks._contest import Contest, Scaling
from treatise.selection import RandomizedVariableElimination, elimination_schedule

N_FEATURES, N_RELEVANT = 500, 10


def benchmarks() -> Iterator[Contest | Scaling]:
    """Ridge regression on a held-out half, ten features that add up and 490 of noise; then the schedule alone."""
    X, y, relevant = added_up(2000)
    selector = RandomizedVariableElimination(Ridge(), n_relevant=N_RELEVANT, cv=_half(len(y)), random_state=0)
    fitted, expected = selector.fit(X, y).n_fits_, elimination_schedule(N_FEATURES, N_RELEVANT).expected_fits
    forward = sum(N_FEATURES - i for i in range(N_RELEVANT))
    yield Contest(
        work=f"{N_RELEVANT} of {N_FEATURES} features by ridge regression, 1 000 rows, 1 000 held out: {fitted} subsets "
        f"fitted ({expected:.0f} expected) against {forward}; quality: share of the relevant features found",
        peer="scikit-learn",
        ours=lambda: selector.fit(X, y),
        theirs=lambda: SequentialFeatureSelector(
            Ridge(), n_features_to_select=N_RELEVANT, direction="forward", cv=_half(len(y))
        ).fit(X, y),
        quality=lambda model: float(np.isin(relevant, model.get_support(indices=True)).mean()),
        warm_up=lambda: elimination_schedule(20, 5),
        repeats=1,
    )
    yield Scaling(
        work="schedule of the batches for 10 relevant features, over features",
        sizes=(1000, 5000, 20_000),
        prepare=_schedule,
        warm_up=_schedule(20),
    )


def added_up(n_samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal features, of which ten are added up with signs, and noise of half their size."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES))
    relevant = rng.choice(N_FEATURES, N_RELEVANT, replace=False)
    signal = X[:, relevant] @ rng.choice([-1.0, 1.0], N_RELEVANT)
    return X, signal + 0.5 * np.sqrt(N_RELEVANT) * rng.normal(size=n_samples), relevant


def _half(n_samples: int) -> PredefinedSplit:
    return PredefinedSplit(np.repeat([-1, 0], [n_samples // 2, n_samples - n_samples // 2]))


def _schedule(n_features: int) -> Any:
    return lambda: elimination_schedule(n_features, N_RELEVANT)
