"""Compiled loops kept on disk, never used where they do not fit what the sources say now.

Numba keeps a loop by the state of its own file. A loop holds the steps that it calls, from other files too: here those
files count as well. What an older version wrote, or what is damaged, is compiled anew. Where neither the library's
folder nor the user's own can be written, a private folder among the temporary files serves; where there is none, loops
live as long as the process.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType
from typing import Any

import numba
from numba.core.caching import FunctionCache


class KeptLoops(FunctionCache):
    """The forms of one loop on disk."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A form from disk; None where there is none that can be used."""
        # Not before: steps may stand below the loop in its file.
        self._cache_file._source_stamp = tuple(
            (Path(path).name, *_state(path)) for path in sorted(sources_of(self._py_func))
        )
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


def sources_of(function: Callable) -> set[str]:
    """The files that a loop is made of: its own, and those of the steps that it calls."""
    found, waiting = {function}, [function]
    while waiting:
        each = waiting.pop()
        called = (getattr(each.__globals__.get(name), "py_func", None) for name in _names(each.__code__))
        new = {step for step in called if step is not None} - found
        found |= new
        waiting += new
    return {each.__code__.co_filename for each in found}


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
