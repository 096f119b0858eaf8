"""Compiled loops: the one place that fixes how they are compiled.

A loop is compiled on first use and kept on disk, so that later processes load it; it releases the
interpreter lock, so that threads run it side by side. Wrappers for C, which nothing here calls, are not made: they
cost a fifth of the time to compile. Set ``NUMBA_DISABLE_JIT=1`` to step through one.
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import Any

import numba
from numba.core.types.misc import unliteral

from treatise._core.kept_loops import keep


def _without_literals(function: Any) -> Any:
    """A compiled function that loops call with constants as with any other number.

    Where a variable of a loop begins with a constant, a function would else be compiled for that constant first, in
    vain, and then for the variable.
    """
    if not numba.config.DISABLE_JIT:
        template = function.get_call_template
        function.get_call_template = lambda args, kws: template(
            tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
        )
    return function


def _loop(function: Callable, **options: Any) -> Any:
    """A loop that is compiled when it is called, and kept on disk."""
    loop = numba.njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
    if not numba.config.DISABLE_JIT:
        keep(loop)
    return loop


def compiled(function: Callable) -> Any:
    """Decorator of a compiled loop. Keep signatures few: float64 data, int32 or int64 indices."""
    return _without_literals(_loop(function))


def compiled_sums(function: Callable) -> Any:
    """A compiled loop whose sums may be taken in any order, which lets the processor add several terms at once."""
    return _without_literals(_loop(function, fastmath={"reassoc", "contract"}))


def compiled_fused(function: Callable) -> Any:
    """A compiled loop in which a product and the sum it goes into may be rounded once; sums keep their order."""
    return _without_literals(_loop(function, fastmath={"contract"}))


def inlined(function: Callable) -> Any:
    """Decorator of a step of a compiled loop that is copied into it, where a call would cost more than the step."""
    return _loop(function, inline="always")


class _Step:
    """What compiled loops call without a wrapper for Python; Python calls a loop of its own."""

    def __init__(self, function: Callable) -> None:
        update_wrapper(self, function)
        self.py_func = function
        # Not kept on disk: the loops that call it hold it, and its place there is that of the other form.
        self._inner = _without_literals(
            numba.njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)
        )

    @property
    def _numba_type_(self) -> numba.types.Type:
        return self._inner._numba_type_

    @cached_property
    def _outer(self) -> Callable:
        return compiled(self.py_func)

    def __call__(self, *args: Any) -> Any:
        return self._outer(*args)


def compiled_step(function: Callable) -> Callable:
    """Decorator of a step that other compiled loops call.

    Without a wrapper for Python it compiles in two thirds of the time. Python may call it too: then it is compiled
    once more, with a wrapper.
    """
    return function if numba.config.DISABLE_JIT else _Step(function)


def compiled_files(package: Path) -> tuple[int, int]:
    """Number and total bytes of the compiled loops kept on disk beside ``package``'s sources."""
    files = list(package.rglob("*.nbc"))
    return len(files), sum(path.stat().st_size for path in files)
