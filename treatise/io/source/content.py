"""The bytes of a file: found, or a word on where it may be, and decompressed by its first bytes."""

import bz2
import difflib
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl

from treatise._core.errors import TreatiseError

PARQUET = b"PAR1"
_ENDINGS = {".gz", ".bz2", ".xz", ".zst"}
_GZIP, _BZIP2, _XZ, _ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
# Frames that say nothing of the content, and may stand between others.
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
# Zstandard shrinks text about as much as gzip.
_SHRINKS: dict[bytes, Callable[[bytes], bytes]] = {
    _GZIP: zlib.compress,
    _ZSTANDARD: zlib.compress,
    _BZIP2: bz2.compress,
    _XZ: lzma.compress,
}
_LONGEST_MAGIC = 6
_MOST_OF_BLOCK = 1 << 17  # bytes that a compressed block of Zstandard unfolds to
_BLOCK = 1 << 20
_GIB = 1 << 30
_MOST_GIB = 4.0
_LIMIT = "TREATISE_UNPACKED_GIB"
DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)
"""What reading a compressed file that is cut short or spoilt may raise."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name before what is said of it."""
    try:
        yield
    except TreatiseError as error:
        raise TreatiseError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None


def stem(path: Path) -> str:
    """The file's name without the endings that tell its format and its compression."""
    name = path.with_suffix("") if path.suffix.lower() in _ENDINGS else path
    return name.stem or path.name


def endings(path: Path) -> set[str]:
    """The endings that tell the format, in small letters."""
    named = path.with_suffix("") if path.suffix.lower() in _ENDINGS else path
    return {ending.lower() for ending in named.suffixes}


def is_packed(path: Path) -> bool:
    """Whether the file is compressed, or Parquet: its size then says little of the table's."""
    return _first_bytes(path).startswith((PARQUET, *_SHRINKS))


def unpacked_bytes(path: Path, sample: bytes) -> int:
    """Bytes of the file's whole text, if all of it shrinks as the sample, its beginning, does."""
    size, magic = path.stat().st_size, _first_bytes(path)
    for known, compress in _SHRINKS.items():
        if magic.startswith(known):
            return round(size * len(sample) / len(compress(sample)))
    return size


def raw_bytes(path: Path) -> bytes:
    """The content of a file as it lies on the disk."""
    with _readable(path):
        data = path.read_bytes()
    if not data:
        raise TreatiseError("the file is empty")
    return data


