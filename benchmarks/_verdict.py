"""``python -m benchmarks verdict``: how often a comparison's standings are wrong, and how often they decide.

Tables are drawn from laws that are known, so that the worth of each method, over all tables of that size, is known too.
Each table is judged as a comparison does: merits of held-out rows, two repeats of five folds.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from treatise.compare.contest.evidence import ENLARGEMENT
from treatise.theory import comparisons_with_best

LEVEL, MARGIN_SHARE, FOLDS, REPEATS = 0.05, 0.01, 5, 2
TRUTH_TABLES, TRUTH_ROWS = 300, 2000
COLUMNS, EQUAL = 12, 10


@dataclass(frozen=True)
class _Columns:
    """A method that sees some of the columns."""

    model: object
    columns: tuple[int, ...]

    def right(self, X: np.ndarray, y: np.ndarray, X_later: np.ndarray, y_later: np.ndarray) -> np.ndarray:
        """Which later rows it labels right after it has learnt the first ones."""
        chosen = list(self.columns)
        return clone(self.model).fit(X[:, chosen], y).predict(X_later[:, chosen]) == y_later


def equal_methods() -> list[_Columns]:
    """Neighbours in the two columns that matter and another that does not: all are worth the same."""
    return [_Columns(KNeighborsClassifier(15), (0, 1, 2 + i)) for i in range(EQUAL)]


def equal_trees() -> list[_Columns]:
    """Whole trees in the same columns: of all methods those that other training rows change the most."""
    return [_Columns(DecisionTreeClassifier(random_state=0), (0, 1, 2 + i)) for i in range(EQUAL)]


def various_methods() -> list[_Columns]:
    """Usual classifiers on all columns, and weaker ones that see a part of what matters."""
    everything = tuple(range(COLUMNS))
    models = [
        LogisticRegression(), LinearDiscriminantAnalysis(), GaussianNB(), KNeighborsClassifier(5),
        KNeighborsClassifier(25), DecisionTreeClassifier(max_depth=2, random_state=0),
        DecisionTreeClassifier(random_state=0), DummyClassifier(),
    ]  # fmt: skip
    return [*(_Columns(model, everything) for model in models), _Columns(LogisticRegression(), (0,))]


def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A table: two columns decide, up to noise, between two classes."""
    X = rng.normal(size=(n, COLUMNS))
    return X, (X[:, 0] + 0.7 * X[:, 1] + rng.normal(size=n) > 0).astype(int)


def worths(methods: list[_Columns], n: int, rng: np.random.Generator) -> np.ndarray:
    """Mean share of right rows over many tables of n rows."""
    shares = []
    for _ in range(TRUTH_TABLES):
        first, later = draw(n, rng), draw(TRUTH_ROWS, rng)
        shares.append([method.right(*first, *later).mean() for method in methods])
    return np.mean(shares, axis=0)


def merits(methods: list[_Columns], X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Right or wrong for each row and method, averaged over the repeats."""
    found = np.zeros((len(y), len(methods)))
    for repeat in range(REPEATS):
        for train, test in KFold(FOLDS, shuffle=True, random_state=seed * REPEATS + repeat).split(X):
            for j, method in enumerate(methods):
                found[test, j] += method.right(X[train], y[train], X[test], y[test]) / REPEATS
    return found


def judge(
    make: Callable[[], list[_Columns]], n: int, tables: int, seed: int, enlargements: Sequence[float]
) -> list[dict]:
    """The share of tables with a wrong standing, and of the differences that matter the share that is found."""
    methods, rng = make(), np.random.default_rng(seed)
    worth = worths(methods, n * (FOLDS - 1) // FOLDS, rng)
    if make is not various_methods:
        worth[:] = worth.mean()
    behind = worth.max() - worth
    margin = MARGIN_SHARE * (worth.max() - 0.5)
    matter = behind > margin
    wrongly_worse, wrongly_equivalent, found = np.zeros((3, len(enlargements)))
    for number in range(tables):
        seen = merits(methods, *draw(n, rng), number)
        for at, enlargement in enumerate(enlargements):
            standing = comparisons_with_best(seen, margin=margin, level=LEVEL, enlargement=enlargement).standing
            wrongly_worse[at] += np.any((standing == "worse") & ~matter)
            wrongly_equivalent[at] += np.any((standing == "equivalent") & matter)
            found[at] += np.sum((standing == "worse") & matter)
    return [
        {
            "methods": make.__name__, "rows": n, "tables": tables, "enlargement": enlargement,
            "wrongly worse": wrongly_worse[at] / tables, "wrongly equivalent": wrongly_equivalent[at] / tables,
            "power": found[at] / (tables * matter.sum()) if matter.any() else None,
        }
        for at, enlargement in enumerate(enlargements)
    ]  # fmt: skip


def main(arguments: list[str]) -> int:
    """Run the command; the status is 1 where standings are wrong more often than they promise."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks verdict", description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="tables for each size (default: 200)")
    parser.add_argument("--rows", type=int, nargs="*", default=[200, 800], help="rows of a table (default: 200 800)")
    options = parser.parse_args(arguments)
    # Three standard errors of a share at the level.
    most = LEVEL + 3.0 * (LEVEL * (1.0 - LEVEL) / options.tables) ** 0.5
    off = False
    for make in (equal_methods, equal_trees, various_methods):
        for n in options.rows:
            for found in judge(make, n, options.tables, n, (1.0, ENLARGEMENT)):
                wrong = max(found["wrongly worse"], found["wrongly equivalent"])
                off |= found["enlargement"] == ENLARGEMENT and wrong > most
                print(json.dumps(found), flush=True)
    return int(off)
