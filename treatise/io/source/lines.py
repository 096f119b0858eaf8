"""Blocks of whole lines from a file of any size, decompressed on the way."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io.source.content import DAMAGED, damage, naming, open_bytes

BLOCK = 1 << 19
"""Bytes of text that are read at once: with the rows that they become, they stay in a core's own cache."""
LONGEST_LINE = 1 << 26
UTF8_MARK = b"\xef\xbb\xbf"


def line_blocks(path: Path, *, quoted: bool = False, in_turn: int = 2) -> Iterator[np.ndarray]:
    """The text in blocks that end with a line's end; each is valid until ``in_turn`` - 1 more are asked for.

    A mark of UTF-8 at the file's beginning is left out.

    Parameters
    ----------
    path : Path
        The file.
    quoted : bool, default=False
        Whether a line feed between double quotes belongs to a field, as in CSV.
    in_turn : int, default=2
        Buffers of blocks, which are used in turn.
    """
    with naming(path):
        try:
            with open_bytes(path) as stream:
                for number, block in enumerate(_whole_lines(stream, quoted, in_turn)):
                    marked = number == 0 and block[:3].tobytes() == UTF8_MARK
                    yield block[3:] if marked else block
        except DAMAGED as error:
            raise damage(error) from None


def _whole_lines(stream: BinaryIO, quoted: bool, in_turn: int) -> Iterator[np.ndarray]:
    # In turn: the reader may still look at the last blocks while this one is filled.
    buffers = [np.empty(BLOCK, np.uint8) for _ in range(in_turn)]
    turn, kept = 0, 0
    while True:
        buffer = buffers[turn]
        if kept == len(buffer):
            if kept >= LONGEST_LINE:
                raise TreatiseError(f"a line is longer than {LONGEST_LINE >> 20} MiB")
            buffer = buffers[turn] = np.concatenate([buffer, np.empty(kept, np.uint8)])
        end = kept + _fill(stream, buffer.data[kept:])
        if end < len(buffer):
            if end:
                yield _closed(buffer, end)
            return
        past = _last_line_end(buffer, end, quoted)
        if past == 0:
            kept = end
            continue
        turn = (turn + 1) % in_turn
        rest = buffer[past:end]
        if len(buffers[turn]) < len(buffer):
            buffers[turn] = np.empty(len(buffer), np.uint8)
        buffers[turn][: len(rest)] = rest
        kept = len(rest)
        yield buffer[:past]


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
