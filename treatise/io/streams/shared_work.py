"""Work that two threads share, with its results in the order of what they are made of."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from treatise.io.streams.rows import Rows

Source = TypeVar("Source")
Result = TypeVar("Result")
Work = Callable[[Source, Rows], tuple[Result, Source | None]]
"""Turns a source into a result within the buffers; also returns the rest that they had no room for, or None."""


class _Job:
    """A source, the buffers that its result is made in once somebody has taken it, and what came of it."""

    def __init__(self, source: Any = None, buffers: Rows | None = None) -> None:
        self.source, self.buffers = source, buffers
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class SharedWork(Generic[Source, Result]):
    """Results in order, made by a thread of its own and by the thread that asks for them.

    Whoever asks for a result that is not ready helps with the next source that nobody has taken. What is made of a
    source does not depend on who makes it. A result's buffers are used again once the next result is asked for.

    Parameters
    ----------
    sources : iterator
        Asked for one source at a time, by either thread.
    work : callable
        Called with a source and buffers, by either thread.
    buffers : list of Rows, at least 2
        As many sources, or rests of them, have results at once.
    """

    def __init__(self, sources: Iterator[Source], work: Work[Source, Result], buffers: list[Rows]) -> None:
        self._sources, self._work, self._free = sources, work, list(buffers)
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._reading = self._ended = self._stopped = False

    def __iter__(self) -> Iterator[Result]:
        thread = threading.Thread(target=self._help, name="treatise-stream", daemon=True)
        thread.start()
        try:
            while (job := self._first_done()) is not None:
                if job.error is not None:
                    raise job.error
                yield job.result
                with self._changed:
                    self._give_back(job)
        finally:
            with self._changed:
                self._stopped = True
                self._changed.notify_all()
            thread.join()

    def _first_done(self) -> _Job | None:
        """The next result in order; None at the end."""
        while True:
            with self._changed:
                if self._jobs and self._jobs[0].done:
                    return self._jobs.popleft()
                if self._ended and not self._jobs:
                    return None
                job = self._take()
                if job is None:
                    self._changed.wait()
                    continue
            self._do(job)

    def _help(self) -> None:
        while True:
            with self._changed:
                while (job := self._take()) is None:
                    if self._stopped:
                        return
                    self._changed.wait()
            self._do(job)

    def _take(self) -> _Job | None:
        """Something to do, with buffers to do it in; a job without a source begins by asking for one.

        The last buffers are kept for the first job, which all results wait for.
        """
        if self._stopped:
            return None
        for place, job in enumerate(self._jobs):
            if job.buffers is None and len(self._free) > (place > 0):
                job.buffers = self._free.pop()
                return job
        if self._ended or self._reading or len(self._free) <= bool(self._jobs):
            return None
        self._reading = True
        return _Job(buffers=self._free.pop())

    def _do(self, job: _Job) -> None:
        rest = None
        try:
            if job.source is None and not self._found_source(job):
                return
            assert job.buffers is not None
            job.result, rest = self._work(job.source, job.buffers)
        except BaseException as error:
            job.error = error
        with self._changed:
            job.done = True
            if rest is not None:
                self._jobs.insert(self._jobs.index(job) + 1, _Job(rest))
            self._changed.notify_all()

    def _found_source(self, job: _Job) -> bool:
        try:
            job.source = next(self._sources, None)
        except BaseException as error:
            job.error = error
        with self._changed:
            self._reading = False
            if job.source is None:
                self._ended = True
            if job.error is not None:
                job.done = True
            if job.source is not None or job.done:
                self._jobs.append(job)
            else:
                self._give_back(job)
            self._changed.notify_all()
        return job.source is not None

    def _give_back(self, job: _Job) -> None:
        assert job.buffers is not None
        self._free.append(job.buffers)
