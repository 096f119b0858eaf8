"""Processes for workers: forked from one that has imported everything where the system can, else started anew."""

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from typing import IO, Protocol

from treatise.compare.contest.messages import write_message
from treatise.compare.contest.nursery import BIRTH, DEATH, MESSAGE

CAN_FORK = sys.platform == "linux"
READ_EARLY = ("MKL_", "NUMBA_", "OMP_", "OPENBLAS_", "POLARS_", "TREATISE_")
"""Variables that libraries read when they are imported: other values need another nursery."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class WorkerProcess(Protocol):
    """A process that reads jobs and writes answers."""

    @property
    def jobs(self) -> IO[bytes]:
        """Where jobs are written."""

    @property
    def answers(self) -> IO[bytes]:
        """Where answers are read."""

    def code(self, timeout: float | None = None) -> int | None:
        """How it ended, after so many seconds at most; None if it still runs."""

    def kill(self) -> None:
        """End it."""


def start_process(threads: int) -> WorkerProcess:
    """A new process for a worker, whose linear algebra has so many threads; it begins with this process's settings."""
    environment = {**os.environ, "TREATISE_WORKER": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment |= dict.fromkeys(THREADS, str(threads))
    process: WorkerProcess
    if CAN_FORK:
        read_early = tuple(sorted((k, v) for k, v in environment.items() if k.startswith(READ_EARLY)))
        if not _nursery(read_early).alive:
            _nursery.cache_clear()
        process = Forked(_nursery(read_early))
    else:
        process = Started(environment)
    with suppress(OSError):  # one that has died answers nothing, and is replaced
        write_message(process.jobs, (environment, sys.path))
    return process


def _command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"treatise.compare.contest.{module}", *arguments]


class Started:
    """A process of its own beginning: it imports everything itself."""

    def __init__(self, environment: dict[str, str]) -> None:
        # A session of its own: Ctrl-C at the terminal reaches the parent alone, which decides what to keep.
        self._process = subprocess.Popen(
            _command("worker"), env=environment, start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.jobs, self.answers = self._process.stdin, self._process.stdout

    def code(self, timeout: float | None = None) -> int | None:
        """How it ended, after so many seconds at most."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End it."""
        self._process.kill()


class Forked:
    """A child of the nursery."""

    def __init__(self, nursery: "Nursery") -> None:
        jobs, self_jobs = os.pipe()
        self_answers, answers = os.pipe()
        self.jobs, self.answers = os.fdopen(self_jobs, "wb"), os.fdopen(self_answers, "rb")
        self._code: int | None = None
        self._ended = threading.Event()
        self._nursery = nursery
        try:
            self._name = nursery.bear(self, (jobs, answers))
        finally:
            os.close(jobs)
            os.close(answers)

    def code(self, timeout: float | None = None) -> int | None:
        """How it ended, after so many seconds at most."""
        self._ended.wait(timeout)
        return self._code

    def kill(self) -> None:
        """End it."""
        self._nursery.kill(self._name)

    def has_died(self, code: int) -> None:
        """Hear how it ended."""
        self._code = code
        self._ended.set()


class Nursery:
    """The client of a process that forks workers; it lives as long as this process uses it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                _command("nursery", str(theirs.fileno())), env=environment, start_new_session=True,
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        self._lock = threading.Lock()
        self._children: dict[int, Forked] = {}
        self._born = 0
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether it can bear another."""
        return self._process.poll() is None

    def bear(self, child: Forked, pipes: tuple[int, int]) -> int:
        """Ask for a worker on these pipes; its name here comes back at once, the worker when it is born."""
        with self._lock:
            self._born += 1
            self._children[self._born] = child
            name = self._born
        self._send(MESSAGE.pack(BIRTH, name, 0), pipes)
        return name

    def kill(self, name: int) -> None:
        """End a worker, born or not."""
        self._send(MESSAGE.pack(DEATH, name, 0), ())

    def _send(self, message: bytes, pipes: tuple[int, ...]) -> None:
        with suppress(OSError):  # it may have died: the listener tells every worker
            socket.send_fds(self._socket, [message], pipes)

    def _listen(self) -> None:
        try:
            while message := self._socket.recv(MESSAGE.size):
                _, name, code = MESSAGE.unpack(message)
                with self._lock:
                    child = self._children.pop(name)
                child.has_died(code)
        except OSError:
            pass
        self._socket.close()
        with self._lock:
            orphans = list(self._children.values())
        # A worker ends with its nursery.
        for child in orphans:
            child.has_died(-9)


@lru_cache(maxsize=1)
def _nursery(read_early: tuple[tuple[str, str], ...]) -> Nursery:
    # Python's own variables count from the start; the others come with each worker.
    return Nursery({**os.environ, **dict(read_early), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
