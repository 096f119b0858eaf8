"""Folds on a cluster: as many at once as it has room for, sent again when lost, given up when all is gone."""

import threading
import warnings
from types import SimpleNamespace

import pytest

from treatise._core.cluster import Stuck
from treatise._core.errors import TreatiseError
from treatise.compare.contest.isolation import Limits, Outcome
from treatise.compare.contest.spread import ATTEMPTS, Call, in_threads, on_cluster

LIMITS = Limits(1.0, 1e9, 10.0)


class Sent:
    """A future of the cluster: a fold that was done, or whatever the cluster raised instead."""

    def __init__(self, found):
        self.found = found


class Script:
    """A cluster that does the folds in turn, except where its script has something else; notes how many run."""

    def __init__(self, rooms, accidents=()):
        self.rooms, self.accidents, self.at_once = iter(rooms), list(accidents), []
        self.client = SimpleNamespace(submit=self._submit)
        self._room = 0

    def _submit(self, attempted, run, job, limits, pure):
        accident = self.accidents.pop(0) if self.accidents else None
        return Sent(attempted(run, job, limits) if accident is None else accident)

    def workers(self):
        self._room = next(self.rooms, self._room)
        if self._room is None:
            raise TreatiseError("all workers of the Dask cluster are gone")
        return {f"w{i}": 1 for i in range(self._room)}

    def wait(self, futures):
        self.at_once.append(len(futures))
        if any(isinstance(each.found, Stuck) for each in futures):
            raise Stuck("nobody works on it any more")
        return list(futures)[:1]

    def fetched(self, future):
        if isinstance(future.found, Exception) and not isinstance(future.found, TreatiseError):
            raise future.found
        return future.found


def calls(number):
    for name in range(number):
        yield Call(SimpleNamespace(turn=name), LIMITS)


def run(job, limits):
    return job.turn, Outcome("done", job.turn)


def outcomes(cluster, number=6, left=lambda: 1.0):
    return [(turn, outcome.kind) for turn, outcome in on_cluster(run, calls(number), cluster, left)]


def test_workers_that_join_are_used_and_those_that_leave_are_not_waited_for():
    cluster = Script([1, 1, 3, 3, 0, 2])
    assert sorted(outcomes(cluster)) == [(turn, "done") for turn in range(6)]
    assert cluster.at_once[:4] == [1, 1, 3, 3]


def test_what_the_cluster_loses_is_sent_again():
    cluster = Script([2], [OSError("connection closed"), KeyError("tcp://127.0.0.1")])
    assert sorted(outcomes(cluster)) == [(turn, "done") for turn in range(6)]


def test_what_nobody_works_on_any_more_is_sent_again():
    cluster = Script([2], [Stuck(), Stuck()])
    assert sorted(outcomes(cluster)) == [(turn, "done") for turn in range(6)]


def test_a_fold_that_is_lost_again_and_again_costs_its_method_alone():
    cluster = Script([1], [OSError("connection closed")] * ATTEMPTS)
    assert outcomes(cluster, 2) == [(0, "error"), (1, "done")]


def test_an_error_of_the_library_and_a_cluster_that_is_gone_end_the_run():
    with pytest.raises(TreatiseError, match="end before they begin"):
        outcomes(Script([1], [TreatiseError("the processes end before they begin")]))
    with pytest.raises(TreatiseError, match="all workers"):
        outcomes(Script([1, 1, None]))


def test_after_the_end_of_the_time_nothing_is_waited_for():
    cluster = Script([3])
    assert outcomes(cluster, left=lambda: -6.0) == [(0, "done"), (1, "late"), (2, "late")]


def test_a_run_that_ends_early_on_this_machine_says_nothing_of_what_was_under_way():
    """joblib would advise the user to change its iterator."""
    free = threading.Event()

    def run(job, limits):
        if job:
            free.wait(60)
        return job, None

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcomes = in_threads(run, iter([(0, LIMITS), (1, LIMITS)]), 2)
        assert next(outcomes) == (0, None)
        threading.Timer(0.2, free.set).start()
        outcomes.close()
