"""The binary form of a stream: parsed once, memory-mapped afterwards.

A file is a magic number, blocks of arrays as they lie in memory, a footer that lists the blocks with their
checksums and says what was parsed, and a trailer that finds and guards the footer. It appears under its name only
when it is whole.
"""

import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise._core.files import Part
from treatise.io.streams.block_loops import is_sound, weighted_sum
from treatise.io.streams.rows import Chunk

_MAGIC = b"treatise stream 2\n"
_ALIGNMENT = 64
_TRAILER = struct.Struct("<QQI")
_RELEASE = 1 << 22  # bytes that stay mapped behind the reader
_TURN = 0x9E3779B97F4A7C15  # odd: what a block's checksum is multiplied by before each further array


class StaleCacheError(TreatiseError):
    """A cache that was made of another file, or with other settings."""


def _with_array(checksum: int, array: np.ndarray) -> int:
    """The checksum of arrays, of which this one is the next."""
    return (checksum * _TURN + int(weighted_sum(array.view(np.uint32)))) % (1 << 64)


class CacheWriter:
    """Writes chunk after chunk; :meth:`commit` puts the file in its place."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path, self.about = path, about
        self._blocks: list[list[int]] = []
        with self._told():
            self._part = Part(path)
            self._file = self._part.stream
            self._file.write(_MAGIC)

    def add(self, chunk: Chunk) -> None:
        """Append a block."""
        arrays = [chunk.indptr, chunk.indices, chunk.labels]
        plain_values, plain_weights = bool(np.all(chunk.values == 1)), bool(np.all(chunk.weights == 1))
        if not plain_values:
            arrays.append(chunk.values)
        if not plain_weights:
            arrays.append(chunk.weights)
        with self._told():
            self._pad()
            start, checksum = self._file.tell(), 0
            for array in arrays:
                self._pad()
                whole = np.ascontiguousarray(array)
                checksum = _with_array(checksum, whole)
                self._file.write(whole.view(np.uint8).data)
        self._blocks.append([start, len(chunk), len(chunk.indices), not plain_values, not plain_weights, checksum])

    def commit(self, counts: dict[str, Any]) -> None:
        """Finish the file: ``counts`` is kept beside what it was made of."""
        footer = json.dumps({"about": self.about, "counts": counts, "blocks": self._blocks}).encode()
        with self._told():
            start = self._file.tell()
            self._file.write(footer)
            self._file.write(_TRAILER.pack(start, len(footer), zlib.crc32(footer)))
            self._file.write(_MAGIC)
            self._part.commit()

    def abandon(self) -> None:
        """Leave nothing behind."""
        self._part.abandon()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say why a cache cannot be written: the disk is full, or must not be written."""
        try:
            yield
        except OSError as error:
            raise TreatiseError(
                f"the cache {self.path} cannot be written ({error.strerror or error}); go without a cache, or name "
                "another folder for it"
            ) from None

    def _pad(self) -> None:
        self._file.write(b"\0" * (-self._file.tell() % _ALIGNMENT))


def _is_table(blocks: Any, end: int) -> bool:
    """Whether a table of blocks says where they lie, all of them before ``end``."""

    def fits(block: Any) -> bool:
        if not isinstance(block, list) or len(block) != 6 or not all(isinstance(each, int) for each in block):
            return False
        at, rows, filled, has_values, has_weights, _ = block
        if min(at, rows, filled) < 0 or not {has_values, has_weights} <= {0, 1}:
            return False
        for size in (8 * (rows + 1), 4 * filled, 4 * rows, 4 * filled * has_values, 4 * rows * has_weights):
            at += size + (-at % _ALIGNMENT if size else 0)
        return at <= end

    return isinstance(blocks, list) and all(map(fits, blocks))


def _are_counts(counts: Any) -> bool:
    """Whether it says how many lines were left out, and what was wrong with the first of them."""
    if not isinstance(counts, dict) or not isinstance(counts.get("skipped"), int):
        return False
    words = counts.get("complaints")
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


class CacheFile:
    """A finished cache, mapped; raises where it is damaged, or stale against ``about``.

    Every block's checksum and indices are verified when it is first read.
    """

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            end = len(_MAGIC) + _TRAILER.size
            if size < len(_MAGIC) + end:
                raise self._damaged("it is cut short")
            self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        if self._map[: len(_MAGIC)] != _MAGIC or self._map[-len(_MAGIC) :] != _MAGIC:
            raise self._damaged("it does not begin and end as one")
        start, length, checksum = _TRAILER.unpack(self._map[size - end : size - len(_MAGIC)])
        footer = self._map[start : start + length] if start + length == size - end else b""
        if zlib.crc32(footer) != checksum or not footer:
            raise self._damaged("its table of blocks does not match its checksum")
        try:
            content = json.loads(footer)
            made_of = content["about"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._damaged("its table of blocks is none") from None
        if made_of != about:
            raise StaleCacheError(f"the cache {path} was made of another file or with other settings")
        if not _is_table(content.get("blocks"), start) or not _are_counts(content.get("counts")):
            raise self._damaged("its table of blocks is none")
        self.counts: dict[str, Any] = content["counts"]
        self._blocks: list[list[int]] = content["blocks"]
        self.rows = [block[1] for block in self._blocks]
        self._verified = [False] * len(self._blocks)
        self._limit = 1 << about["bits"]
        self._ones = np.ones(max((max(block[1:3]) for block in self._blocks), default=0), np.float32)

    def __len__(self) -> int:
        return len(self._blocks)

    def chunks(self, first: int = 0, past: int | None = None) -> Iterator[Chunk]:
        """Blocks ``first`` to ``past``; the memory map is released behind the reader."""
        last = len(self._blocks) if past is None else past
        released = self._blocks[first][0] if first < last else 0
        for number in range(first, last):
            yield self._chunk(number)
            at = self._blocks[number][0]
            if at - released > _RELEASE and hasattr(mmap, "MADV_DONTNEED"):
                page = -(-released // mmap.PAGESIZE) * mmap.PAGESIZE
                self._map.madvise(mmap.MADV_DONTNEED, page, (at - page) // mmap.PAGESIZE * mmap.PAGESIZE)
                released = at

    def _chunk(self, number: int) -> Chunk:
        at, rows, filled, has_values, has_weights, checksum = self._blocks[number]
        arrays, found = [], 0
        wanted = [(np.int64, rows + 1), (np.int32, filled), (np.float32, rows)]
        wanted += [(np.float32, filled)] * has_values + [(np.float32, rows)] * has_weights
        for kind, count in wanted:
            at += -at % _ALIGNMENT
            array = np.frombuffer(self._map, kind, count, at)
            if not self._verified[number]:
                found = _with_array(found, array)
            arrays.append(array)
            at += array.nbytes
        indptr, indices, labels = arrays[:3]
        if not self._verified[number]:
            # Compiled code follows the indices without looking.
            if found != checksum or not is_sound(indptr, indices, self._limit):
                raise self._damaged(f"block {number} does not match its checksum")
            self._verified[number] = True
        values = arrays[3] if has_values else self._ones[:filled]
        weights = arrays[-1] if has_weights else self._ones[:rows]
        return Chunk(indptr, indices, values, labels, weights)

    def _damaged(self, why: str) -> TreatiseError:
        return TreatiseError(f"the cache {self.path} is damaged ({why}); delete it and it is made again")
