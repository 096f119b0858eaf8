"""Threads for compiled loops that release the interpreter lock, and none for small matrices."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache

import numba
from threadpoolctl import ThreadpoolController

_LARGE = 1000
"""Rows of a square matrix from which its factor keeps two threads at work for longer than they wait."""


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


def one_blas_thread(size: int = 0) -> AbstractContextManager:
    """A context in which matrix routines run in one thread, for work that calls them often with small matrices.

    Their threads wait for each other by spinning: milliseconds of work gain nothing from them, and take ten to twenty
    times as long on a machine whose processors have something else to do.

    Parameters
    ----------
    size : int, default=0
        Rows of the largest square matrix; from 1 000 on threads stay as they are.

    Returns
    -------
    context
    """
    return nullcontext() if size >= _LARGE else _matrix_libraries().limit(limits=1, user_api="blas")


@cache
def _matrix_libraries() -> ThreadpoolController:
    """Those of NumPy and SciPy; looking for them takes milliseconds, setting their threads none."""
    import scipy.linalg  # noqa: F401  # loads its own

    return ThreadpoolController()
