"""Where folds run: in threads of this process, or on a Dask cluster, as many at once as there is room for."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import joblib

from treatise._core.cluster import Cluster, Stuck, attempted
from treatise._core.errors import TreatiseError
from treatise.compare.contest.fold import FoldJob, Turn
from treatise.compare.contest.isolation import Limits, Outcome

PAUSE = 0.02
GRACE = 5.0
"""Seconds after the end of the time in which an answer may still come from a cluster."""
ATTEMPTS = 5


class Call(NamedTuple):
    """A fold to be run, and what it may use."""

    job: FoldJob
    limits: Limits


Calls = Iterator[Call | None]
"""Folds as there is room for them; None where the next depends on what is still running."""
Run = Callable[[FoldJob, Limits], tuple[Turn, Outcome]]


def cluster_in_use() -> Cluster | None:
    """The cluster that joblib was told to use, if it was."""
    backend, _ = joblib.parallel.get_active_backend()
    client = getattr(backend, "client", None)
    return None if client is None else Cluster(client)


def room() -> int:
    """Folds that can run at once, on that cluster or on this machine."""
    cluster = cluster_in_use()
    return joblib.cpu_count() if cluster is None else sum(cluster.workers().values())


def jobs_on_a_machine(jobs: int) -> int:
    """Those of all jobs that share a machine's memory; the machines of a cluster are taken to be like this one."""
    return jobs if cluster_in_use() is None else min(jobs, joblib.cpu_count())


def in_threads(run: Run, calls: Calls, jobs: int) -> Iterator[tuple[Turn, Outcome]]:
    """The outcomes of folds as they end, run by threads of this process."""
    parallel = joblib.Parallel(
        n_jobs=jobs, prefer="threads", batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered"
    )
    ended = parallel(joblib.delayed(_pause)() if call is None else joblib.delayed(run)(*call) for call in calls)
    try:
        yield from (found for found in ended if found is not None)
    finally:
        with warnings.catch_warnings():  # joblib's advice, where an error ends the run and what is under way with it
            warnings.simplefilter("ignore")
            ended.close()


def _pause() -> None:
    time.sleep(PAUSE)


def on_cluster(run: Run, calls: Calls, cluster: Cluster, left: Callable[[], float]) -> Iterator[tuple[Turn, Outcome]]:
    """The outcomes of folds as they end, run by the workers that the cluster has at the moment.

    A fold whose worker dies goes to another; one that is lost otherwise is sent again.
    """
    running: dict[Any, tuple[Call, int]] = {}

    def send(call: Call, attempt: int) -> None:
        running[cluster.client.submit(attempted, run, *call, pure=False)] = call, attempt

    ended = False
    while running or not ended:
        room = sum(cluster.workers().values()) - len(running)
        while not ended and room > 0:
            room -= 1
            call = next(calls, ...)
            ended = call is ...
            if call is None:
                break
            if isinstance(call, Call):
                send(call, 1)
        if not running:
            time.sleep(PAUSE)
            continue
        stuck = None
        try:
            over = cluster.wait(running)
        except Stuck as error:
            over, stuck = list(running), error
        for future in over:
            call, attempt = running.pop(future)
            outcome = _outcome(cluster, future, attempt) if stuck is None else _lost(stuck, attempt)
            if outcome is None:
                send(call, attempt + 1)
            else:
                yield call.job.turn, outcome
        if left() < -GRACE:
            for call, _ in running.values():
                yield call.job.turn, Outcome("late", reason="the time was up before it ended")
            return


def _outcome(cluster: Cluster, future: Any, attempt: int) -> Outcome | None:
    """How a fold ended; None where the cluster lost it."""
    try:
        found = cluster.fetched(future)
    except TreatiseError:
        raise
    except Exception as error:  # of the cluster: those of the work itself come as results
        return _lost(error, ATTEMPTS if type(error).__name__ == "KilledWorker" else attempt)
    if isinstance(found, Exception):
        raise found
    return found[1]


def _lost(error: Exception, attempt: int) -> Outcome | None:
    """What becomes of a fold that the cluster lost: another attempt, or the last of them was in vain."""
    if attempt < ATTEMPTS:
        return None
    return Outcome("error", reason=f"the Dask cluster lost it again and again ({error})")
