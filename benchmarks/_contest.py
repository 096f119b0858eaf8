"""A contest between us and a peer on the same work, and a cost measured over sizes."""

import gc
import multiprocessing
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import psutil

Work = Callable[[], Any]


def left_out(why: str) -> None:
    """Say which contest cannot be held, beside the results rather than among them."""
    print(why, file=sys.stderr)


@dataclass(frozen=True)
class Contest:
    """The same work, twice.

    Parameters
    ----------
    work : str
        What is done, with its size.
    peer : str
        Distribution name of the peer, for its version.
    ours, theirs : callable
        Each does the work on data made beforehand and returns its result. A first, untimed call of
        ``warm_up`` compiles what is compiled.
    quality : callable
        Of a result, the number that must be level for the times to be comparable.
    prepare : callable or None
        Called by both sides before anything else. What starts threads, as Polars does, must begin here: a process that
        is forked beside threads may wait for ever.
    """

    work: str
    peer: str
    ours: Work
    theirs: Work
    quality: Callable[[Any], float]
    warm_up: Work | None = None
    repeats: int = 3
    prepare: Work | None = None

    def run(self) -> dict[str, Any]:
        """Both sides, each in a process of its own, best of the repeats."""
        ours, theirs = (
            _isolated(f"{self.work}: {side}", partial(self._ready, side), self.repeats, self.quality)
            for side in ("ours", "theirs")
        )
        return {
            "work": self.work, "peer": self.peer, "peer version": version(self.peer),
            "ours s": ours["seconds"], "peer s": theirs["seconds"], "ratio": theirs["seconds"] / ours["seconds"],
            "quality ours": ours["quality"], "quality peer": theirs["quality"],
            "peak MiB ours": ours["peak"] / 2**20, "peak MiB peer": theirs["peak"] / 2**20,
        }  # fmt: skip

    def _ready(self, side: str) -> Work:
        if self.prepare is not None:
            self.prepare()
        if side == "ours" and self.warm_up is not None:
            self.warm_up()
        return getattr(self, side)


@dataclass(frozen=True)
class Scaling:
    """Cost against size: seconds and peak of memory at each size, and the slope of the seconds' logarithms.

    Parameters
    ----------
    quality : callable or None
        Of the result at a size, a number that shows that the work was done, where it needs to be shown.
    """

    work: str
    sizes: tuple[int, ...]
    prepare: Callable[[int], Work]
    warm_up: Work | None = None
    repeats: int = 3
    quality: Callable[[Any], float] | None = None

    def run(self) -> dict[str, Any]:
        """Times at every size, each in a process of its own, and the fitted slope (1 is linear)."""
        found = [
            _isolated(f"{self.work}: {size}", partial(self._ready, size), self.repeats, self.quality or (lambda _: 0.0))
            for size in self.sizes
        ]
        seconds = [measured["seconds"] for measured in found]
        slope = float(np.polyfit(np.log(self.sizes), np.log(seconds), 1)[0])
        shown = {} if self.quality is None else {"quality": [measured["quality"] for measured in found]}
        return {
            "work": self.work, "sizes": list(self.sizes), "seconds": seconds, "slope": slope,
            "peak MiB": [measured["peak"] / 2**20 for measured in found], **shown,
        }  # fmt: skip

    def _ready(self, size: int) -> Work:
        if self.warm_up is not None:
            self.warm_up()
        return self.prepare(size)


def _timed(work: Work) -> tuple[float, Any]:
    gc.collect()
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def _isolated(name: str, ready: Callable[[], Work], repeats: int, quality: Callable[[Any], float]) -> dict[str, float]:
    """Do a work in a forked child, so that its peak of memory is its own.

    ``ready`` makes the data, compiles what is compiled and gives the work that is measured.
    """
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_measure, args=(ready, repeats, quality, send))
    child.start()
    send.close()
    try:
        base = receive.recv()  # resident memory once the data lie there and everything is compiled
        process, peak = psutil.Process(child.pid), base
        while not receive.poll(0.01):
            peak = max(peak, process.memory_info().rss)
        answer = receive.recv()
    except (EOFError, psutil.NoSuchProcess):
        raise RuntimeError(f"{name} ended without a result") from None
    child.join()
    return {**answer, "peak": peak - base}


def _measure(ready: Callable[[], Work], repeats: int, quality: Callable[[Any], float], send: Any) -> None:
    work = ready()
    gc.collect()
    send.send(psutil.Process().memory_info().rss)
    best, result = min((_timed(work) for _ in range(repeats)), key=lambda pair: pair[0])
    send.send({"seconds": best, "quality": float(quality(result))})
