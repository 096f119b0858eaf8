"""Threads for compiled loops that release the interpreter lock, and none for small matrices."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache, wraps
from typing import Any

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


def few_rows_in_one_thread(fit: Callable) -> Callable:
    """A ``fit`` whose matrix routines run in one thread where X, or each of several X, has fewer than 1 000 rows.

    For methods whose matrices have a row for each row of X, or fewer: see :func:`one_blas_thread`.
    """

    @wraps(fit)
    def in_one_thread(self: Any, *arguments: Any, **named: Any) -> Any:
        with one_blas_thread(_rows(next(iter([*arguments, *named.values()]), None))):
            return fit(self, *arguments, **named)

    return in_one_thread


def _rows(X: Any) -> int:
    """Rows of a table, of the longest of several, or of nothing that has rows: checks of input come later."""
    if hasattr(X, "shape"):
        return X.shape[0] if X.shape else 0
    tables = [part.shape[0] for part in X if getattr(part, "ndim", 0) > 1] if isinstance(X, list | tuple) else []
    return max(tables, default=len(X) if hasattr(X, "__len__") else 0)


@cache
def _matrix_libraries() -> ThreadpoolController:
    """Those of NumPy and SciPy; looking for them takes milliseconds, setting their threads none."""
    import scipy.linalg  # noqa: F401  # loads its own

    return ThreadpoolController()
