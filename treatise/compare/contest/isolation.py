"""Work in processes of its own, stopped when it takes too long or too much memory, never ending the run.

A worker is a long-lived Python process that takes one job after another; one that must be stopped is
killed and replaced, and what it has compiled is on disk for the next. Jobs and answers travel as pickles between a
process and the workers that were started for it.
"""

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil

from treatise._core.errors import TreatiseError
from treatise.compare.contest import clock
from treatise.compare.contest.messages import BEGIN, COMPILED, COMPILING, read_message, write_message
from treatise.compare.contest.processes import start_process

POLL_SECONDS = 0.1
"""How often a job's limits are looked at; its answer is heard at once."""
MOST_STARTING = 30.0
"""Processor seconds after which a start, or one loop that compiles, is taken to hang."""
MOST_UNSTARTED = 5
LONGEST_WAIT = 5.0
"""Seconds that a job may sleep at least."""


@dataclass(frozen=True)
class Limits:
    """What a job may use.

    Parameters
    ----------
    seconds : float
        Processor seconds, from when it says that it begins; what it compiles does not count. They are granted by the
        machine, so that a busy one gives a job more time on the clock and no less work.
    memory : float
        Bytes of resident memory.
    wall : float
        Seconds on the clock after which it must be over, its start included.
    """

    seconds: float
    memory: float
    wall: float


@dataclass(frozen=True)
class Outcome:
    """How a job ended; the reason is a sentence.

    ``kind`` is "done", "error", "time" (more processor time than its share), "memory", "late" (the end of the time on
    the clock), "unstarted" (no process began with it) or "cancelled". ``seconds`` is processor
    time without compiling, ``compile_seconds`` what that took, ``wall`` the time on the clock from when it began.
    """

    kind: str
    value: Any = None
    reason: str = ""
    seconds: float = 0.0
    compile_seconds: float = 0.0
    wall: float = 0.0


class _Meter:
    """The processor time of a process, without what it spends before it begins and on compiling."""

    def __init__(self, process: psutil.Process | None) -> None:
        self._process = process
        self.compiled = 0.0
        self.compiling = False
        self.begun = False
        self._last, self._moved = 0.0, time.monotonic()
        self.begin()

    @property
    def spent(self) -> dict[str, Any]:
        """What an outcome says of it."""
        return {"seconds": self.seconds, "compile_seconds": self.compiled, "wall": clock.now() - self._began}

    def begin(self) -> None:
        """Count from now."""
        self._start, self._began = self._used(), clock.now()
        self.compiled = 0.0

    @property
    def seconds(self) -> float:
        """Processor seconds since the beginning, compiling apart."""
        return max(0.0, self._used() - self._start - self.compiled)

    @property
    def waiting(self) -> float:
        """Seconds on the wall since the process last did anything, or wanted to."""
        return time.monotonic() - self._moved

    @property
    def resident(self) -> int:
        """Bytes of memory."""
        try:
            return self._process.memory_info().rss if self._process is not None else 0
        except psutil.Error:
            return 0

    def _used(self) -> float:
        if self._process is None:
            return self._last
        try:
            with self._process.oneshot():
                times, state = self._process.cpu_times(), self._process.status()
        except psutil.Error:
            return self._last
        used = times.user + times.system + times.children_user + times.children_system
        # One that wants to run and is not let, on a busy machine, does not wait.
        if used > self._last or state != psutil.STATUS_SLEEPING:
            self._last, self._moved = max(used, self._last), time.monotonic()
        return used


