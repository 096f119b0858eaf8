"""What the formats share that are texts of words: reading and writing a file whole, and words with their lines."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.io.source import read_bytes

Content = TypeVar("Content")


def parsed(path: Path, parse: Callable[[str], Content], kind: str) -> Content:
    """What the text of a UTF-8 file says; errors name the file, and what ``kind`` of file it should be."""
    try:
        try:
            text = read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise TreatiseError(f"line {line} is not UTF-8; this is no {kind}") from None
        return parse(text)
    except TreatiseError as error:
        raise TreatiseError(f"{path}: {error}") from None


def write_whole(path: Path, text: str) -> None:
    """Write a text as UTF-8, compressed where the name ends in ``.gz``; the file appears whole or not at all."""
    data = text.encode()
    if path.suffix.lower() == ".gz":
        data = gzip.compress(data, mtime=0)
    with replacing(path) as temporary:
        temporary.write_bytes(data)


class Words:
    """Takes the words of a file one after another, and knows the line of each."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: list[str] = []
        self._starts: list[int] = []
        self._at = 0

    def _wrong(self, message: str, start: int | None = None) -> TreatiseError:
        """An error at the current word, or at a place in the text."""
        if start is None:
            start = self._starts[self._at] if self._at < len(self._starts) else len(self._text.rstrip())
        return TreatiseError(f"line {self._text.count(chr(10), 0, start) + 1}: {message}")

    def _next(self, expected: str) -> str:
        if self._at >= len(self._words):
            raise self._wrong(f"the file ends where {expected} is expected; it is cut short")
        self._at += 1
        return self._words[self._at - 1]

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""
