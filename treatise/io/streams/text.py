"""Vowpal Wabbit and LIBSVM text as chunks of hashed rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io.source import line_blocks
from treatise.io.streams import row_loops as loops
from treatise.io.streams.cross_loops import MOST_NAMESPACES
from treatise.io.streams.rows import Chunk, Hashing, Rows
from treatise.io.streams.shared_work import SharedWork

STYLES = {"vw": loops.VW, "libsvm": loops.LIBSVM}
LABELS = {"any": loops.ANY, "classes": loops.CLASSES, "counts": loops.COUNTS}
UNFIT = {"classes": "labels must be -1 and 1, or 0 and 1", "counts": "labels must be from 0 on"}
Skip = Callable[[str], None]
"""Called with what is wrong with a line that may be left out."""


@dataclass(frozen=True)
class _Lines:
    """Lines of a block of text, from one of its bytes on."""

    block: np.ndarray
    first: int = 0


@dataclass(frozen=True)
class _Parsed:
    """Rows of lines, how many lines were read, and which of them were wrong, counted from 0, with the reason."""

    chunk: Chunk | None
    lines: int
    wrong: list[tuple[int, str]]


def text_chunks(
    path: Path,
    style: str,
    hashing: Hashing,
    buffers: list[Rows],
    *,
    need_label: bool,
    labels: str,
    tags: bool,
    skip: Skip | None,
) -> Iterator[Chunk]:
    """The examples of a text file; a wrong line raises, or is left out and told to ``skip``.

    Blocks are parsed by a thread of their own, and by the caller's where it would have to wait.
    """
    crosses = hashing.crosses()

    def parsed(lines: _Lines, rows: Rows) -> tuple[_Parsed, _Lines | None]:
        block, at, count, wrong = lines.block, lines.first, 0, list[tuple[int, str]]()
        rest = None
        while at < len(block):
            status, at, count, first, past = loops.parse(
                block, at, len(block), STYLES[style], need_label, LABELS[labels], crosses, count, rows.slots()
            )
            if status == loops.FULL and count == 0:
                rows.room(2 * len(rows.indices))
            elif status == loops.FULL:
                rest = _Lines(block, at)
                break
            elif status != loops.FINE:
                wrong.append(
                    (loops.line_feeds(block, lines.first, at), _reason(status, block[first:past].tobytes(), labels))
                )
                if skip is None:
                    break
                at += block[at:].tobytes().index(b"\n") + 1
        chunk = rows.chunk(count, block if tags else None) if count else None
        return _Parsed(chunk, loops.line_feeds(block, lines.first, at), wrong), rest

    # One block more than can wait: the next is begun while they are looked at.
    blocks = map(_Lines, line_blocks(path, in_turn=len(buffers) + 1))
    lines_before = 1
    for piece in SharedWork[_Lines, _Parsed](blocks, parsed, buffers):
        for line, reason in piece.wrong:
            wrong = f"{path}, line {lines_before + line}: {reason}"
            if skip is None:
                raise TreatiseError(wrong)
            skip(wrong)
        if piece.chunk is not None:
            yield piece.chunk
        lines_before += piece.lines


def _reason(status: int, token: bytes, labels: str) -> str:
    text = token.decode(errors="replace").strip()
    shown = repr(text if len(text) <= 40 else text[:40] + "...")
    if status == loops.UNFIT:
        return f"the label is {text}; {UNFIT[labels]}"
    return {
        loops.LABEL: f"{shown} stands where the label belongs, and is no finite number",
        loops.NO_LABEL: "there is no label (a word that touches the bar is a tag: put a blank between)",
        loops.WEIGHT: f"{shown} stands where the importance weight belongs, and is no number from 0 on",
        loops.INITIAL: f"{shown} is a third number before the bar; a label and a weight are understood",
        loops.NO_BAR: f"{shown} has no bar (|) before its features",
        loops.VALUE: f"the value in {shown} is no finite number",
        loops.SCALE: f"the namespace's scale {shown} is no finite number",
        loops.INDEX: f"{shown} stands where index:value belongs",
        loops.LARGE: f"the index in {shown} has more than {loops.MOST_DIGITS} digits",
        loops.NAMESPACES: f"there are more than {MOST_NAMESPACES} namespaces to cross",
    }[status]