class Worker:
    """One process that runs jobs. Use through :class:`WorkerPool`."""

    def __init__(self, threads: int) -> None:
        self._process = start_process(threads)
        self._pid: int | None = None
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._silent = False
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while (answer := read_message(self._process.answers)) is not None:
            self._answers.put(answer)
        # Set before the word is heard: a process closes its pipes some moments before it is seen to have ended.
        self._silent = True
        self._answers.put(None)

    def run(self, function: Callable[..., Any], args: tuple[Any, ...], limits: Limits) -> Outcome:
        """Call ``function(*args)`` there; it must be importable by name."""
        ends = clock.now() + limits.wall
        if self._pid is None:
            # The process imports its libraries first; that is no method's time.
            word = self._first_word(ends)
            if word is None:
                return Outcome("unstarted", reason="its process ended before it could begin")
            if not word:
                return Outcome("late", reason="no process was ready for it in time")
            self._pid = word[1]
        meter = _Meter(psutil.Process(self._pid) if self.alive else None)
        try:
            write_message(self._process.jobs, (function, args))
        except (OSError, ValueError):
            return Outcome("cancelled", reason="its process had ended")
        while True:
            try:
                answer = self._answers.get(timeout=POLL_SECONDS)
            except queue.Empty:
                stopped = self._beyond(limits, meter, ends)
                if stopped is not None:
                    self.kill()
                    return stopped
                continue
            if answer is None:
                return Outcome("error", reason=f"its process died ({self._cause()})", seconds=meter.seconds)
            word, value = answer
            if word in ("done", "error"):
                if word == "done":
                    return Outcome(word, value, **meter.spent)
                return Outcome(word, reason=value, **meter.spent)
            _hear(word, value, meter)

    def _first_word(self, ends: float) -> Any:
        """What the process says when it is ready: None if it has ended, nothing if the time is up before."""
        while clock.now() <= ends:
            with suppress(queue.Empty):
                return self._answers.get(timeout=POLL_SECONDS)
        return ()

    @staticmethod
    def _beyond(limits: Limits, meter: _Meter, ends: float) -> Outcome | None:
        """The outcome of a job that has used up something, or None."""
        spent, resident = meter.seconds, meter.resident
        if clock.now() > ends:
            return Outcome("late", reason="the time was up before it ended", **meter.spent)
        if spent > limits.seconds + (0.0 if meter.begun and not meter.compiling else MOST_STARTING):
            reason = f"stopped after {spent:.1f} s of processor time, its share"
            return Outcome("time", reason=reason, **meter.spent)
        if meter.waiting > max(LONGEST_WAIT, limits.seconds):
            return Outcome("time", reason=f"stopped after {meter.waiting:.1f} s in which it did nothing", **meter.spent)
        if resident > limits.memory:
            gib = 2**30
            reason = f"stopped at {resident / gib:.1f} GiB of memory; its share is {limits.memory / gib:.1f} GiB"
            return Outcome("memory", reason=reason, **meter.spent)
        return None

    @property
    def alive(self) -> bool:
        """Whether the process still runs, and answers."""
        return not self._silent and self._process.code(0.0) is None

    def kill(self) -> None:
        """End the process and whatever it started."""
        if self._pid is not None:
            try:
                for child in psutil.Process(self._pid).children(recursive=True):
                    child.kill()
            except psutil.Error:
                pass
        self._process.kill()
        if self._pid is not None:
            self._process.code(LONGEST_WAIT)

    def _cause(self) -> str:
        code = self._process.code(LONGEST_WAIT)
        if code == -9:
            return "killed, perhaps by the system for want of memory"
        return "no cause known" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"


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
        self._unstarted = 0

    def run(self, function: Callable[..., Any], args: tuple[Any, ...], limits: Limits) -> Outcome:
        """Run a job in an idle worker, or a new one; it is stopped when it goes beyond its limits."""
        with self._lock:
            if self._closed:
                return Outcome("cancelled", reason="the run was ended")
            self._idle = [worker for worker in self._idle if worker.alive]
            worker = self._idle.pop() if self._idle else Worker(self._threads)
            self._lent.add(worker)
        try:
            outcome = worker.run(function, args, limits)
            self._count_starts(outcome)
        finally:
            with self._lock:
                self._lent.discard(worker)
                if not self._closed:
                    # One that was stopped is replaced at once, so that the next job need not wait for it.
                    self._idle.append(worker if worker.alive else Worker(self._threads))
        return Outcome("cancelled", reason="the run was ended") if self._closed else outcome

    def _count_starts(self, outcome: Outcome) -> None:
        """Refuse to go on where one process after the other ends before it can begin."""
        with self._lock:
            self._unstarted = self._unstarted + 1 if outcome.kind == "unstarted" else 0
            if self._unstarted >= MOST_UNSTARTED and not self._closed:
                raise TreatiseError(
                    "the processes that fit methods end before they begin; "
                    "`python -m treatise.compare.contest.worker` shows why"
                )

    def warm_up(self, count: int) -> None:
        """Start workers ahead of need, so that they import while the table is being read."""
        with self._lock:
            self._idle += [Worker(self._threads) for _ in range(count - len(self._idle))]

    def spare(self) -> None:
        """Start one more ahead of need, that the next jobs leave alone as long as others are idle."""
        with self._lock:
            if not self._closed:
                self._idle.insert(0, Worker(self._threads))

    def close(self) -> None:
        """End every worker; jobs under way return as cancelled."""
        with self._lock:
            self._closed = True
            workers = [*self._idle, *self._lent]
            self._idle.clear()
        for worker in workers:
            worker.kill()


def _hear(word: str, value: Any, meter: _Meter) -> None:
    """What a worker says of itself while it works."""
    if word == BEGIN:
        meter.begin()
        meter.begun = True
    elif word == COMPILING:
        meter.compiling = True
    elif word == COMPILED:
        meter.compiling = False
        meter.compiled += value
