"""Who answers: this library's comparison, and the defaults of scikit-learn."""

import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks._answers.processor import ProcessorClock
from benchmarks._answers.tables import Held
from treatise.compare import TableEncoder, compare_methods, understand
from treatise.compare.contest import clock
from treatise.compare.contest.decision import tellable
from treatise.compare.metrics import Predictions, predict
from treatise.io import Table
from treatise.papers._record import version

KEPT = 2
"""Models of a comparison that are judged: the recommended one, and the best of the other kind, blend or method."""


class Question:
    """A table with its task, the processors that whoever answers may use, and the score of the answer."""

    def __init__(self, held: Held, jobs: int) -> None:
        self.held, self.jobs = held, jobs
        self.data = understand(Table("train", held.train, True, ()), held.target)
        self.metric = self.data.metrics[0]
        # Of the columns that tell something among the rows learnt from: one may be constant among those judged.
        self.later = held.test.select(self.data.X.columns)
        self.y_later = understand(Table("test", held.test, True, ()), held.target, self.data.task).y
        self.encoder = TableEncoder().fit(self.data.X, self.data.y)
        self.X = self.encoder.transform(self.data.X)
        self.X_later = self.encoder.transform(self.later)

    def score(self, found: Predictions) -> float:
        """The metric on the rows held out, larger for better."""
        from treatise.compare.inputs.base import HeldOut

        held_out = HeldOut(np.arange(len(self.y_later)), self.later, self.y_later)
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
    """The pick of a comparison, its best single method and its best blend, each on the rows held out.

    The budget is of processor time: so many seconds of each processor.
    """
    folder = Path(tempfile.mkdtemp())
    try:
        start, processor = time.monotonic(), ProcessorClock(question.jobs)
        before = processor()
        with clock.kept_by(processor):
            comparison = compare_methods(
                question.held.train,
                question.held.target,
                budget=budget,
                jobs=question.jobs,
                output=folder / "run",
                keep=KEPT,
                **options,
            )
        spent = {"seconds": processor() - before, "wall": time.monotonic() - start}
        run = comparison.run
        scores = {label: question.score(_said(model, question)) for label, model in comparison.models.items()}
        board = run.leaderboard
        forms = {e.label: e.form for e in board}
        single, blend = (
            next((score for label, score in scores.items() if (forms[label] == "blend") == blended), None)
            for blended in (False, True)
        )
        share = tellable(board)
        stopped = {failure.key for failure in run.failures}
        contenders = [e for e in board if e.stage == "folds" and e.form != "constant" and e.key not in stopped]
        return {
            "version": version(), "pick": scores[run.decision.label], "label": run.decision.label, **spent,
            "scores": scores, "single": single, "blend": blend,
            "folds": min((e.folds for e in contenders), default=0), "contenders": len(contenders),
            "undecided": run.decision.undecided, "equivalent": run.decision.equivalent, "worse": run.decision.worse,
            "told": None if share is None else run.decision.margin_share + share,
            "looked": run.race.looked, "field": run.race.field,
        }  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _said(model: Any, question: Question) -> Predictions:
    return predict(model.model, question.later, question.data.classes)


def quietly(work: Callable[[], Any]) -> Any:
    """Without the warnings of many libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work()
