"""Compiling beforehand what comparisons would compile on their way: every method, once, on a few rows."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import polars as pl
from scipy import sparse

from treatise.compare.contest.contest import retire_workers, run_isolated, workers
from treatise.compare.contest.fold import FoldJob, Turn
from treatise.compare.contest.isolation import Limits
from treatise.compare.inputs import Input, Request, read_input
from treatise.io import Table

ROWS, COLUMNS = 60, 4
WALL = 600.0
UNLIMITED = float("inf")


@dataclass(frozen=True)
class Compiled:
    """A method that was tried: what compiling took, and what went wrong if something did."""

    label: str
    task: str
    seconds: float
    complaint: str


def compile_methods(tell: Callable[[Compiled], None], jobs: int | None = None) -> list[Compiled]:
    """Fit every method of every task to a few rows, so that its loops are compiled and kept on disk.

    Parameters
    ----------
    tell : callable
        Hears of each method as it is done.
    jobs : int or None, default=None
        Methods at once; None takes the processors there are.

    Returns
    -------
    list of Compiled
    """
    done = []
    jobs = joblib.cpu_count() if jobs is None else jobs
    parallel = joblib.Parallel(n_jobs=jobs, prefer="threads", batch_size=1, return_as="generator_unordered")
    try:
        with tempfile.TemporaryDirectory() as folder:
            workers().warm_up(jobs)
            for found in parallel(joblib.delayed(_compiled)(job, task) for job, task in _jobs(Path(folder))):
                tell(found)
                done.append(found)
    finally:
        retire_workers()
    return done


def _compiled(job: FoldJob, task: str) -> Compiled:
    _, outcome = run_isolated(job, Limits(UNLIMITED, UNLIMITED, WALL))
    complaint = "" if outcome.kind == "done" else outcome.reason
    return Compiled(job.candidate.label, task, outcome.compile_seconds, complaint)


def _jobs(folder: Path) -> Iterator[tuple[FoldJob, str]]:
    for number, data in enumerate(_inputs(folder)):
        work = folder / str(number)
        work.mkdir()
        data.save(work)
        for candidate in data.candidates():
            if candidate.paper is not None and (
                "sparse" in candidate.compare.input or not getattr(data, "sparse", False)
            ):
                turn = Turn(candidate.key, "look", 0, 0)
                yield FoldJob(work, candidate, data.metrics[0], turn, 2, 0), data.task


def _inputs(folder: Path) -> Iterator[Input]:
    """A small one of each kind and task: dense, sparse, sequences."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    signal = X[:, 0] + 0.3 * rng.normal(size=ROWS)
    targets = {
        "binary": np.where(signal > 0, "b", "a"),
        "multiclass": np.array(["a", "b", "c"])[np.digitize(signal, [-0.5, 0.5])],
        "regression": signal,
    }
    for task, y in targets.items():
        frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(COLUMNS)]).with_columns(y=pl.Series(y))
        yield read_input(Request(Table("points", frame, True, ()), "y", task))
        labels = pl.DataFrame({"label": pl.Series(y)})
        table = Table("points", labels, False, (), matrix=sparse.csr_matrix(np.abs(X)))
        yield read_input(Request(table, "label", task))
    lives = pl.DataFrame(X, schema=[f"x{j}" for j in range(COLUMNS)]).with_columns(
        time=pl.Series(np.exp(signal)), event=pl.Series(X[:, 1] > 0)
    )
    yield read_input(Request(Table("lives", lives, True, ()), lifetime="time", event="event"))
    path = folder / "sentences.csv"
    words = np.repeat(np.arange(ROWS // 3), 3)
    pl.DataFrame(
        {"sentence": words, "word": [f"w{i % 7}" for i in range(ROWS)], "tag": ["x", "y", "x"] * (ROWS // 3)}
    ).write_csv(path)
    yield read_input(Request(str(path), "tag", "sequence", group="sentence"))
