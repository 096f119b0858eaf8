"""What a job says of itself while it runs: when its own work begins, and what it compiles.

A worker process passes this on to whoever started it, so that start-up and compiling are kept apart from the method's
own time. Elsewhere nobody hears it.
"""

import time
from collections.abc import Callable
from typing import Any

from numba.core import event

from treatise.compare.contest.messages import COMPILED, COMPILING

hearers: list[Callable[[str, Any], None]] = []
"""Called with each word and its value."""


def tell(word: str, value: Any = None) -> None:
    """Say a word to whoever hears."""
    for hear in hearers:
        hear(word, value)


class Compilations(event.Listener):
    """The processor time that compiling takes; loops compiled within others are counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """A loop begins to be compiled."""
        if self._depth == 0:
            self._began = time.process_time()
            tell(COMPILING)
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """It is compiled."""
        self._depth -= 1
        if self._depth == 0:
            spent = time.process_time() - self._began
            self.seconds += spent
            tell(COMPILED, spent)


compilations = Compilations()
"""Those of this process."""
event.register("numba:compile", compilations)
