"""Compiled loops: the one place that fixes how they are compiled.

A loop is compiled on first use and kept on disk, so that later processes load it; it releases the
interpreter lock, so that threads run it side by side. Wrappers for C, which nothing here calls, are not made: they
cost a fifth of the time to compile. Set ``NUMBA_DISABLE_JIT=1`` to step through one.
"""

from pathlib import Path

import numba

compiled = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True)
"""Decorator of a compiled loop. Keep signatures few: float64 data, int32 or int64 indices."""

inlined = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True, inline="always")
"""Decorator of a step of a compiled loop that is copied into it, where a call would cost more than the step does."""

compiled_sums = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True, fastmath={"reassoc", "contract"})
"""A compiled loop whose sums may be taken in any order, which lets the processor add several terms at once."""


def compiled_files(package: Path) -> tuple[int, int]:
    """Number and total bytes of the compiled loops kept on disk beside ``package``'s sources."""
    files = list(package.rglob("*.nbc"))
    return len(files), sum(path.stat().st_size for path in files)
