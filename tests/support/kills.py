"""Workers of a cluster killed in the midst of comparisons and fits: whatever moment it is, the outcome is the same.

``make kills`` kills at twenty random moments of each, the tests at three. A moment is a number of pieces of work (folds
or shards) handed out and a share of the time that a piece takes, so that it lies within the run however busy
the machine is.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import joblib
import numpy as np
import polars as pl
from distributed import Client, LocalCluster

from treatise.compare import compare_methods
from treatise.compare.candidates import Candidate, all_candidates
from treatise.compare.inputs import base
from treatise.linear import HybridLinearClassifier
from treatise.report import RunRecord

WORKERS = 3
METHODS = ("LogisticRegression", "SVC", "DummyClassifier")
BUDGET = 3600.0
"""Far more than it takes: folds, not seconds, end the run."""

Work = Callable[[Any], Any]
"""What is done with a cluster's client, and what comes of it."""


@dataclass
class Handing:
    """Work as it is handed out to a cluster, and the worker that is killed a while after a piece of it."""

    kill_at: int = 0
    delay: float = 0.0
    times: list[float] = field(default_factory=list)
    killed: int | None = None

    @contextmanager
    def watched(self, client: Any) -> Iterator[None]:
        """Count what a client hands out, and kill while that goes on."""
        client.wait_for_workers(WORKERS)
        process = sorted(client.run(os.getpid).values())[self.kill_at % WORKERS]
        submit, going_on = client.submit, True

        def kill() -> None:
            if going_on:
                self.killed = process
                os.kill(process, signal.SIGKILL)

        def counting(*args: Any, **options: Any) -> Any:
            self.times.append(time.monotonic())
            if len(self.times) == self.kill_at:
                threading.Timer(self.delay, kill).start()
            return submit(*args, **options)

        with patch.object(client, "submit", counting):
            yield
        going_on = False


def decided(run: RunRecord) -> dict[str, Any]:
    """What a comparison decides, without what it cost."""
    board = [
        (entry.rank, entry.label, entry.stage, entry.standing, entry.score, entry.low, entry.high, entry.behind,
         [(score.repeat, score.fold, score.score) for score in entry.scores], sorted(entry.metrics.items()))
        for entry in run.leaderboard
    ]  # fmt: skip
    failures = [(failure.label, failure.reason) for failure in run.failures]
    return {"status": run.status, "board": board, "best": run.best and run.best.label, "failures": failures}


def table(path: Path) -> Path:
    """A table of two classes that takes three methods a moment."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    label = np.where(X[:, 0] + 0.8 * rng.normal(size=120) > 0, "yes", "no")
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": label}).write_csv(path)
    return path


def _quick(task: str) -> list[Candidate]:
    chosen = [candidate for candidate in all_candidates(task) if candidate.label in METHODS]
    return [replace(each, compare=replace(each.compare, search={})) for each in chosen]


@contextmanager
def comparisons() -> Iterator[Work]:
    """Comparisons of methods at their defaults, two repeats of each: what is decided hangs on no clock."""
    numbers = count()
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("treatise.compare.inputs.rows.all_candidates", _quick), patch(f"{base.__name__}.MOST_REPEATS", 2),
    ):  # fmt: skip
        data = table(Path(folder) / "table.csv")

        def compared(client: Any) -> dict[str, Any]:
            output = Path(folder) / f"run{next(numbers)}"
            with joblib.parallel_config(backend="dask"):
                return decided(compare_methods(data, "label", folds=3, budget=BUDGET, output=output).run)

        yield compared


@contextmanager
def fits() -> Iterator[Work]:
    """Fits of several passes over five shards: the bits of the weights, and of the objective along the way."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(5):
            active = rng.integers(0, 50, (150, 6))
            labels = np.where(truth[active].sum(axis=1) + rng.logistic(size=150) > 0, 1, -1)
            rows = (f"{y} | {' '.join(map(str, row))}\n" for y, row in zip(labels, active))
            (Path(folder) / f"{number}.vw").write_text("".join(rows))

        def fitted(client: Any) -> dict[str, Any]:
            model = HybridLinearClassifier(bits=6, n_shards=5, max_iter=4)
            model.fit_files(str(Path(folder) / "*.vw"), dask=client)
            return {"weights": model.coef_.tobytes(), "objective": model.objective_path_}

        yield fitted


def outcomes(
    works: Callable[[], AbstractContextManager[Work]], kills: int, seed: int = 0
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a work comes to, first undisturbed and then each time with a worker killed, and the moment of the kill.

    Each time has three worker processes of its own.
    """
    rng = random.Random(seed)
    with works() as work:
        first = Handing()
        yield "undisturbed", _watched(work, first)
        pace = (first.times[-1] - first.times[0]) / len(first.times)
        done = 0
        while done < kills:
            handing = Handing(rng.randint(1, len(first.times)), rng.uniform(0, pace))
            outcome = _watched(work, handing)
            if handing.killed is not None:  # and the run was not over before
                done += 1
                yield f"piece {handing.kill_at} of {len(first.times)} handed out, {handing.delay:.2f} s later", outcome


def _watched(work: Work, handing: Handing) -> dict[str, Any]:
    local = LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None)
    with local, Client(local) as client, handing.watched(client):
        return work(client)


WORKS = {"comparisons": comparisons, "fits": fits}


def main() -> int:
    """Kill at many moments; the exit status says whether one changed an outcome."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("works", nargs="*", default=list(WORKS), metavar="WORK")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    changed = 0
    for name in wanted.works:
        found = outcomes(WORKS[name], wanted.kills, wanted.seed)
        _, expected = next(found)
        equal = 0
        for moment, outcome in found:
            equal += outcome == expected
            print(f"{moment}: {'equal' if outcome == expected else f'{outcome} instead of {expected}'}", flush=True)
        print(f"{name}: {equal} of {wanted.kills} equal", flush=True)
        changed += wanted.kills - equal
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
