"""Work that raises, hangs, eats memory, crashes or prints never ends the run."""

import io
import operator
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import hostile
import psutil
import pytest

from treatise._core.errors import TreatiseError
from treatise.compare.contest import isolation, processes
from treatise.compare.contest.isolation import Limits, WorkerPool

PLENTY = float("inf")
EASY = Limits(60, PLENTY, 120)


@pytest.fixture(scope="module")
def pool():
    workers = WorkerPool()
    yield workers
    workers.close()


def fit(name):
    return getattr(hostile, name)().fit, ([[0.0], [1.0]], [0, 1])


def test_a_job_answers_with_its_value(pool):
    outcome = pool.run(operator.add, (2, 3), EASY)
    assert (outcome.kind, outcome.value) == ("done", 5)


def test_an_exception_becomes_one_line(pool):
    outcome = pool.run(*fit("Raises"), EASY)
    assert (outcome.kind, outcome.reason) == ("error", "ValueError: the matrix is <singular>")


def test_a_job_that_hangs_is_stopped_near_its_time_and_the_next_one_runs(pool):
    outcome = pool.run(*fit("Hangs"), Limits(0.5, PLENTY, 120))
    # Not "late", which it would be after two minutes.
    assert outcome.kind == "time"
    assert pool.run(operator.add, (1, 1), EASY).value == 2


def test_a_share_is_processor_time_and_the_clock_has_the_last_word(pool):
    spinning = pool.run(hostile.spin, (60.0,), Limits(0.3, PLENTY, 120))
    assert spinning.kind == "time"
    assert 0.3 <= spinning.seconds < 5.0
    assert "processor time" in spinning.reason
    late = pool.run(hostile.spin, (60.0,), Limits(PLENTY, PLENTY, 1.0))
    assert late.kind == "late"


def test_what_a_job_does_before_it_begins_and_what_it_compiles_is_not_its_share(pool):
    outcome = pool.run(hostile.start_slowly_and_compile, (), Limits(0.5, PLENTY, 120))
    assert (outcome.kind, outcome.value) == ("done", 6.0)
    # It spun for longer than its share before it began, and compiling a loop takes longer still.
    assert outcome.seconds < 0.5 < outcome.compile_seconds + 1.0
    assert outcome.compile_seconds > 0.0


def test_a_job_that_eats_memory_is_stopped_before_much_more_than_its_share(pool):
    limit = 500 * 2**20
    outcome = pool.run(*fit("EatsMemory"), Limits(120, limit, 120))
    assert outcome.kind == "memory"
    assert "GiB" in outcome.reason


def test_a_crash_is_reported_with_its_exit_code(pool):
    outcome = pool.run(*fit("Dies"), EASY)
    assert (outcome.kind, outcome.reason) == ("error", "its process died (exit code 7)")


def test_printing_does_not_disturb_the_answer(pool):
    assert pool.run(*fit("Prints"), EASY).kind == "done"


def test_closing_the_pool_ends_jobs_under_way():
    workers = WorkerPool()
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(workers.run(*fit("Hangs"), Limits(300, PLENTY, 300))))
    thread.start()
    time.sleep(0.5)
    workers.close()
    thread.join()
    assert [outcome.kind for outcome in outcomes] == ["cancelled"]
    assert workers.run(operator.add, (1, 1), EASY).kind == "cancelled"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_workers_end_when_their_parent_is_killed():
    script = (
        "import os, time; from treatise.compare.contest.isolation import Limits, Worker\n"
        "print(Worker(1).run(os.getpid, (), Limits(60, 1e12, 120)).value, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        child = psutil.Process(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
    assert psutil.wait_procs([child], timeout=300)[1] == []


@pytest.mark.skipif(not processes.CAN_FORK, reason="processes are forked on Linux")
def test_a_worker_that_looks_after_nothing_ends_with_its_parent_too(tmp_path):
    script = (
        "import os, sys, hostile; from treatise.compare.contest.isolation import Limits, Worker\n"
        "worker, limits = Worker(1), Limits(600, 1e12, 600)\n"
        "print(worker.run(os.getpid, (), limits).value, flush=True)\n"
        "worker.run(hostile.hold_all_threads, (sys.argv[1],), limits)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command, marker = [sys.executable, "-c", script, str(tmp_path / "begun")], tmp_path / "begun"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        child = psutil.Process(int(parent.stdout.readline()))
        while not marker.exists():
            assert parent.poll() is None
            time.sleep(0.01)
        parent.send_signal(signal.SIGKILL)
    assert psutil.wait_procs([child], timeout=300)[1] == []


def test_where_nothing_can_be_forked_each_worker_starts_anew(monkeypatch):
    monkeypatch.setattr(processes, "CAN_FORK", False)
    workers = WorkerPool()
    try:
        assert workers.run(operator.add, (2, 3), EASY).value == 5
        assert workers.run(*fit("Dies"), EASY).reason == "its process died (exit code 7)"
        assert workers.run(operator.add, (1, 1), EASY).value == 2
    finally:
        workers.close()


@pytest.mark.skipif(not processes.CAN_FORK, reason="processes are forked on Linux")
def test_a_worker_that_was_stopped_is_replaced_without_importing_anything_anew(pool):
    pool.run(operator.add, (1, 1), EASY)
    pool.run(*fit("Dies"), EASY)
    outcome = pool.run(time.process_time, (), EASY)
    assert outcome.value < 0.5  # imports take several times as long on any machine


@pytest.mark.skipif(not processes.CAN_FORK, reason="processes are forked on Linux")
def test_when_the_nursery_is_killed_the_next_workers_come_from_another():
    workers = WorkerPool()
    try:
        nursery = psutil.Process(workers.run(os.getppid, (), EASY).value)
        nursery.kill()
        nursery.wait()
        outcomes = [workers.run(operator.add, (1, 1), EASY) for _ in range(3)]
        assert outcomes[-1].value == 2
    finally:
        workers.close()


def test_a_worker_that_says_no_more_is_not_lent_again_though_its_process_still_runs(monkeypatch):
    class Closing:
        """Its pipes are closed; the system has not yet told of its end."""

        def __init__(self):
            self.jobs, self.answers = io.BytesIO(), io.BytesIO()

        def code(self, timeout=None):
            return None

        def kill(self):
            pass

    monkeypatch.setattr(isolation, "start_process", lambda threads: Closing())
    workers = WorkerPool()
    assert [workers.run(operator.add, (1, 1), EASY).kind for _ in range(2)] == ["unstarted"] * 2


def test_a_machine_on_which_no_worker_can_begin_is_told_of(monkeypatch):
    monkeypatch.setattr(processes, "CAN_FORK", False)
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    workers = WorkerPool()
    try:
        with pytest.raises(TreatiseError, match="end before they begin"):
            for _ in range(10):
                assert workers.run(operator.add, (1, 1), EASY).kind == "unstarted"
    finally:
        workers.close()
