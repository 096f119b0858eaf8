"""Work in processes of its own, stopped when it takes too long or too much memory, never ending the run.

A worker is a long-lived Python process that takes one job after another; one that must be stopped is
killed and replaced. Jobs and answers travel as pickles between a process and the child it started itself.
"""

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil

POLL_SECONDS = 0.02
READY = "ready"


@dataclass(frozen=True)
class Outcome:
    """How a job ended: ``kind`` is "done", "error", "time", "memory" or "cancelled"; the reason is a sentence."""

    kind: str
    value: Any = None
    reason: str = ""
    seconds: float = 0.0


class Worker:
    """One process that runs jobs. Use through :class:`WorkerPool`."""

    def __init__(self, threads: int) -> None:
        environment = {
            **os.environ,
            "TREATISE_WORKER": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
            environment[variable] = str(threads)
        # A session of its own: Ctrl-C at the terminal reaches the parent alone, which decides what to keep.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "treatise.compare.contest.worker"], env=environment, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._ready = False
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while (answer := read_message(self._process.stdout)) is not None:
            self._answers.put(answer)
        self._answers.put(None)

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], seconds: float, memory: float, patience: float
    ) -> Outcome:
        """Call ``function(*args)`` there; it must be importable by name."""
        if not self._ready:
            # The process imports its libraries first; that is no method's time.
            try:
                self._ready = self._answers.get(timeout=max(0.0, patience)) == READY
            except queue.Empty:
                return Outcome("cancelled", reason="no process was ready for it in time")
            if not self._ready:
                return Outcome("cancelled", reason="its process ended before it could begin")
        start = time.monotonic()
        try:
            assert self._process.stdin is not None
            write_message(self._process.stdin, (function, args))
        except (OSError, ValueError):
            return Outcome("cancelled", reason="its process had ended")
        process = psutil.Process(self._process.pid) if self.alive else None
        while True:
            try:
                answer = self._answers.get(timeout=POLL_SECONDS)
            except queue.Empty:
                spent = time.monotonic() - start
                resident = _resident(process)
                if spent > seconds:
                    self.kill()
                    return Outcome("time", reason=f"stopped after {spent:.1f} s, its share of the time", seconds=spent)
                if resident > memory:
                    self.kill()
                    reason = f"stopped at {resident / 2**30:.1f} GiB of memory; its share is {memory / 2**30:.1f} GiB"
                    return Outcome("memory", reason=reason, seconds=spent)
                continue
            spent = time.monotonic() - start
            if answer is None:
                code = self._process.wait()
                return Outcome("error", reason=f"its process died ({_cause(code)})", seconds=spent)
            ok, value = answer
            return Outcome("done", value, seconds=spent) if ok else Outcome("error", reason=value, seconds=spent)

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process and whatever it started."""
        try:
            for child in psutil.Process(self._process.pid).children(recursive=True):
                child.kill()
        except psutil.Error:
            pass
        self._process.kill()
        self._process.wait()


class WorkerPool:
    """Workers lent to threads one at a time, made as they are needed."""

    def __init__(self, threads: int = 1) -> None:
        self._threads, self._idle, self._lent, self._lock = (
            threads,
            list[Worker](),
            set[Worker](),
            threading.Lock(),
        )
        self._closed = False

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], seconds: float, memory: float, patience: float
    ) -> Outcome:
        """Run a job in an idle worker, or a new one.

        It is stopped when it takes more than ``seconds`` or ``memory`` bytes; ``patience`` is how long to
        wait for a new process to be ready, which does not count as the job's time.
        """
        with self._lock:
            if self._closed:
                return Outcome("cancelled", reason="the run was ended")
            self._idle = [worker for worker in self._idle if worker.alive]
            worker = self._idle.pop() if self._idle else Worker(self._threads)
            self._lent.add(worker)
        try:
            outcome = worker.run(function, args, seconds, memory, patience)
        finally:
            with self._lock:
                self._lent.discard(worker)
                if not self._closed:
                    # One that was stopped is replaced at once, so that the next job need not wait for it.
                    self._idle.append(worker if worker.alive else Worker(self._threads))
        return Outcome("cancelled", reason="the run was ended") if self._closed else outcome

    def warm_up(self, count: int) -> None:
        """Start workers ahead of need, so that they import while the table is being read."""
        with self._lock:
            self._idle += [Worker(self._threads) for _ in range(count - len(self._idle))]

    def close(self) -> None:
        """End every worker; jobs under way return as cancelled."""
        with self._lock:
            self._closed = True
            workers = [*self._idle, *self._lent]
            self._idle.clear()
        for worker in workers:
            worker.kill()


def write_message(stream: Any, message: Any) -> None:
    """Send a pickled message with its length before it."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack("<Q", len(body)))
    stream.write(body)
    stream.flush()


def read_message(stream: Any) -> Any:
    """The next message, or None at the end of the stream."""
    try:
        head = stream.read(8)
        if len(head) < 8:
            return None
        (length,) = struct.unpack("<Q", head)
        body = stream.read(length)
        return pickle.loads(body) if len(body) == length else None
    except (OSError, ValueError):
        return None


def _resident(process: psutil.Process | None) -> int:
    try:
        return process.memory_info().rss if process is not None else 0
    except psutil.Error:
        return 0


def _cause(code: int) -> str:
    if code == -9:
        return "killed, perhaps by the system for want of memory"
    return f"signal {-code}" if code < 0 else f"exit code {code}"
