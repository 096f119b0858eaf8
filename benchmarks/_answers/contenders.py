"""Who answers: this library's comparison, the defaults of scikit-learn, and other searches where they are installed."""

import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks._answers.tables import Held
from treatise.compare import TableEncoder, compare_methods, understand
from treatise.compare.metrics import Predictions, predict
from treatise.io import Table


class Question:
    """A table with its task, the processors that whoever answers may use, and the score of the answer."""

    def __init__(self, held: Held, jobs: int) -> None:
        self.held, self.jobs = held, jobs
        self.data = understand(Table("train", held.train, True, ()), held.target)
        self.metric = self.data.metrics[0]
        later = understand(Table("test", held.test, True, ()), held.target, self.data.task)
        self.later = later
        self.encoder = TableEncoder().fit(self.data.X, self.data.y)
        self.X = self.encoder.transform(self.data.X)
        self.X_later = self.encoder.transform(later.X.select(self.data.X.columns))

    def score(self, found: Predictions) -> float:
        """The metric on the rows held out, larger for better."""
        from treatise.compare.inputs.base import HeldOut

        held_out = HeldOut(np.arange(len(self.later.y)), self.later.X, self.later.y)
        value = self.data.judge(held_out, found)[self.metric.name]
        return self.metric.merit(value if value is not None else float("nan"))

    def score_of(self, model: Any) -> float:
        """That of an estimator fitted to the encoded rows."""
        return self.score(predict(model, self.X_later, self.data.classes))


def defaults(question: Question) -> dict[str, float]:
    """Scikit-learn's usual estimators as they come, and guessing."""
    regression = question.data.task == "regression"
    models = {
        "guess": DummyRegressor() if regression else DummyClassifier(),
        "linear": Ridge() if regression else LogisticRegression(max_iter=1000),
        "forest": RandomForestRegressor(random_state=0) if regression else RandomForestClassifier(random_state=0),
        "boosting": HistGradientBoostingRegressor() if regression else HistGradientBoostingClassifier(),
        "machine": SVR() if regression else SVC(probability=True, random_state=0),
        "neighbours": KNeighborsRegressor() if regression else KNeighborsClassifier(),
    }
    scores = {}
    for name, model in models.items():
        fitted = make_pipeline(StandardScaler(), model).fit(question.X, question.data.y)
        scores[name] = question.score_of(fitted)
    return scores


def treatise(question: Question, budget: float, **options: Any) -> dict[str, Any]:
    """The pick of a comparison, its best single method and its best blend, each on the rows held out."""
    folder = Path(tempfile.mkdtemp())
    try:
        start = time.monotonic()
        comparison = compare_methods(
            question.held.train,
            question.held.target,
            budget=budget,
            jobs=question.jobs,
            output=folder / "run",
            keep=3,
            **options,
        )
        wall, run = time.monotonic() - start, comparison.run
        scores = {label: question.score(_said(model, question)) for label, model in comparison.models.items()}
        board = run.leaderboard
        single, blend = (
            next((scores.get(e.label) for e in board if (e.form == "blend") == blended), None)
            for blended in (False, True)
        )
        contenders = [e for e in board if e.stage == "folds" and e.form != "constant"]
        return {
            "pick": scores[run.decision.label], "label": run.decision.label, "wall": wall,
            "scores": scores, "single": single, "blend": blend,
            "folds": min((e.folds for e in contenders), default=0), "contenders": len(contenders),
            "undecided": run.decision.undecided, "equivalent": run.decision.equivalent, "worse": run.decision.worse,
            "looked": run.race.looked, "field": run.race.field,
        }  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _said(model: Any, question: Question) -> Predictions:
    return predict(model.model, question.later.X, question.data.classes)


def flaml(question: Question, budget: float) -> float | None:
    """FLAML with the same processor time."""
    if find_spec("flaml") is None:
        return None
    from flaml import AutoML

    search = AutoML()
    metric = _balanced_loss if question.metric.name == "balanced_accuracy" else question.metric.name
    task = "regression" if question.data.task == "regression" else "classification"
    jobs = question.jobs
    search.fit(question.X, question.data.y, task=task, metric=metric, time_budget=budget, n_jobs=jobs, verbose=0)
    return question.score_of(search)


def _balanced_loss(X, y, estimator, *_: Any) -> tuple[float, dict[str, float]]:
    """The measure that is asked for, as FLAML takes one."""
    loss = 1.0 - balanced_accuracy_score(y, estimator.predict(X))
    return loss, {"loss": loss}


def lazypredict(question: Question, budget: float) -> float | None:
    """LazyPredict's first by its own ranking on a part of the rows, fitted anew; it knows no budget."""
    if find_spec("lazypredict") is None:
        return None
    from lazypredict.Supervised import LazyClassifier, LazyRegressor
    from sklearn.model_selection import train_test_split

    kind = LazyRegressor if question.data.task == "regression" else LazyClassifier
    frame, later = pd.DataFrame(question.X).add_prefix("x"), pd.DataFrame(question.X_later).add_prefix("x")
    first, second, y_first, y_second = train_test_split(frame, question.data.y, random_state=0)
    lazy = kind(verbose=0, ignore_warnings=True)
    ranking, _ = lazy.fit(first, second, y_first, y_second)
    model = clone(lazy.models[ranking.index[0]]).fit(frame, question.data.y)
    return question.score(predict(model, later, question.data.classes))


PEERS: dict[str, Callable[[Question, float], float | None]] = {"flaml": flaml, "lazypredict": lazypredict}


def quietly(work: Callable[[], Any]) -> Any:
    """Without the warnings of many libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work()
