"""Pruning by unseen rows against cost-complexity pruning by cross-validation, and its cost over nodes and k."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_table, make_led
from treatise.ensemble import PrunedTreeClassifier, reduced_error_pruning

DRAWS = 8
REAL = ("spambase", "magic", "satimage", "optdigits", "penbased", "letter", "ring", "twonorm", "contraceptive")


def benchmarks() -> Iterator[Contest | Scaling]:
    """Trees pruned both ways, each on several tables, as one tree's luck is a point; then over nodes and mistakes.

    Cross-validation grows its tree on all rows, and so does a pruning at the price of a leaf that a few divisions agree
    on. Reduced error pruning, the paper's, has its contest beside them: where rows are few for the classes, as of
    letters, the third that is kept aside is missed, and leaves that none of it falls in go.
    """
    works = {
        _pruned: "grown and pruned, beside 20 prices of a leaf by 5 folds (mean accuracy on new rows)",
        _reduced: "the paper's reduced error pruning of two thirds' tree, beside the same (mean accuracy)",
    }
    for title, tables in _tables():
        for pruned, work in works.items():
            yield Contest(
                work=f"{title}: {work}",
                peer="scikit-learn",
                ours=partial(_each, pruned, tables),
                theirs=partial(_each, _cost_complexity, tables),
                quality=partial(_accuracy, tables),
                warm_up=partial(pruned, *(part[:200] for part in tables[0][0])),
                repeats=1,
            )
    yield Scaling(
        work="reduced error pruning with 100 000 rows, over nodes",
        sizes=(10_000, 30_000, 100_000),
        prepare=_pruning,
        warm_up=_pruning(1000),
    )
    yield Scaling(
        work="k-REP of a tree of 5 000 nodes with 100 000 rows, over k, the mistakes allowed on the growing rows",
        sizes=(500, 1000, 2000),
        prepare=_restricted,
        warm_up=_restricted(10),
    )


Part = tuple[np.ndarray, np.ndarray]


def _tables() -> Iterator[tuple[str, list[tuple[Part, Part]]]]:
    """Rows to learn from and rows to judge by."""
    yield "lights, 20 000 rows", [(make_led(20_000, random_state=0), make_led(20_000, random_state=1))]
    planes = [_noisy(25_000, seed) for seed in range(DRAWS)]
    yield f"{DRAWS} noisy planes of 5 000 rows", [((X[:5000], y[:5000]), (X[5000:], y[5000:])) for X, y in planes]
    try:
        yield (
            f"{len(REAL)} real tables of 3 000 rows at most",
            [_parted(*load_table(f"keel/{t}.dat").arrays()) for t in REAL],
        )
    except DataNotFoundError as absent:
        left_out(f"tree_pruning: {absent}")


def _parted(X: np.ndarray, y: np.ndarray) -> tuple[Part, Part]:
    """3 000 rows, or two thirds of fewer, and the others."""
    order = np.random.default_rng(0).permutation(len(y))
    learn, judge = np.split(order, [min(3000, 2 * len(y) // 3)])
    return (X[learn], y[learn]), (X[judge], y[judge])


def _noisy(n: int, seed: int = 0) -> Part:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10)).astype(np.float32)
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)


def _pruned(X: np.ndarray, y: np.ndarray) -> Any:
    return PrunedTreeClassifier().fit(X, y)


def _reduced(X: np.ndarray, y: np.ndarray) -> Any:
    return PrunedTreeClassifier(method="rep").fit(X, y)


def _cost_complexity(X: np.ndarray, y: np.ndarray) -> Any:
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    prices = np.unique(np.maximum(tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0))
    grid = np.quantile(prices, np.linspace(0, 1, 20)[:-1])
    return GridSearchCV(tree, {"ccp_alpha": np.append(grid, np.geomspace(1e-4, 1e-2, 5))}, cv=5).fit(X, y)


def _each(fit: Any, tables: list[tuple[Part, Part]]) -> list[Any]:
    return [fit(*learn) for learn, _ in tables]


def _accuracy(tables: list[tuple[Part, Part]], models: list[Any]) -> float:
    return float(np.mean([model.score(*judge) for model, (_, judge) in zip(models, tables, strict=True)]))


def _pruning(n_nodes: int) -> Any:
    tree = _tree_of(n_nodes, 4 * n_nodes)
    return partial(reduced_error_pruning, tree, *_noisy(100_000, seed=1))


def _restricted(k: int) -> Any:
    # Without a mistake on its growing rows, so that all of k may be spent on pruning.
    tree = _tree_of(5_000, 16_500)
    return partial(reduced_error_pruning, tree, *_noisy(100_000, seed=1), k=k)


def _tree_of(n_nodes: int, n_rows: int) -> DecisionTreeClassifier:
    """A tree of so many nodes at most, which so many rows are enough for."""
    return DecisionTreeClassifier(max_leaf_nodes=n_nodes // 2, random_state=0).fit(*_noisy(n_rows))
