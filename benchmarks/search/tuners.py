"""Tuners at equal numbers of fits on real tables: what the settings that they choose are worth on rows held out."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import loguniform, randint, rankdata, uniform
from sklearn.base import clone
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks._contest import left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_table
from treatise.search import DesignedSearchCV, Factor

TABLES = (
    "australian", "bupa", "contraceptive", "haberman", "heart", "ionosphere", "magic", "optdigits", "penbased", "pima",
    "satimage", "segment", "sonar", "spambase", "twonorm", "wdbc", "wine", "letter",
)  # fmt: skip
MOST_ROWS, MOST_HELD_OUT, FEWEST_OF_A_CLASS, FOLDS = 250, 1000, 8, 3
TUNERS = ("DesignedSearchCV", "RandomizedSearchCV", "Optuna", "as it comes")

LEARNERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a decision tree of five parameters": (
        DecisionTreeClassifier(random_state=0),
        {
            "max_depth": (1, 20, "log", "int"), "min_samples_leaf": (1, 50, "log", "int"),
            "min_samples_split": (2, 100, "log", "int"), "ccp_alpha": (1e-5, 0.1, "log"), "max_features": (0.2, 1.0),
        },
    ),
    "a support vector machine of four parameters": (
        make_pipeline(StandardScaler(), SVC(kernel="poly", max_iter=3000)),
        {
            "svc__C": (1e-3, 1e3, "log"), "svc__gamma": (1e-3, 1.0, "log"), "svc__coef0": (0.0, 5.0),
            "svc__degree": (1, 4, "int"),
        },
    ),
}  # fmt: skip


@dataclass(frozen=True)
class TunerContest:
    """A learner tuned on every table by every tuner, with as many settings as the designed search took."""

    learner: str
    seeds: tuple[int, ...] = (0, 1, 2)

    def run(self) -> dict[str, Any]:
        """Ranks of the held-out accuracies, of each table those over its divisions, and their means."""
        ranks, scores, runs, tables = [], [], [], []
        for name in TABLES:
            try:
                found = [self._table(name, seed) for seed in self.seeds]
            except DataNotFoundError as missing:
                left_out(str(missing))
                continue
            accuracies = np.mean([accuracy for accuracy, _ in found], axis=0)
            tables.append(name)
            scores.append(accuracies)
            runs.append(np.mean([n for _, n in found]))
            ranks.append(rankdata(-np.round(accuracies, 6)))
        return {
            "work": f"{self.learner}, {len(tables)} KEEL tables of at most {MOST_ROWS} rows, each divided "
            f"{len(self.seeds)} times, {np.mean(runs):.0f} settings; mean rank of the accuracy on held-out rows",
            "tables": len(tables),
            "mean rank": dict(zip(TUNERS, np.mean(ranks, axis=0).round(3).tolist())),
            "mean accuracy": dict(zip(TUNERS, np.mean(scores, axis=0).round(4).tolist())),
            "by table": {name: row.round(4).tolist() for name, row in zip(tables, scores)},
        }

    def _table(self, name: str, seed: int) -> tuple[list[float], int]:
        X, X_later, y, y_later = divided(name, seed)
        model, factors = LEARNERS[self.learner]
        cv = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = DesignedSearchCV(model, factors, cv=cv).fit(X, y)
            n = ours.n_runs_
            draws = {key: distribution_of(Factor.of(levels)) for key, levels in factors.items()}
            random = RandomizedSearchCV(model, draws, n_iter=n, cv=cv, random_state=seed).fit(X, y)
            settings = [ours.best_params_, random.best_params_, optuna_search(model, factors, X, y, cv, n, seed), {}]
            fits = [clone(model).set_params(**setting).fit(X, y) for setting in settings]
        return [float(fit.score(X_later, y_later)) for fit in fits], n


def divided(name: str, seed: int) -> list[np.ndarray]:
    """Rows to tune with and rows to judge with."""
    X, y = load_table(f"keel/{name}.dat").arrays()
    X, y = np.asarray(X, dtype=float), np.unique(y, return_inverse=True)[1]
    frequent = np.isin(y, np.flatnonzero(np.bincount(y) >= FEWEST_OF_A_CLASS))
    X, y = X[frequent], y[frequent]
    n = min(MOST_ROWS, len(y) // 2)
    return train_test_split(
        X, y, train_size=n, test_size=min(MOST_HELD_OUT, len(y) - n), stratify=y, random_state=seed
    )  # fmt: skip


def distribution_of(factor: Factor) -> Any:
    """The same range for a random search."""
    if factor.integer and not factor.log:
        return randint(int(factor.low), int(factor.high) + 1)
    if factor.integer:
        return _WholeLogUniform(factor)
    return loguniform(factor.low, factor.high) if factor.log else uniform(factor.low, factor.high - factor.low)


@dataclass(frozen=True)
class _WholeLogUniform:
    """Whole numbers by their logarithm."""

    factor: Factor

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        return self.factor.at(random_state.uniform(-1.0, 1.0))


def optuna_search(model: Any, factors: dict[str, Any], X: Any, y: Any, cv: Any, n: int, seed: int) -> dict[str, Any]:
    """The best setting of Optuna's default sampler."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        setting = {}
        for name, levels in factors.items():
            factor = Factor.of(levels)
            suggest = trial.suggest_int if factor.integer else trial.suggest_float
            setting[name] = suggest(name, factor.low, factor.high, log=factor.log)
        return float(cross_val_score(clone(model).set_params(**setting), X, y, cv=cv).mean())

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=n)
    return study.best_params


def benchmarks() -> Iterator[TunerContest]:
    """The two learners."""
    for learner in LEARNERS:
        yield TunerContest(learner)
