"""Other searches, each in a process of its own, in which the clock shows the processor time that it used."""

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import pandas as pd
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split

from benchmarks._answers.contenders import Question
from benchmarks._answers.processor import ProcessorClock
from treatise.compare.metrics import predict

MEMORY = 8 * 2**30
"""Bytes that one model of a peer may take."""
# A thread that waits for another must not spend what the clock counts.
WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}


def ask(name: str, table: str, division: int, budget: float, jobs: int) -> dict[str, Any]:
    """What a peer answers on a table, divided, in so many seconds of each processor: its score, what it left out."""
    environment = {**os.environ, **WAITING, "OMP_NUM_THREADS": str(jobs), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "benchmarks._answers", name, table, str(division), str(budget), str(jobs)]
    with tempfile.TemporaryDirectory() as folder:  # some libraries leave files where they run
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1])
    return json.loads(done.stdout.splitlines()[-1])


def installed() -> list[str]:
    """The peers at hand."""
    return [name for name in PEERS if find_spec(name) is not None]


@contextmanager
def processor_time(clock: ProcessorClock) -> Iterator[None]:
    """Let the clocks that a library reads show processor time, so that it keeps its budget by that."""
    began, first = time.time(), clock()

    def shown() -> float:
        return began + clock() - first

    with patch("time.time", shown), patch("time.perf_counter", shown), patch("time.monotonic", shown):
        yield


def flaml(question: Question, budget: float, clock: ProcessorClock) -> dict[str, Any]:
    """FLAML with the same processor time."""
    from flaml import AutoML

    search = AutoML()
    metric = _balanced_loss if question.metric.name == "balanced_accuracy" else question.metric.name
    task = "regression" if question.data.task == "regression" else "classification"
    with processor_time(clock):
        search.fit(
            question.X, question.data.y, task=task, metric=metric, time_budget=budget, n_jobs=question.jobs, verbose=0
        )
    return {"score": question.score_of(search), "label": search.best_estimator}


def _balanced_loss(X, y, estimator, *_: Any) -> tuple[float, dict[str, float]]:
    """The measure that is asked for, as FLAML takes one."""
    loss = 1.0 - balanced_accuracy_score(y, estimator.predict(X))
    return loss, {"loss": loss}


def lazypredict(question: Question, budget: float, clock: ProcessorClock) -> dict[str, Any]:
    """LazyPredict's first by its own ranking on a part of the rows, fitted anew.

    It knows no budget: its models are tried in its order, each in a process of its own that ends with the processor
    time, and those for which none is left are told.
    """
    from lazypredict import Supervised

    regression = question.data.task == "regression"
    kind = Supervised.LazyRegressor if regression else Supervised.LazyClassifier
    frame, later = pd.DataFrame(question.X).add_prefix("x"), pd.DataFrame(question.X_later).add_prefix("x")
    parts = train_test_split(frame, question.data.y, random_state=0)
    ends = clock() + budget
    found: list[pd.DataFrame] = []
    left_out = []
    models = dict(Supervised.REGRESSORS if regression else Supervised.CLASSIFIERS)
    for name, model in models.items():
        left = (ends - clock()) * question.jobs
        ranking = _one(kind, regression, model, parts, left) if left > 0 else None
        if ranking is None:
            left_out.append(name)
        elif len(ranking):
            found.append(ranking)
    ranking = pd.concat(found)
    by = "Adjusted R-Squared" if regression else "Balanced Accuracy"
    label = str(ranking.sort_values(by, ascending=False).index[0])
    lazy = _lazy(kind, regression, models[label])
    lazy.fit(*parts)
    model = clone(lazy.models[label]).fit(frame, question.data.y)
    return {"score": question.score(predict(model, later, question.data.classes)), "label": label, "left_out": left_out}


def _lazy(kind: Any, regression: bool, model: Any) -> Any:
    chosen = {"regressors" if regression else "classifiers": [model]}
    return kind(verbose=0, ignore_warnings=True, **chosen)


def _one(kind: Any, regression: bool, model: Any, parts: list[Any], seconds: float) -> pd.DataFrame | None:
    """The row of one model, none where it failed; None where it was stopped."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        ranking, _ = _lazy(kind, regression, model).fit(*parts)
        there.send(ranking)

    process = context.Process(target=work)
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return None
    finally:
        process.join()


PEERS: dict[str, Callable[[Question, float, ProcessorClock], dict[str, Any]]] = {
    "flaml": flaml,
    "lazypredict": lazypredict,
}
