"""The bytes of a file: found, or a word on where it may be, and decompressed by its first bytes."""

import bz2
import difflib
import gzip
import lzma
import zlib
from pathlib import Path

import polars as pl

from treatise._core.errors import TreatiseError

_ENDINGS = {".gz", ".bz2", ".xz", ".zst"}
_GZIP, _BZIP2, _XZ, _ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def stem(path: Path) -> str:
    """The file's name without the endings that tell its format and its compression."""
    name = path.with_suffix("") if path.suffix.lower() in _ENDINGS else path
    return name.stem or path.name


def raw_bytes(path: Path) -> bytes:
    """The content of a file as it lies on the disk."""
    if path.is_dir():
        raise TreatiseError("this is a folder; name a file in it")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise TreatiseError(f"no such file{_neighbours(path)}") from None
    except (OSError, ValueError) as error:
        raise TreatiseError(f"the file cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not data:
        raise TreatiseError("the file is empty")
    return data


def read_bytes(path: Path) -> bytes:
    """The content of a file, decompressed; the compression is told by content, not by name."""
    data = raw_bytes(path)
    try:
        data = _decompressed(data)
    except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError, pl.exceptions.PolarsError) as error:
        raise TreatiseError(f"the compressed file is cut short or damaged ({error}); get it again") from None
    if not data:
        raise TreatiseError("the file is empty once decompressed")
    return data


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


def _neighbours(path: Path) -> str:
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
