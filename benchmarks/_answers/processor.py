"""Time as the processors grant it, so that a busy machine makes a measurement longer and no other."""

import threading
import time
from contextlib import suppress

import psutil

FRESH = 0.02
FAMILY_FRESH = 0.5
"""Seconds for which the time, and the list of processes whose it is, need not be asked for again."""


class ProcessorClock:
    """Seconds of processor time that this process and all that it started have used, for each of some processors.

    Parameters
    ----------
    jobs : int
        Processors that a budget of so many seconds speaks of.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs, self._me = jobs, psutil.Process()
        self._lock = threading.Lock()
        self._asked = self._listed = float("-inf")
        self._family: list[psutil.Process] = []
        self._used = 0.0
        self._wall = time.monotonic  # the true one, whatever others make of it

    def __call__(self) -> float:
        with self._lock:
            moment = self._wall()
            if moment - self._listed > FAMILY_FRESH:
                self._family, self._listed = [self._me, *self._me.children(recursive=True)], moment
            if moment - self._asked > FRESH:
                # What a process that has ended used is in its parent's account. While it passes there, the sum dips.
                self._used, self._asked = max(self._used, sum(map(_used, self._family))), moment
            return self._used / self._jobs


def _used(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        times = process.cpu_times()
        return times.user + times.system + times.children_user + times.children_system
    return 0.0
