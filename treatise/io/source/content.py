"""The bytes of a file: found, or a word on where it may be, and decompressed by its first bytes."""

import bz2
import difflib
import gzip
import io
import lzma
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
# Zstandard shrinks text about as much as gzip.
_SHRINKS: dict[bytes, Callable[[bytes], bytes]] = {
    _GZIP: zlib.compress,
    _ZSTANDARD: zlib.compress,
    _BZIP2: bz2.compress,
    _XZ: lzma.compress,
}
_LONGEST_MAGIC = 6
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
    """The content of a file, decompressed; the compression is told by content, not by name."""
    data = raw_bytes(path)
    try:
        data = _decompressed(data)
    except (*DAMAGED, pl.exceptions.PolarsError) as error:
        raise damage(error) from None
    if not data:
        raise TreatiseError("the file is empty once decompressed")
    return data


def open_bytes(path: Path) -> BinaryIO:
    """The file, decompressed as it is read; the compression is told by content, not by name."""
    magic = _first_bytes(path)
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if magic.startswith(_BZIP2):
        return cast(BinaryIO, bz2.open(path, "rb"))
    if magic.startswith(_XZ):
        return cast(BinaryIO, lzma.open(path, "rb"))
    if magic.startswith(_ZSTANDARD):
        return _open_zstandard(path)
    return path.open("rb", buffering=0)


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


def _decompressed(data: bytes) -> bytes:
    if data.startswith(_GZIP):
        return gzip.decompress(data)
    if data.startswith(_BZIP2):
        return bz2.decompress(data)
    if data.startswith(_XZ):
        return lzma.decompress(data)
    if data.startswith(_ZSTANDARD):
        return _zstandard(data)
    return data


def _zstandard(data: bytes) -> bytes:
    """Python reads this compression from 3.14 on; before that the lines pass through Polars, which does."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        lines = pl.read_csv(data, has_header=False, separator="\x01", quote_char=None, infer_schema=False)
        return "\n".join(lines.to_series().fill_null("")).encode()
    try:
        return zstd.decompress(data)
    except zstd.ZstdError as error:
        raise ValueError(error) from None


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
