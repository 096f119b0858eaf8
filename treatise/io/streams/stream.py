"""Examples from files of any size, in bounded memory."""

import glob
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

from treatise._core.errors import TreatiseError
from treatise.io.source import (
    DAMAGED,
    FORMATS,
    GLANCE,
    damage,
    find_format,
    naming,
    neighbours,
    open_bytes,
    refuse_wide,
)
from treatise.io.streams.ahead import AHEAD, ahead
from treatise.io.streams.cache import CacheFile, CacheWriter, StaleCacheError
from treatise.io.streams.rows import Chunk, Hashing, Rows
from treatise.io.streams.tables import table_chunks
from treatise.io.streams.text import LABELS, text_chunks

_WORDS_KEPT = 5
_SAMPLES, _SAMPLE = 64, 1 << 16  # blocks, and their bytes
# Counted up when the same file and settings give other rows, or other bytes, so that older caches are not used.
_RULES = 3
# A file that was changed since may have its old size, and its old time where a program put that back. The system's own
# time of the last change cannot be put back, but is not kept everywhere: blocks of the content are looked at as well.
_OF_CONTENT = ("size", "modified", "changed", "content")


class Stream:
    """Examples from files, one chunk of sparse rows after another; the files are never held in memory.

    Reads Vowpal Wabbit text, LIBSVM, delimited text and Parquet; text may be compressed (gzip, bzip2, xz, zstd), and a
    table is understood by its first rows, as :class:`TableBlocks` does. Text is read and parsed by a thread of its
    own, ahead of the loop that uses the chunks; where that loop would wait, it parses too. With a cache, the first pass
    leaves a binary file beside the text, and later passes map that into memory and parse nothing.

    Not for data that fits in memory and is in a matrix already.

    Parameters
    ----------
    paths : str, path or list of them
        Files, or patterns such as ``"logs/part-*.vw.gz"``, which are taken in the order of their names.
    bits : int, default=18
        Features are hashed to 2**bits indices.
    quadratic, cubic : tuple of str, default=()
        Products of features: ``"ab"`` multiplies every feature of the namespaces that begin with a by every one of
        those that begin with b.
    format : {"csv", "tsv", "libsvm", "parquet", "vw"} or None, default=None
        None finds out, for each file. ``"csv"`` is text with any delimiter.
    target, weight : str or None, default=None
        Columns of a table that hold the label and the importance: a name, or a number from the left (0) or from the
        right (-1).
    need_label : bool, default=True
        Whether an example without a label is an error; else its label is NaN.
    labels : {"any", "classes", "counts"}, default="any"
        What a label may be: any number, one of -1, 0 and 1, or a number from 0 on. Another makes the line wrong.
    tags : bool, default=False
        Whether chunks carry the tags of the examples. A cache keeps none.
    on_error : {"raise", "skip"}, default="raise"
        What becomes of a line that is wrong. ``skipped`` counts those that were left out in the last pass and
        ``complaints`` quotes the first of them.
    cache : bool, str or path, default=False
        True keeps the cache beside each file, a path in that folder. A stale one is made anew, and a damaged one
        is refused.

    Attributes
    ----------
    skipped : int
        Lines left out in the last pass.
    complaints : list of str
        What was wrong with the first of them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import Stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "ads.vw")
    ...     _ = path.write_text("1 |ad shoes |page sport news\\n-1 2.5 |ad cars:0.5 |page finance\\n")
    ...     for chunk in Stream(path, bits=10, quadratic=("ap",)):
    ...         print(chunk.labels, chunk.weights, chunk.indptr)
    [ 1. -1.] [1.  2.5] [0 5 8]
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        bits: int = 18,
        quadratic: tuple[str, ...] = (),
        cubic: tuple[str, ...] = (),
        format: str | None = None,
        target: str | None = None,
        weight: str | None = None,
        need_label: bool = True,
        labels: str = "any",
        tags: bool = False,
        on_error: str = "raise",
        cache: bool | str | os.PathLike[str] = False,
    ) -> None:
        self.hashing = Hashing(bits, tuple(quadratic), tuple(cubic))
        if format not in (None, *FORMATS):
            raise TreatiseError(f"format {format!r} is unknown; it may be {', '.join(FORMATS)}")
        if on_error not in ("raise", "skip"):
            raise TreatiseError(f"on_error={on_error!r} is neither 'raise' nor 'skip'")
        if labels not in LABELS:
            raise TreatiseError(f"labels={labels!r} is unknown; it may be {', '.join(LABELS)}")
        self.paths = _expanded(paths)
        self.format, self.target, self.weight = format, target, weight
        self.need_label, self.labels, self.tags = need_label, labels, tags
        self.on_error, self.cache = on_error, cache
        self._parts: list[tuple[Path, int, int | None]] = [(path, 0, None) for path in self.paths]
        self._open: dict[Path, CacheFile] = {}
        self._samples: dict[Path, tuple[Any, int]] = {}
        self.skipped, self.complaints = 0, list[str]()

    def __iter__(self) -> Iterator[Chunk]:
        """One pass. A chunk's arrays are valid until the next chunk is asked for."""
        self.skipped, self.complaints = 0, []
        buffers = _Buffers()
        for path, first, past in self._parts:
            cached = self._cached(path)
            if cached is None:
                yield from self._parsed(path, buffers.made)
            else:
                self._count(cached.counts["skipped"], cached.counts["complaints"])
                yield from cached.chunks(first, past)

    def split(self, shards: int) -> list["Stream"]:
        """Streams that share the examples among them, in order and about equally.

        Files stay whole where there are at least as many as shards. Else the stream must have a cache, which is
        made now if it is not there, and its blocks are divided.
        """
        if shards == 1:
            return [self]
        if len(self._parts) >= shards:
            bounds = [round(i * len(self._parts) / shards) for i in range(shards + 1)]
            return [self._with(self._parts[a:b]) for a, b in pairwise(bounds)]
        if not self.cache:
            raise TreatiseError(
                f"{len(self._parts)} file(s) cannot be split into {shards} shards without a cache; "
                f"ask for a cache, or divide the file"
            )
        self.prepare()
        blocks = [(path, number) for path in self.paths for number in range(len(self._cache_of(path)))]
        if len(blocks) < shards:
            raise TreatiseError(f"the data has {len(blocks)} blocks, too few for {shards} shards; ask for fewer")
        rows = [self._cache_of(path).rows[number] for path, number in blocks]
        return [self._with(_runs(blocks[a:b])) for a, b in _balanced(rows, shards)]

    def prepare(self) -> None:
        """Make every cache that is not there yet."""
        buffers = _Buffers()
        for path in self.paths:
            if self._cached(path) is None:
                for _ in self._parsed(path, buffers.made):
                    pass

    def fingerprint(self) -> dict[str, Any]:
        """What the stream reads and how: equal for equal examples."""
        # When a file's name or owner last changed says nothing of its examples.
        files = [{key: value for key, value in self._about(path).items() if key != "changed"} for path in self.paths]
        return {"files": files, "parts": [[str(path), first, past] for path, first, past in self._parts]}

    def _with(self, parts: list[tuple[Path, int, int | None]]) -> "Stream":
        shard = Stream(
            list(dict.fromkeys(path for path, _, _ in parts)), bits=self.hashing.bits, quadratic=self.hashing.quadratic,
            cubic=self.hashing.cubic, format=self.format, target=self.target, weight=self.weight,
            need_label=self.need_label, labels=self.labels, tags=self.tags, on_error=self.on_error, cache=self.cache,
        )  # fmt: skip
        shard._parts = parts
        return shard

    def __getstate__(self) -> dict[str, Any]:
        """Maps of caches do not travel between processes; each opens its own."""
        return {**self.__dict__, "_open": {}}

    def _count(self, skipped: int, complaints: list[str]) -> None:
        self.skipped += skipped
        self.complaints = (self.complaints + complaints)[:_WORDS_KEPT]

    def _about(self, path: Path) -> dict[str, Any]:
        """What a cache of the file depends on."""
        status = _status(path)
        return {
            "name": path.name, "size": status.st_size, "modified": status.st_mtime_ns, "changed": status.st_ctime_ns,
            "content": self._sampled(path, status), "bits": self.hashing.bits,
            "quadratic": list(self.hashing.quadratic), "cubic": list(self.hashing.cubic), "format": self.format,
            "target": self.target, "weight": self.weight, "labelled": self.need_label, "labels": self.labels,
            "on_error": self.on_error, "rules": _RULES,
        }  # fmt: skip

    def _cache_path(self, path: Path) -> Path:
        settings = {key: value for key, value in self._about(path).items() if key not in _OF_CONTENT}
        digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:10]
        folder = path.parent if self.cache is True else Path(os.fspath(self.cache))  # type: ignore[arg-type]
        if not folder.is_dir():
            raise TreatiseError(f"the folder {folder} for caches does not exist")
        return folder / f".{path.name}.{digest}.cache"

    def _sampled(self, path: Path, status: os.stat_result) -> int:
        """A checksum of the file, or of blocks all over it if it is long; taken once as long as nothing changes."""
        key = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if self._samples.get(path, (None, 0))[0] != key:
            self._samples[path] = key, sampled_checksum(path, status.st_size)
        return self._samples[path][1]

    def _cached(self, path: Path) -> CacheFile | None:
        if not self.cache:
            return None
        if path in self._open:
            return self._open[path]
        place = self._cache_path(path)
        if not place.is_file():
            return None
        try:
            self._open[path] = CacheFile(place, self._about(path))
        except StaleCacheError:
            return None
        return self._open[path]

    def _cache_of(self, path: Path) -> CacheFile:
        cached = self._cached(path)
        if cached is None:
            raise TreatiseError(f"{path} changed while it was read; try again")
        return cached

    def _parsed(self, path: Path, buffers: list[Rows]) -> Iterator[Chunk]:
        """Chunks parsed from the file, ahead of their use."""
        writer = CacheWriter(self._cache_path(path), self._about(path)) if self.cache else None
        wrong: list[str] = []
        count = [0]

        def skip(reason: str) -> None:
            count[0] += 1
            if len(wrong) < _WORDS_KEPT:
                wrong.append(reason)

        try:
            for chunk in self._reader(path, buffers, skip if self.on_error == "skip" else None):
                if writer is not None:
                    writer.add(chunk)
                yield chunk
            self._count(count[0], wrong)
            if writer is not None:
                writer.commit({"skipped": count[0], "complaints": wrong})
                writer = None
        finally:
            if writer is not None:
                writer.abandon()

    def _reader(self, path: Path, buffers: list[Rows], skip: Any) -> Iterator[Chunk]:
        style = self.format or _format(path)
        if style == "conll":
            raise TreatiseError(f"{path}: this is CoNLL text; `treatise compare` with --task sequence reads it")
        if style in ("vw", "libsvm"):
            return text_chunks(
                path, style, self.hashing, buffers, need_label=self.need_label, labels=self.labels, tags=self.tags,
                skip=skip,
            )  # fmt: skip
        chunks = table_chunks(
            path, style, self.hashing, cycle(buffers), target=self.target, weight=self.weight,
            need_label=self.need_label, admitted=self.labels, skip=skip,
        )  # fmt: skip
        return ahead(chunks)


