"""Pruning on rows kept aside against cost-complexity pruning by cross-validation, and its cost over nodes and k."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_led
from treatise.ensemble import PrunedTreeClassifier, reduced_error_pruning


def benchmarks() -> Iterator[Contest | Scaling]:
    """One tree pruned both ways, and reduced error pruning up to 100 000 nodes and rows."""
    for title, (X, y), (X_new, y_new) in _tables():
        yield Contest(
            work=f"{title}: grown and pruned, beside 20 prices of a leaf by 5 folds (accuracy on new rows)",
            peer="scikit-learn",
            ours=partial(_pruned, X, y),
            theirs=partial(_cost_complexity, X, y),
            quality=partial(_accuracy, X_new, y_new),
            warm_up=partial(_pruned, X[:200], y[:200]),
            repeats=1,
        )
    yield Scaling(
        work="reduced error pruning with 100 000 rows, over the rows that a tree is grown on",
        sizes=(10_000, 100_000, 350_000),
        prepare=_pruning,
        warm_up=_pruning(1000),
    )
    yield Scaling(
        work="k-REP of a tree of 5 000 nodes with 100 000 rows, over the mistakes that may be added",
        sizes=(200, 2000, 10_000),
        prepare=_restricted,
        warm_up=_restricted(10),
    )


def _tables() -> Iterator[tuple[str, Any, Any]]:
    yield "lights, 20 000 rows", make_led(20_000, random_state=0), make_led(20_000, random_state=1)
    X, y = _noisy(40_000)
    yield "noisy plane, 20 000 rows", (X[:20_000], y[:20_000]), (X[20_000:], y[20_000:])


def _noisy(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10)).astype(np.float32)
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)


def _pruned(X: np.ndarray, y: np.ndarray) -> Any:
    return PrunedTreeClassifier().fit(X, y)


def _cost_complexity(X: np.ndarray, y: np.ndarray) -> Any:
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    prices = np.unique(np.maximum(tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0))
    grid = np.quantile(prices, np.linspace(0, 1, 20)[:-1])
    return GridSearchCV(tree, {"ccp_alpha": np.append(grid, np.geomspace(1e-4, 1e-2, 5))}, cv=5).fit(X, y)


def _accuracy(X: np.ndarray, y: np.ndarray, model: Any) -> float:
    return float(np.mean(model.predict(X) == y))


def _pruning(n_grow: int) -> Any:
    X, y = _noisy(n_grow + 100_000)
    tree = DecisionTreeClassifier(min_samples_leaf=1, random_state=0).fit(X[:n_grow], y[:n_grow])
    return lambda: reduced_error_pruning(tree, X[n_grow:], y[n_grow:])


def _restricted(slack: int) -> Any:
    X, y = _noisy(130_000)
    tree = DecisionTreeClassifier(max_leaf_nodes=2500, random_state=0).fit(X[:30_000], y[:30_000])
    k = int(np.sum(tree.predict(X[:30_000]) != y[:30_000])) + slack
    return lambda: reduced_error_pruning(tree, X[30_000:], y[30_000:], k=k)
