"""Data files of R (``save``; ``.rda``, ``.RData``): their vectors, matrices, lists and data frames."""

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io.source import read_bytes

_NUMBERS = {10: ">i4", 13: ">i4", 14: ">f8", 15: ">c16", 24: ">u1"}
_SYMBOL, _PAIRS, _CHARACTERS, _STRINGS, _LIST, _EXPRESSIONS, _S4 = 1, 2, 9, 16, 19, 20, 25
_DEFERRED, _PAIRS_WITH_ATTRIBUTES, _REFERENCE = 238, 239, 255
_NOTHING = (0, 241, 242, 251, 253, 254)  # null, and the environments that every session has
_MISSING_INTEGER = -(2**31)
_LONGEST_RANGE = 1 << 28


def read_r_data(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The objects of a file that R's ``save`` wrote.

    Reads what tables are made of; functions and environments are refused with a sentence. Values only: classes, row
    names and the names of dimensions are dropped.

    Parameters
    ----------
    path : path
        The file, compressed by gzip, bzip2, xz or not at all.

    Returns
    -------
    objects : dict
        By name. A vector is an array (a matrix has its shape; logical values are integers, and missing ones of either
        become NaN), a factor an array of its labels, a list or data frame a dict where it has names and else a list,
        an object of a formal class a dict of its slots.

    Raises
    ------
    TreatiseError
        Where the file is none of R's, is broken off, or holds what is not read.
    """
    try:
        raw = read_bytes(Path(path))
    except TreatiseError as error:
        raise TreatiseError(f"{path}: {error}") from error
    if raw[:5] not in (b"RDX2\n", b"RDX3\n") or raw[5:7] != b"X\n":
        raise TreatiseError(f"{path} is no binary data file of R (save(...) writes one)")
    try:
        stream = _Stream(raw, 7, str(path))
        version = stream.integer()
        stream.skip(8)
        if version == 3:
            stream.skip(stream.integer())
        return stream.pairs(stream.integer())
    except TreatiseError:
        raise
    # One byte that is wrong can turn any object into any other, deep inside any third.
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise TreatiseError(f"{path} is damaged ({told}); get it again") from None


class _Stream:
    """The serialised objects, one after another."""

    def __init__(self, raw: bytes, position: int, path: str) -> None:
        self.raw, self.position, self.path = raw, position, path
        self.references: list[Any] = []

    def take(self, size: int) -> bytes:
        if size < 0 or self.position + size > len(self.raw):
            raise TreatiseError(f"{self.path} ends in the middle of an object")
        self.position += size
        return self.raw[self.position - size : self.position]

    def skip(self, size: int) -> None:
        self.take(size)

    def integer(self) -> int:
        return struct.unpack(">i", self.take(4))[0]

    def length(self) -> int:
        size = self.integer()
        return size if size >= 0 else (self.integer() << 32) + (self.integer() & 0xFFFFFFFF)

    def item(self) -> Any:
        return self._item(self.integer())

    def _item(self, flags: int) -> Any:
        kind = flags & 0xFF
        if kind in _NOTHING:
            return None
        if kind == _SYMBOL:
            self.references.append(self.item())
            return self.references[-1]
        if kind == _REFERENCE:
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind in (_PAIRS, _PAIRS_WITH_ATTRIBUTES):
            return self.pairs(flags)
        if kind == _CHARACTERS:
            size = self.integer()
            return None if size == -1 else self.take(size).decode("latin-1" if flags >> 12 & 4 else "utf-8", "replace")
        if kind == _S4:
            return self.pairs(self.integer())
        if kind == _DEFERRED:
            return self._deferred()
        values = self._vector(kind)
        return _shaped(values, self.pairs(self.integer()) if flags & 0x200 else {})

    def _vector(self, kind: int) -> Any:
        if kind in _NUMBERS:
            size, form = self.length(), np.dtype(_NUMBERS[kind])
            values = np.frombuffer(self.take(size * form.itemsize), form).astype(form.newbyteorder("="))
            if kind in (10, 13) and (values == _MISSING_INTEGER).any():
                return np.where(values == _MISSING_INTEGER, np.nan, values)
            return values
        if kind == _STRINGS:
            return np.array([self.item() for _ in range(self.length())], dtype=object)
        if kind in (_LIST, _EXPRESSIONS):
            return [self.item() for _ in range(self.length())]
        raise TreatiseError(f"{self.path} holds an object of R's type {kind}, which is not read; save plain tables")

    def _deferred(self) -> Any:
        """A vector that R wrote as the recipe for it: a range, or another vector in a wrapper."""
        recipe, state, attributes = self.item()["0"], self.item(), self.item()
        if recipe in ("compact_intseq", "compact_realseq"):
            size, first, step = state
            if not 0 <= size <= _LONGEST_RANGE:
                raise ValueError(f"a range of {size:g} numbers")
            values = first + step * np.arange(int(size))
            values = values.astype(int) if recipe == "compact_intseq" else values
        elif recipe == "deferred_string":
            values = np.array([f"{value:.15g}" for value in state["0"]], dtype=object)
        else:
            values = state["0"] if isinstance(state, dict) else state[0]
        return _shaped(values, attributes or {})

    def pairs(self, flags: int) -> dict[str, Any]:
        """A chain of tagged values up to its end, which may be a value itself."""
        found: dict[str, Any] = {}
        while flags & 0xFF in (_PAIRS, _PAIRS_WITH_ATTRIBUTES):
            if flags & 0x200:
                self.item()
            tag = self.item() if flags & 0x400 else str(len(found))
            found[tag] = self.item()
            flags = self.integer()
        if flags & 0xFF not in _NOTHING:
            found["end"] = self._item(flags)
        return found


def _shaped(values: Any, attributes: dict[str, Any]) -> Any:
    """The values as their attributes say: a matrix, the labels of a factor, a list by names."""
    if isinstance(values, list):
        names = attributes.get("names")
        return values if names is None else dict(zip(names, values, strict=True))
    if "levels" in attributes:
        labels = np.array([*attributes["levels"], None], dtype=object)  # missing values take the last
        codes = np.nan_to_num(np.asarray(values, dtype=float), nan=len(labels)).astype(int) - 1
        if np.any(codes < 0):
            raise ValueError("a factor with a value below its first level")
        return labels[codes]
    if "dim" in attributes:
        shape = np.asarray(attributes["dim"], dtype=int)
        if np.any(shape < 0):
            raise ValueError(f"a matrix of shape {tuple(shape.tolist())}")
        return values.reshape(shape, order="F")
    return values
