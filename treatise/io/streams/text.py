"""Vowpal Wabbit and LIBSVM text as chunks of hashed rows."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.io.source import line_blocks
from treatise.io.streams import row_loops as loops
from treatise.io.streams.cross_loops import MOST_NAMESPACES
from treatise.io.streams.rows import Chunk, Hashing, Rows

STYLES = {"vw": loops.VW, "libsvm": loops.LIBSVM}
LABELS = {"any": loops.ANY, "classes": loops.CLASSES, "counts": loops.COUNTS}
UNFIT = {"classes": "labels must be -1 and 1, or 0 and 1", "counts": "labels must be from 0 on"}
Skip = Callable[[str], None]
"""Called with what is wrong with a line that may be left out."""


def text_chunks(
    path: Path,
    style: str,
    hashing: Hashing,
    buffers: Iterator[Rows],
    *,
    need_label: bool,
    labels: str,
    tags: bool,
    skip: Skip | None,
) -> Iterator[Chunk]:
    """The examples of a text file; a wrong line raises, or is left out and told to ``skip``."""
    crosses = hashing.crosses()
    lines_before = 0
    for block in line_blocks(path):
        at, rows, buffer = 0, 0, next(buffers)
        while at < len(block):
            status, at, rows, first, past = loops.parse(
                block, at, len(block), STYLES[style], need_label, LABELS[labels], crosses, rows, buffer.slots()
            )
            if status == loops.FULL and rows == 0:
                buffer.room(2 * len(buffer.indices))
            elif status == loops.FULL:
                yield buffer.chunk(rows, block if tags else None)
                rows, buffer = 0, next(buffers)
            elif status != loops.FINE:
                line = lines_before + int(np.count_nonzero(block[:at] == 10)) + 1
                wrong = f"{path}, line {line}: {_reason(status, block[first:past].tobytes(), labels)}"
                if skip is None:
                    raise TreatiseError(wrong)
                skip(wrong)
                at += block[at:].tobytes().index(b"\n") + 1
        if rows:
            yield buffer.chunk(rows, block if tags else None)
        lines_before += int(np.count_nonzero(block == 10))


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
