"""Independent subspace analysis: the separation principle, the objectives, and a million elements."""

import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from treatise.datasets import make_subspace_sources
from treatise.information import IndependentSubspaceAnalysis, amari_index, landmark_spectral_clustering
from treatise.information.subspaces.isa import COSTS, GroupingCost
from treatise.papers._evidence import Row

PLACE = "Section 2"
SEVERAL_MINUTES = 300.0


def separation_rows(full: bool) -> list[Row]:
    """Amari's index of three sources of two dimensions, and that components with grouping suffice."""
    n, seeds = (20_000, 10) if full else (5000, 5)
    found = [_index(n, seed) for seed in range(seeds)]
    rows = [
        Row.check_at_most(f"largest Amari index of {seeds} mixtures of 3 sources, n = {n}", 0.03, max(found)),
        Row.ours(f"mean Amari index of {seeds} mixtures of 3 sources, n = {n}", float(np.mean(found))),
    ]
    rows.append(Row.claim("ICA and then grouping its elements solves the ISA task", "p. 284", max(found) < 0.03))
    return rows + _objective_rows(2000 if full else 800)


def _index(n: int, seed: int) -> float:
    X, _, mixing, groups = make_subspace_sources(n, random_state=seed)
    model = IndependentSubspaceAnalysis([2, 2, 2], random_state=0).fit(X)
    return amari_index(model.components_ @ mixing, model.subspaces_, groups)


def _objective_rows(n: int) -> list[Row]:
    """Each objective of the paper at the true grouping, against all 14 others of three pairs."""
    S = make_subspace_sources(n, random_state=0).S
    true, others = np.array([0, 0, 1, 1, 2, 2]), _other_groupings()
    rows = []
    for kind in COSTS[1:]:
        cost = GroupingCost(kind, S)
        least = min(cost(labels) for labels in others)
        rows.append(Row.claim(f"objective '{kind}' is least at the true grouping of 15", PLACE, cost(true) < least))
    return rows


def _other_groupings() -> list[np.ndarray]:
    groupings = []
    for partner in range(1, 6):
        rest = [i for i in range(1, 6) if i != partner]
        for second in rest[1:]:
            labels = np.full(6, 2)
            labels[[0, partner]], labels[[rest[0], second]] = 0, 1
            groupings.append(labels)
    return [labels for labels in groupings if not np.array_equal(labels, [0, 0, 1, 1, 2, 2])]


def make_elements(n: int, n_groups: int, n_features: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Log energies of elements whose groups share a loudness that changes with time."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_groups, n)
    loudness = 2.0 * rng.normal(size=(n_groups, n_features)).astype(np.float32)
    features = np.empty((n, n_features), np.float32)
    for start in range(0, n, 50_000):
        rows = slice(start, min(n, start + 50_000))
        own = rng.standard_normal(size=(rows.stop - rows.start, n_features), dtype=np.float32)
        features[rows] = loudness[labels[rows]] + np.log(np.maximum(own**2, 1e-12))
        features[rows] -= features[rows].mean(axis=1, keepdims=True)
    return features, labels


def scale_rows(full: bool) -> list[Row]:
    """Landmark spectral clustering of a million elements into ten groups."""
    n = 1_000_000 if full else 20_000
    features, labels = make_elements(n, 10, 64, 0)
    start = time.process_time()
    found = landmark_spectral_clustering(features, 10, n_landmarks=500, random_state=0)
    seconds = time.process_time() - start
    score = float(adjusted_rand_score(labels, found))
    rows = [Row.check_at_least(f"{n} elements in 10 groups by landmarks: adjusted Rand index", 0.95, score)]
    if full:
        quantity = "a million elements: seconds, where the paper says several minutes"
        rows.append(Row.time(quantity, "Section 2, ISA Objectives", SEVERAL_MINUTES, round(seconds, 1)))
    return rows
