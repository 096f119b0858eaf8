"""Workers of a cluster killed in the midst of comparisons: whatever moment it is, the same is decided.

``make kills`` kills at twenty random moments, the tests at three. A moment is a number of folds handed out and a share
of the time that a fold takes, so that it lies within the run however busy the machine is.
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
from collections.abc import Iterator
from contextlib import contextmanager
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
from treatise.report import RunRecord

WORKERS = 3
METHODS = ("LogisticRegression", "SVC", "DummyClassifier")
BUDGET = 3600.0
"""Far more than it takes: folds, not seconds, end the run."""


@dataclass
class Handing:
    """Folds as they are handed out to a cluster, and the worker that is killed a while after one of them."""

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


def outcomes(kills: int, seed: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """What comparisons decide, the first undisturbed and each other with a worker killed, and the moment of the kill.

    Each has three worker processes of its own. Methods at their defaults and two repeats:
    what is decided hangs on no clock.
    """
    rng = random.Random(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("treatise.compare.inputs.rows.all_candidates", _quick), patch(f"{base.__name__}.MOST_REPEATS", 2),
    ):  # fmt: skip
        data = table(Path(folder) / "table.csv")
        first = Handing()
        yield "undisturbed", _compared(data, Path(folder) / "run", first)
        pace = (first.times[-1] - first.times[0]) / len(first.times)
        done = 0
        for attempt in count():
            handing = Handing(rng.randint(1, len(first.times)), rng.uniform(0, pace))
            outcome = _compared(data, Path(folder) / f"run{attempt}", handing)
            if handing.killed is not None:  # and the run was not over before
                done += 1
                yield f"fold {handing.kill_at} of {len(first.times)} handed out, {handing.delay:.2f} s later", outcome
            if done == kills:
                break


def _compared(data: Path, folder: Path, handing: Handing) -> dict[str, Any]:
    local = LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None)
    with local, Client(local) as client, handing.watched(client), joblib.parallel_config(backend="dask"):
        return decided(compare_methods(data, "label", folds=3, budget=BUDGET, output=folder).run)


def main() -> int:
    """Kill at many moments; the exit status says whether one changed what was decided."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    found = outcomes(wanted.kills, wanted.seed)
    _, expected = next(found)
    equal = 0
    for moment, outcome in found:
        equal += outcome == expected
        print(f"{moment}: {'equal' if outcome == expected else f'{outcome} instead of {expected}'}", flush=True)
    print(f"{equal} of {wanted.kills} decide the same", flush=True)
    return 0 if equal == wanted.kills else 1


if __name__ == "__main__":
    sys.exit(main())