class _Buffers:
    """Buffers of chunks, made where a file is parsed.

    One set serves all files of a pass: memory that is given back and taken again with each file would grow.
    """

    @cached_property
    def made(self) -> list[Rows]:
        """As many as wait, the one that is used and the one that is filled."""
        return [Rows() for _ in range(AHEAD + 2)]


def _format(path: Path) -> str:
    """The format of a file, by its first lines and its name."""
    with naming(path):
        try:
            with open_bytes(path) as stream:
                head = stream.read(GLANCE) or b""
        except DAMAGED as error:
            raise damage(error) from None
        refuse_wide(head)
        return find_format(path, head)


def _expanded(paths: Any) -> list[Path]:
    named = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found: list[Path] = []
    for name in named:
        text = os.fspath(name)
        if Path(text).is_file():
            found.append(Path(text))
        elif glob.has_magic(text):
            matches = sorted(Path(match) for match in glob.glob(text, recursive=True) if Path(match).is_file())
            if not matches:
                raise TreatiseError(f"no file matches {text!r}")
            found.extend(matches)
        else:
            raise TreatiseError(f"{text}: no such file{neighbours(Path(text))}")
    if not found:
        raise TreatiseError("no file is named")
    return found


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise TreatiseError(f"{path}: the file cannot be read ({error.strerror or error})") from None