def read_bytes(path: Path) -> bytes:
    """The content of a file, decompressed; the compression is told by content, not by name.

    A few bytes may unfold to fill the memory: beyond :func:`unpacked_limit` they are refused.
    """
    data = raw_bytes(path)
    if not data.startswith(tuple(_SHRINKS)):
        return data
    try:
        data = _decompressed(data, unpacked_limit())
    except (*DAMAGED, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise damage(error) from None
    if not data:
        raise TreatiseError("the file is empty once decompressed")
    return data


def open_bytes(path: Path) -> BinaryIO:
    """The file, decompressed as it is read; the compression is told by content, not by name."""
    magic = _first_bytes(path)
    if magic.startswith(_ZSTANDARD):
        return _open_zstandard(path)
    return _opened(path, magic) or path.open("rb", buffering=0)


def unpacked_limit() -> int:
    """Bytes that a compressed file may hold where it is read as a whole: 4 GiB, or what the environment says."""
    told = os.environ.get(_LIMIT, "")
    try:
        limit = float(told or _MOST_GIB)
    except ValueError:
        limit = -1.0
    if not 0.0 < limit < 2**30:
        raise TreatiseError(f"{_LIMIT}={told!r} in the environment is no number of GiB, such as 16")
    return int(limit * _GIB)


def refuse_unfolding(size: int, limit: int) -> None:
    """Raise for content of a compressed file that is larger than it may be."""
    if size > limit:
        raise TreatiseError(
            f"the compressed file unfolds to more than {limit / _GIB:g} GiB and was not read; if it is meant to, set "
            f"{_LIMIT} in the environment to as many GiB as it holds, or unpack it"
        )


def damage(error: Exception) -> TreatiseError:
    """What is said of a file that is spoilt."""
    return TreatiseError(f"the compressed file is cut short or damaged ({error}); get it again")


def neighbours(path: Path) -> str:
    """Names in the same folder that the user may have meant."""
    folder = path.parent
    if not folder.is_dir():
        return f" (nor a folder {folder})"
    try:
        names = sorted(item.name for item in folder.iterdir())
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    close += [name for name in names if name.startswith(path.name + ".") and name not in close][: 3 - len(close)]
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _first_bytes(path: Path) -> bytes:
    with _readable(path), path.open("rb") as stream:
        return stream.read(_LONGEST_MAGIC)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say what is the matter with a file that cannot be opened."""
    if path.is_dir():
        raise TreatiseError("this is a folder; name a file in it")
    try:
        yield
    except FileNotFoundError:
        raise TreatiseError(f"no such file{neighbours(path)}") from None
    except (OSError, ValueError) as error:
        raise TreatiseError(f"the file cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _opened(file: Path | BinaryIO, magic: bytes) -> BinaryIO | None:
    """What decompresses a file as it is read, by its first bytes; None where it is not compressed, or otherwise."""
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.open(file, "rb"))
    if magic.startswith(_BZIP2):
        return cast(BinaryIO, bz2.open(file, "rb"))
    if magic.startswith(_XZ):
        return cast(BinaryIO, lzma.open(file, "rb"))
    return None


def _decompressed(data: bytes, limit: int) -> bytes:
    stream = _opened(io.BytesIO(data), data[:_LONGEST_MAGIC])
    if stream is None:
        return _zstandard(data, limit)
    blocks, size = [], 0
    with stream:
        while block := stream.read(_BLOCK):
            size += len(block)
            refuse_unfolding(size, limit)
            blocks.append(block)
    return b"".join(blocks)


def _zstandard(data: bytes, limit: int) -> bytes:
    """Python reads this compression from 3.14 on; before that the lines pass through Polars, which does."""
    refuse_unfolding(most_of_zstandard(data), limit)
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        lines = pl.read_csv(data, has_header=False, separator="\x01", quote_char=None, infer_schema=False)
        return "\n".join(lines.to_series().fill_null("")).encode()
    try:
        return zstd.decompress(data)
    except zstd.ZstdError as error:
        raise ValueError(error) from None


def most_of_zstandard(data: bytes) -> int:
    """Bytes that Zstandard's frames unfold to, at most, by the headers of their blocks (RFC 8878, Section 3.1.1)."""
    at, most = 0, 0
    while at + 5 <= len(data):
        if _SKIPPED.match(data, at):
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            continue
        if data[at : at + 4] != _ZSTANDARD:
            break
        descriptor = data[at + 4]
        single = descriptor >> 5 & 1
        content = (single, 2, 4, 8)[descriptor >> 6]
        at += 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + content
        last = 0
        while not last and at + 3 <= len(data):
            header = int.from_bytes(data[at : at + 3], "little")
            last, kind, size = header & 1, header >> 1 & 3, header >> 3
            # As it is, one byte repeated, or compressed: then it holds 128 KiB at most.
            most += size if kind < 2 else _MOST_OF_BLOCK
            at += 3 + (1 if kind == 1 else size)
        at += 4 if descriptor & 4 else 0
    return most


def _open_zstandard(path: Path) -> BinaryIO:
    """Python reads this compression from 3.14 on; before that pyarrow does, and without it the file goes to memory."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import pyarrow  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            return io.BytesIO(read_bytes(path))
        return cast(BinaryIO, pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd"))
    return cast(BinaryIO, zstd.open(path, "rb"))
