"""What an operator reads while a fit runs: one line per power of two, and one per pass."""

import sys
import time
from collections.abc import Callable

import psutil

from treatise.linear.hybrid._passes import Report
from treatise.optimize import LBFGSState


class ProgressLines:
    """Writes lines of progress: examples, loss since the last line and so far, speed, memory."""

    def __init__(self, write: Callable[[str], None] | None = None) -> None:
        self._write = write or (lambda line: print(line, file=sys.stderr, flush=True))
        self._process = psutil.Process()
        self._last_iteration = time.perf_counter()

    def online(self, number: int) -> Report:
        """Reports of one online pass: the loss is that of predictions made before learning from their example."""
        began = time.perf_counter()
        last = [0.0, 0.0]

        def report(examples: int, loss: float, importance: float) -> None:
            if examples == 1:
                self._write(f"online pass {number + 1}\n  examples  loss since  loss so far  examples/s  memory")
            since = (loss - last[0]) / max(importance - last[1], 1e-300)
            last[:] = loss, importance
            speed = examples / max(time.perf_counter() - began, 1e-9)
            mean = loss / max(importance, 1e-300)
            self._write(f"{examples:10d}  {since:10.6f}  {mean:11.6f}  {speed:10.0f}  {self._memory()}")
            self._last_iteration = time.perf_counter()

        return report

    def batch(self, state: LBFGSState) -> None:
        """After an iteration of L-BFGS."""
        if state.iteration == 0:
            self._write("L-BFGS\n iteration  objective         passes  seconds  memory")
        now = time.perf_counter()
        seconds, self._last_iteration = now - self._last_iteration, now
        self._write(
            f"{state.iteration:10d}  {state.value:<16.10g}  {state.evaluations:6d}  {seconds:7.2f}  {self._memory()}"
        )

    def _memory(self) -> str:
        return f"{self._process.memory_info().rss / 2**20:.0f} MiB"
