"""Blocks of whole lines from a file of any size, decompressed on the way."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io._files import _BZIP2, _GZIP, _XZ, _ZSTANDARD

BLOCK = 1 << 19
"""Bytes of text that are read at once: with the rows that they become, they stay in a core's own cache."""
LONGEST_LINE = 1 << 26


def open_bytes(path: Path) -> BinaryIO:
    """The file, decompressed as it is read; the compression is told by content, not by name."""
    try:
        with path.open("rb") as stream:
            magic = stream.read(6)
    except OSError as error:
        raise TreatiseError(f"{path}: the file cannot be read ({error.strerror or error})") from None
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if magic.startswith(_BZIP2):
        return cast(BinaryIO, bz2.open(path, "rb"))
    if magic.startswith(_XZ):
        return cast(BinaryIO, lzma.open(path, "rb"))
    if magic.startswith(_ZSTANDARD):
        return _open_zstandard(path)
    return path.open("rb", buffering=0)


def _open_zstandard(path: Path) -> BinaryIO:
    """Python reads this compression from 3.14 on; before that pyarrow does, where it is installed."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import pyarrow  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise TreatiseError(
                f"{path}: Zstandard is read by Python 3.14 or with pyarrow; install pyarrow, or compress with gzip"
            ) from None
        return cast(BinaryIO, pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd"))
    return cast(BinaryIO, zstd.open(path, "rb"))


def line_blocks(path: Path, *, quoted: bool = False) -> Iterator[np.ndarray]:
    """The text in blocks that end with a line's end; each is valid until the next is asked for.

    Parameters
    ----------
    path : Path
        The file.
    quoted : bool, default=False
        Whether a line feed between double quotes belongs to a field, as in CSV.
    """
    # Two buffers in turn: the reader may still look at the last block while this one is filled.
    buffers = [np.empty(BLOCK, np.uint8), np.empty(BLOCK, np.uint8)]
    turn, kept = 0, 0
    try:
        with open_bytes(path) as stream:
            while True:
                buffer = buffers[turn]
                if kept == len(buffer):
                    if kept >= LONGEST_LINE:
                        raise TreatiseError(f"{path}: a line is longer than {LONGEST_LINE >> 20} MiB")
                    buffer = np.concatenate([buffer, np.empty(kept, np.uint8)])
                    buffers[turn] = buffer
                got = _fill(stream, buffer.data[kept:])
                end = kept + got
                if end < len(buffer):
                    if end:
                        yield _closed(buffer, end)
                    return
                past = _last_line_end(buffer, end, quoted)
                if past == 0:
                    kept = end
                    continue
                turn = 1 - turn
                rest = buffer[past:end]
                if len(buffers[turn]) < len(buffer):
                    buffers[turn] = np.empty(len(buffer), np.uint8)
                buffers[turn][: len(rest)] = rest
                kept = len(rest)
                yield buffer[:past]
    except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise TreatiseError(f"{path}: the compressed file is cut short or damaged ({error}); get it again") from None


def _fill(stream: BinaryIO, view: memoryview) -> int:
    """Bytes read into the view: fewer than it holds only at the end of the file."""
    filled = 0
    while filled < len(view):
        got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
    return filled


def _closed(buffer: np.ndarray, end: int) -> np.ndarray:
    """The file's last block, with a line feed after its last line."""
    if buffer[end - 1] == 10:
        return buffer[:end]
    buffer[end] = 10
    return buffer[: end + 1]


def _last_line_end(buffer: np.ndarray, end: int, quoted: bool) -> int:
    """Position past the last line feed that ends a line, or 0."""
    if not quoted:
        for window in (1 << 12, end):
            start = max(end - window, 0)
            past = buffer[start:end].tobytes().rfind(b"\n") + 1
            if past:
                return start + past
        return 0
    text = buffer[:end].tobytes()
    past = text.rfind(b"\n") + 1
    while past and text.count(b'"', 0, past) % 2:
        past = text.rfind(b"\n", 0, past - 1) + 1
    return past
