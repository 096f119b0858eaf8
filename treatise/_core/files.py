"""Files that are written whole or not at all, and folders that one process at a time writes to."""

import errno
import json
import os
import platform
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeGuard

from treatise._core.errors import TreatiseError

LOCK = ".lock"
"""The file that a folder is held by."""
_LOOKS_A_SECOND = 10
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class HeldError(TreatiseError):
    """Another process that is alive writes here."""


@contextmanager
def telling(sentence: str) -> Iterator[None]:
    """Say what the system refuses in words for the user."""
    try:
        yield
    except OSError as error:
        raise TreatiseError(f"{sentence} ({error.strerror or error})") from error


def is_of_a_full_disk(error: Exception) -> TypeGuard[OSError]:
    """Whether the system took no more of what was written."""
    return isinstance(error, OSError) and error.errno in _FULL


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path in the same folder that takes the place of ``path`` when the block ends well.

    No reader ever sees half a file. When the block raises, the temporary file goes and ``path`` stays as it was.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with telling(f"{target} cannot be written"):
            yield temporary
            with temporary.open("r+b") as stream:
                os.fsync(stream.fileno())
            move(temporary, target)
    finally:
        # On a disk that cannot be written nothing is there to remove, and this must not hide why.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def made_folder(path: str | os.PathLike[str]) -> Path:
    """A folder, made where it is not there yet."""
    folder = Path(path)
    with telling(f"the folder {folder} cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def move(source: Path, target: Path) -> None:
    """Put a file in its place, for good: the folder that lists it is written to the disk as well."""
    source.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Write a folder's list of files to the disk, where the system can; else a power cut may undo a rename."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class Part:
    """A file that is being written: it has a name of its own, and :meth:`commit` puts it in its place.

    It is locked as long as its writer lives, so that what a killed writer left is told from what another one still
    writes; leftovers of ``path`` are removed when a new part of it is begun.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        for leftover in path.parent.glob(f".{_plain(path.name)}.*.part"):
            _remove_if_abandoned(leftover)
        while True:
            self.temporary = path.with_name(f".{path.name.lstrip('.')}.{secrets.token_hex(4)}.part")
            self.stream: BinaryIO = self.temporary.open("xb")
            # Another process may have taken it for a leftover between both calls.
            if _try_to_lock(self.stream) and os.fstat(self.stream.fileno()).st_nlink > 0:
                return
            self.abandon()

    def commit(self) -> None:
        """Write it to the disk and put it in its place."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        if os.name == "nt":
            self.stream.close()  # an open file cannot be renamed there
        move(self.temporary, self.path)
        self.stream.close()

    def abandon(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            self.stream.close()
        with suppress(OSError):
            self.temporary.unlink(missing_ok=True)


@contextmanager
def held(folder: str | os.PathLike[str], *, what: str = "folder", wait: bool = False) -> Iterator[None]:
    """Hold a folder against other processes that ask for it the same way, until the block ends.

    The hold ends with its process, however that dies. It is a lock of the system's on a file ``.lock`` in the folder,
    which stays there: to delete it would take it from the next one who waits.

    Parameters
    ----------
    folder : path
        Must exist.
    what : str, default="folder"
        What it is to the user, for the words of a refusal.
    wait : bool, default=False
        Whether to wait for another process to end; else :class:`HeldError` says which it is.
    """
    place = Path(folder) / LOCK
    with telling(f"the {what} {folder} cannot be written"):
        stream = place.open("a+b", buffering=0)
    with stream:
        while not _try_to_lock(stream):
            if not wait:
                raise HeldError(f"the {what} {folder} is in use by {_holder(place)}; wait for it, or name another")
            time.sleep(1.0 / _LOOKS_A_SECOND)
        with telling(f"the {what} {folder} cannot be written"):  # on a full disk
            stream.truncate(0)
            stream.write(json.dumps({"process": os.getpid(), "machine": platform.node()}).encode())
        yield


def _holder(place: Path) -> str:
    try:
        told = json.loads(place.read_bytes())
        return f"process {int(told['process'])} on {str(told['machine'])[:100]}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _remove_if_abandoned(leftover: Path) -> None:
    with suppress(OSError), leftover.open("r+b") as stream:
        if _try_to_lock(stream):
            leftover.unlink(missing_ok=True)


def _plain(name: str) -> str:
    """A name with nothing in it that a pattern would take for more."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name.lstrip("."))


if os.name == "nt":
    import msvcrt

    def _try_to_lock(stream: BinaryIO) -> bool:
        """Lock a byte far behind the end, which no one reads or writes."""
        stream.seek(1 << 40)
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        finally:
            stream.seek(0)
        return True

else:
    import fcntl

    def _try_to_lock(stream: BinaryIO) -> bool:
        """Lock a file as long as it is open here; where the file system knows no locks, all may go on."""
        try:
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True
