"""Requests to end a run: they cut short what can be left out, and wait where things must be whole.

Ctrl-C raises wherever a program happens to be. While folds run that is right: a run ends with those that it has. But
then a model is fitted and explained, and files are written that belong together; a request that comes in between is
noted, and heard where something can be left out.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

SAME = 1.0
"""Seconds within which two requests are one, as a process gets it by itself and with its group; one that comes later is
from somebody who does not want to wait."""


class Requests:
    """As a context, hears whatever would raise KeyboardInterrupt: Ctrl-C, and SIGTERM in a command.

    Where a program has handlers of its own, and in threads, which no signal reaches, it hears nothing.
    """

    def __init__(self) -> None:
        self.noted = False
        """Whether there is a request that cut nothing short so far."""
        self._made = -float("inf")
        self._cuts = False
        self._met: list[signal.Signals] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            both = (signal.SIGINT, signal.SIGTERM)
            self._met = [each for each in both if signal.getsignal(each) is signal.default_int_handler]
        for each in self._met:
            signal.signal(each, self._hear)
        return self

    def __exit__(self, *error: object) -> None:
        for each in self._met:
            signal.signal(each, signal.default_int_handler)

    @contextmanager
    def cut_short(self) -> Iterator[None]:
        """Raise KeyboardInterrupt in this block at a request, be it one that was noted before."""
        self._cuts = True
        try:
            if self.noted:
                raise KeyboardInterrupt
            yield
        except KeyboardInterrupt:
            self.noted = False
            raise
        finally:
            self._cuts = False

    def _hear(self, number: int, frame: FrameType | None) -> None:
        before, self._made = self._made, time.monotonic()
        if self._cuts:
            raise KeyboardInterrupt
        if self._made - before <= SAME:
            return
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True
