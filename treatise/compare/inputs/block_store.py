"""Rows on disk, in blocks that are read one by one: what a table becomes that is too large for the memory."""

import json
import shutil
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise._core.files import LOCK, held, telling

INDEX = "blocks.json"
BLOCK_BYTES = 1 << 23
BLOCK_ROWS = 1 << 15
# What the hashes of a row's number are for; each has numbers of its own.
FOLD, SAMPLE, JUDGED, ORDER = range(4)


def scatter(rows: np.ndarray, seed: int, purpose: int) -> np.ndarray:
    """A 64-bit hash of each row's number (the finaliser of SplitMix64)."""
    start = (4 * seed + purpose + 1) * 0x9E3779B97F4A7C15
    z = rows.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03) + np.uint64(start % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


class Block(NamedTuple):
    """Some rows: their numbers, from 0 on, their columns, and their features where these are sparse."""

    rows: np.ndarray
    frame: pl.DataFrame
    matrix: sparse.csr_matrix | None

    def take(self, index: np.ndarray) -> "Block":
        """Some of the rows."""
        matrix = None if self.matrix is None else self.matrix[index]
        return Block(self.rows[index], self.frame[index], matrix)


def joined(blocks: list[Block], width: int = 0) -> Block:
    """The rows of several blocks; sparse ones get ``width`` columns, or as many as the widest has."""
    matrix = None
    matrices = [block.matrix for block in blocks if block.matrix is not None]
    if matrices:
        width = max(width, *(part.shape[1] for part in matrices))
        matrix = sparse.csr_matrix(sparse.vstack([_widened(part, width) for part in matrices], format="csr"))
    return Block(np.concatenate([block.rows for block in blocks]), pl.concat([b.frame for b in blocks]), matrix)


def _widened(matrix: sparse.csr_matrix, width: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], width))


class BlockStore:
    """A folder of blocks. A new one is filled by ``add`` and closed by ``finish``; later it is only read.

    Whoever makes it holds its folder until it is removed, so that no other run lays its rows there.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        # Processes elsewhere on this machine read it too.
        self.path = path.resolve()
        self.sizes: list[int] = []
        self.width = 0
        self._bounds = np.zeros(1, np.int64)
        self._waiting: list[Block] = []
        self._waiting_bytes = 0
        self._hold = ExitStack()
        if new:
            self._take_folder()
            self._write_index()
            return
        index = json.loads((path / INDEX).read_text(encoding="utf-8"))
        self.sizes, self.width = index["sizes"], index["width"]
        self._bounds = np.cumsum([0, *self.sizes])

    def _take_folder(self) -> None:
        """Hold the folder, and clear away what a killed run left in it."""
        if self.path.exists() and not (self.path / INDEX).exists() and _holds_anything(self.path):
            raise TreatiseError(f"{self.path} is in the way and holds something else; choose another --output")
        with self._telling():
            self.path.mkdir(parents=True, exist_ok=True)
            self._hold.enter_context(held(self.path))
            for leftover in self.path.iterdir():
                if leftover.name != LOCK:
                    leftover.unlink()

    def __getstate__(self) -> dict[str, Any]:
        # Other processes read the blocks; the hold is the maker's.
        return {**vars(self), "_hold": ExitStack()}

    def __len__(self) -> int:
        return len(self.sizes)

    def add(self, block: Block) -> None:
        """Keep a block; small ones are gathered into larger files."""
        size = block.frame.estimated_size() if block.matrix is None else block.matrix.data.nbytes * 2
        rows = sum(len(waiting.rows) for waiting in self._waiting)
        if self._waiting and (self._waiting_bytes + size > BLOCK_BYTES or rows + len(block.rows) > BLOCK_ROWS):
            self._flush()
        self._waiting.append(block)
        self._waiting_bytes += int(size)

    def finish(self) -> None:
        """Write what is still waiting, and the index."""
        self._flush()
        self._write_index()
        self._bounds = np.cumsum([0, *self.sizes])

    def read(self, number: int) -> Block:
        """One block, its sparse features as wide as the widest block's."""
        frame = pl.read_ipc(self._file(number, "arrow"))
        matrix = None
        if self.width:
            matrix = _widened(sparse.load_npz(self._file(number, "npz")), self.width)
        first, past = self._bounds[number], self._bounds[number + 1]
        return Block(np.arange(first, past), frame, matrix)

    def remove(self) -> None:
        """Delete the folder, and let go of it; for whoever made it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._hold.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        block = joined(self._waiting)
        number = len(self.sizes)
        with self._telling():
            block.frame.write_ipc(self._file(number, "arrow"))
            if block.matrix is not None:
                sparse.save_npz(self._file(number, "npz"), block.matrix, compressed=False)
        if block.matrix is not None:
            self.width = max(self.width, block.matrix.shape[1])
        self.sizes.append(len(block.rows))
        self._waiting, self._waiting_bytes = [], 0

    def _write_index(self) -> None:
        index = json.dumps({"sizes": self.sizes, "width": self.width})
        with self._telling():
            (self.path / INDEX).write_text(index, encoding="utf-8")

    def _telling(self) -> AbstractContextManager[None]:
        return telling(f"{self.path} cannot be written")

    def _file(self, number: int, ending: str) -> Path:
        return self.path / f"{number:06d}.{ending}"


def _holds_anything(folder: Path) -> bool:
    return not folder.is_dir() or any(each.name != LOCK for each in folder.iterdir())
