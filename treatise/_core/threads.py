"""Threads for compiled loops that release the interpreter lock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba


def over_ranges(work: Callable[[int, int], None], length: int, *, cost: float) -> None:
    """Call ``work(first, last)`` on ranges that cover ``length``, side by side if the work is worth it.

    Threads are started for the call and ended with it: unlike a lasting pool or an OpenMP region they leave
    nothing behind that a later fork of the process would trip over.

    Parameters
    ----------
    work : callable
        A compiled loop over a range; ranges are independent of one another.
    length : int
        Number of items.
    cost : float
        Rough nanoseconds of the whole work. Below two milliseconds the threads would cost more than they save.
    """
    threads = min(numba.get_num_threads(), length, int(cost / 1e6))
    if threads < 2:
        work(0, length)
        return
    edges = [length * i // threads for i in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
