"""Compiled loops kept on disk, never used where they do not fit what the sources say now.

Numba keeps a loop by the state of its own file. A loop holds the steps and the instructions that it calls and the
constants that it names, from other files too: here those count as well. What an older version wrote, or what is
damaged, is compiled anew. Where neither the library's folder nor the user's own can be written, a private folder among
the temporary files serves; where there is none, loops live as long as the process.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache


class KeptLoops(FunctionCache):
    """The forms of one loop on disk."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A form from disk; None where there is none that can be used."""
        # Not before: steps may stand below the loop in its file.
        self._cache_file._source_stamp = made_of(self._py_func)
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            # Written by another version, whose types are elsewhere now, or damaged.
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a form, if the disk takes it and what is there already can be read."""
        try:
            super().save_overload(sig, data)
        except Exception:
            self.disable()


def keep(loop: Any) -> None:
    """Let a loop keep its forms on disk, where that is possible."""
    for place in (_usual_place, _private_place):
        with suppress(RuntimeError, OSError), place():
            loop._cache = KeptLoops(loop.py_func)
            return


def kept_place() -> Path | None:
    """Where loops of this library are kept; None where they live as long as the process."""
    loop = numba.njit(_state)
    keep(loop)
    found = loop.stats.cache_path
    return None if found is None else Path(found)


def made_of(function: Callable) -> tuple:
    """All that a loop is made of: the states of its files, those of what it calls, and the constants that both name."""
    found, waiting, constants = {function}, [function], set()
    while waiting:
        each = waiting.pop()
        named = dict(_named(each))
        constants |= {(name, told) for name, value in named.items() if (told := _told(value)) is not None}
        new = {step for value in named.values() if (step := _written(value)) is not None} - found
        found |= new
        waiting += new
    files = sorted({each.__code__.co_filename for each in found})
    return *((Path(path).name, *_state(path)) for path in files), *sorted(constants)


def _named(function: Callable) -> Iterator[tuple[str, Any]]:
    """What the names in a loop stand for outside of it."""
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents


def _written(value: Any) -> Callable | None:
    """The function of a loop, a step or an instruction, as it was written; None for other values."""
    function = getattr(value, "py_func", getattr(value, "__wrapped__", None))
    return function if hasattr(function, "__code__") else None


def _told(value: Any) -> str | None:
    """A constant that is compiled into a loop, in words that another process would have for it; None for others."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape} {sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        parts = [_told(part) for part in value]
        return None if None in parts else repr(parts)
    return repr(value) if isinstance(value, (int, float, complex, str, bytes, np.generic)) else None


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _state(path: str) -> tuple[float, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0.0, 0
    return status.st_mtime, status.st_size


@contextmanager
def _usual_place() -> Iterator[None]:
    yield


@contextmanager
def _private_place() -> Iterator[None]:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(private_folder())
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def private_folder() -> Path:
    """A folder among the temporary files that nobody else can write: what is read from it is run."""
    owner = os.getuid() if hasattr(os, "getuid") else os.getlogin()
    folder = Path(tempfile.gettempdir()) / f"treatise-{owner}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if hasattr(os, "getuid") and (status.st_uid != owner or status.st_mode & 0o077 or folder.is_symlink()):
        raise OSError(f"{folder} belongs to somebody else")
    return folder