def sampled_checksum(path: Path, size: int) -> int:
    """The checksum of 64 blocks that lie evenly over the file, the first and the last among them; of all if they do."""
    checksum, most = 0, _SAMPLES * _SAMPLE
    starts = (
        range(0, size, _SAMPLE) if size <= most else [(size - _SAMPLE) * i // (_SAMPLES - 1) for i in range(_SAMPLES)]
    )
    try:
        with path.open("rb", buffering=0) as stream:
            for start in starts:
                stream.seek(start)
                checksum = zlib.crc32(stream.read(_SAMPLE), checksum)
    except OSError as error:
        raise TreatiseError(f"{path}: the file cannot be read ({error.strerror or error})") from None
    return checksum


def _balanced(rows: list[int], shards: int) -> list[tuple[int, int]]:
    """Ranges of blocks with about equally many rows each, none empty."""
    total, bounds, sum_so_far = sum(rows), [0], 0
    for number, count in enumerate(rows):
        sum_so_far += count
        left = shards - len(bounds)
        must = len(rows) - number - 1 == left
        if left and (sum_so_far >= total * len(bounds) / shards or must) and len(rows) - number - 1 >= left:
            bounds.append(number + 1)
    return list(zip(bounds, [*bounds[1:], len(rows)]))


def _runs(blocks: list[tuple[Path, int]]) -> list[tuple[Path, int, int | None]]:
    """Consecutive blocks of one file joined."""
    parts: list[tuple[Path, int, int | None]] = []
    for path, number in blocks:
        if parts and parts[-1][0] == path:
            parts[-1] = (path, parts[-1][1], number + 1)
        else:
            parts.append((path, number, number + 1))
    return parts
