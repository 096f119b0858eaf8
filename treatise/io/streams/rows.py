"""A bounded run of sparse rows, the buffers that hold it, and how features become indices."""

from dataclasses import dataclass, field

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io.streams.cross_loops import MOST_NAMESPACES
from treatise.io.streams.row_loops import Crosses, Slots

MOST_BITS = 30  # indices are 32-bit, and 2**30 weights fill 8 GiB
MOST_VALUES = 1 << 28
_ROWS, _VALUES = 1 << 15, 1 << 18


@dataclass(frozen=True)
class Hashing:
    """How names become indices: the number of bits, and which namespaces are multiplied."""

    bits: int = 18
    quadratic: tuple[str, ...] = ()
    cubic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= MOST_BITS:
            raise ValueError(f"bits={self.bits} is not between 1 and {MOST_BITS}")
        for name, size in (("quadratic", 2), ("cubic", 3)):
            for cross in getattr(self, name):
                if len(cross) != size or not cross.isascii():
                    raise ValueError(
                        f"{name} holds {cross!r}; a cross is {size} letters, the first of each namespace that it joins"
                    )

    @property
    def mask(self) -> np.uint64:
        """All bits of an index."""
        return np.uint64((1 << self.bits) - 1)

    def crosses(self) -> Crosses:
        """The mask, and the crosses as letters."""
        return Crosses(self.mask, _letters(self.quadratic, 2), _letters(self.cubic, 3))


def _letters(crosses: tuple[str, ...], size: int) -> np.ndarray:
    return np.frombuffer("".join(crosses).encode(), np.uint8).reshape(-1, size).copy()


@dataclass(frozen=True)
class Chunk:
    """Some examples: sparse rows with their labels and importance weights.

    The arrays belong to the stream, which uses them again: copy what must outlive the next chunk.

    Parameters
    ----------
    indptr : ndarray of int64
        Where each row begins in ``indices``, and where the last ends.
    indices : ndarray of int32
        Hashed features.
    values : ndarray of float32
        Their values.
    labels, weights : ndarray of float32
        One of each for every row; a label that is not given is NaN.
    tags : list of str or None
        The tags of the rows, empty where there is none, if they were asked for.
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    tags: list[str] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.labels)


class Rows:
    """Buffers that chunk after chunk is written into."""

    def __init__(self) -> None:
        self.indptr = np.zeros(_ROWS + 1, np.int64)
        self.labels, self.weights = np.empty(_ROWS, np.float32), np.empty(_ROWS, np.float32)
        self.tag_at, self.tag_past = np.empty(_ROWS, np.int64), np.empty(_ROWS, np.int64)
        self.names = np.empty(MOST_NAMESPACES, np.uint8)
        self.starts, self.ends = np.empty(MOST_NAMESPACES, np.int64), np.empty(MOST_NAMESPACES, np.int64)
        self.room(_VALUES)

    def room(self, values: int) -> None:
        """Make room for so many values."""
        if values > MOST_VALUES:
            raise TreatiseError(f"one example has more than {MOST_VALUES} features; leave out a cross")
        self.indices, self.values = np.empty(values, np.int32), np.empty(values, np.float32)

    def slots(self) -> Slots:
        """The arrays that the loop :func:`treatise.io.streams.row_loops.parse` fills."""
        return Slots(
            self.indptr, self.indices, self.values, self.labels, self.weights, self.tag_at, self.tag_past,
            self.names, self.starts, self.ends,
        )  # fmt: skip

    def chunk(self, rows: int, text: np.ndarray | None = None) -> Chunk:
        """The first rows, with their tags if the text that holds them is given."""
        filled = int(self.indptr[rows])
        return Chunk(
            self.indptr[: rows + 1], self.indices[:filled], self.values[:filled], self.labels[:rows],
            self.weights[:rows], None if text is None else self._tags(rows, text),
        )  # fmt: skip

    def _tags(self, rows: int, text: np.ndarray) -> list[str]:
        spans = zip(self.tag_at[:rows].tolist(), self.tag_past[:rows].tolist())
        return [text[first:past].tobytes().decode(errors="replace") for first, past in spans]
