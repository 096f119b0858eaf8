"""Sentences in columns: CoNLL-U treebanks and the older CoNLL formats, read one sentence at a time, and written."""

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.io.source import (
    DAMAGED,
    LONGEST_LINE,
    column_name,
    damage,
    is_packed,
    naming,
    open_bytes,
    refuse_unfolding,
    unpacked_limit,
)

CONLLU_COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""Names of the ten columns of CoNLL-U."""
_MOST_WORDS = 1 << 20


@dataclass(frozen=True)
class Sentence:
    """One sentence of a file.

    Parameters
    ----------
    columns : dict
        From names of columns to their values, one for each word.
    comments : tuple of str
        Lines before the words that begin with ``#``, as they are.
    line : int
        Number of the line of the first word, from 1.
    """

    columns: dict[str, list[str]]
    comments: tuple[str, ...] = field(default=())
    line: int = 0

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, column: str) -> list[str]:
        if column not in self.columns:
            column = column_name(column, list(self.columns), "the sentence")
        return self.columns[column]

    def rows(self) -> list[tuple[str, ...]]:
        """The values of each word, as feature templates take them."""
        return list(zip(*self.columns.values()))

    def heads(self) -> list[int]:
        """The place of each word's head, from 0, and -1 for the root, of the columns ``id`` and ``head``.

        Raises
        ------
        TreatiseError
            Where a head is no number of a word of the sentence, or the sentence has not one root.
        """
        places = {number: place for place, number in enumerate(self["id"])}
        places["0"] = -1
        for place, head in enumerate(self["head"]):
            if head not in places:
                raise TreatiseError(
                    f"word {self['id'][place]} of the sentence at line {self.line} has the head {head!r}, which is "
                    "none of its words; 0 stands for the root"
                )
        found = [places[head] for head in self["head"]]
        if found.count(-1) != 1:
            raise TreatiseError(f"the sentence at line {self.line} has {found.count(-1)} roots; a tree has one")
        return found

    def without(self, *values: str, column: str = "upos") -> "Sentence":
        """The sentence without the words that have one of these values, such as ``PUNCT``.

        Words are numbered anew. Where there are heads, what hung on a dropped word hangs on the nearest head above it
        that is kept; if the root is dropped, the first word that hung on it becomes the root, and the others hang on
        that. A sentence of which nothing is kept comes out with no words.

        Parameters
        ----------
        values : str
            What to drop.
        column : str, default="upos"
            Where it stands.

        Returns
        -------
        Sentence
        """
        kept = [place for place, value in enumerate(self[column]) if value not in values]
        columns = {name: [cells[place] for place in kept] for name, cells in self.columns.items()}
        if "id" in columns:
            columns["id"] = [str(number) for number in range(1, len(kept) + 1)]
        if "id" in columns and "head" in columns and kept:
            columns["head"] = [str(head + 1) for head in _heads_among(kept, self.heads(), self.line)]
        return Sentence(columns, self.comments, self.line)


def _heads_among(kept: list[int], heads: list[int], line: int) -> list[int]:
    """The heads of kept words among kept words; -1 for the first that has none."""
    new_place = {place: number for number, place in enumerate(kept)}
    found = []
    for place in kept:
        head, steps = heads[place], 0
        while head >= 0 and head not in new_place:
            head, steps = heads[head], steps + 1
            if steps > len(heads):
                raise TreatiseError(f"the heads of the sentence at line {line} go in a circle")
        found.append(new_place.get(head, -1))
    tops = [number for number, head in enumerate(found) if head < 0]
    return [tops[0] if head < 0 and tops and number != tops[0] else head for number, head in enumerate(found)]


def iterate_conll(path: str | os.PathLike[str], *, columns: Sequence[str] | None = None) -> Iterator[Sentence]:
    """The sentences of a file, one after another; memory does not grow with the file.

    Words are lines of columns, sentences end at an empty line. Ten columns with tabs between them are taken for
    CoNLL-U: words in contractions (``3-4``) and empty nodes (``5.1``) are then passed over, since their parts or
    nothing are what stands in the text. Other files have columns between white space (or tabs, where there are
    any in the first word's line), named ``0``, ``1`` and so on unless ``columns`` names them; their ``-DOCSTART-``
    lines are passed over. About a million words in two seconds.

    Parameters
    ----------
    path : str or path
        The file, UTF-8, plain or compressed (gzip, bzip2, xz, Zstandard).
    columns : sequence of str or None, default=None
        Names of the columns, from the left.

    Yields
    ------
    Sentence
        Columns, comments and the number of the first word's line.

    Raises
    ------
    TreatiseError
        Where a line has another number of columns than the first, naming the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from treatise.io import iterate_conll
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "chunks.txt")
    ...     _ = path.write_text("He PRP B-NP\\nreckons VBZ B-VP\\n\\nNo UH O\\n")
    ...     for sentence in iterate_conll(path, columns=("word", "tag", "chunk")):
    ...         print(sentence["word"], sentence["chunk"])
    ['He', 'reckons'] ['B-NP', 'B-VP']
    ['No'] ['O']
    """
    path = Path(path)
    with naming(path):
        yield from _sentences(path, columns, None)


def read_conll(path: str | os.PathLike[str], *, columns: Sequence[str] | None = None) -> list[Sentence]:
    """All sentences of a file; see :func:`iterate_conll`."""
    path = Path(path)
    with naming(path):
        sentences = list(_sentences(path, columns, unpacked_limit() if is_packed(path) else None))
    if not sentences:
        raise TreatiseError(f"{path}: the file holds no words")
    return sentences


def write_conll(path: str | os.PathLike[str], sentences: Iterable[Sentence]) -> None:
    """Write sentences: words as lines with tabs between the columns, an empty line after each sentence.

    What :func:`iterate_conll` read of a CoNLL-U file without contractions comes out as it was. The file appears whole
    or not at all.

    Parameters
    ----------
    path : str or path
        Where to; a file that is there is replaced.
    sentences : iterable of Sentence
        The sentences; all with the same columns.
    """
    with replacing(Path(path)) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(conll_lines(sentences))


def conll_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The lines of a file of sentences, as :func:`write_conll` writes them."""
    names: tuple[str, ...] | None = None
    for number, sentence in enumerate(sentences, 1):
        names = names or tuple(sentence.columns)
        if tuple(sentence.columns) != names:
            raise TreatiseError(
                f"sentence {number} has the columns {', '.join(sentence.columns)}, the first {', '.join(names)}"
            )
        for comment in sentence.comments:
            yield comment + "\n"
        for row in zip(*sentence.columns.values(), strict=True):
            if any(not cell or "\t" in cell or "\n" in cell for cell in row):
                raise TreatiseError(f"sentence {number} holds a cell that is empty or holds a tab or a line break")
            yield "\t".join(row) + "\n"
        yield "\n"


def _sentences(path: Path, columns: Sequence[str] | None, limit: int | None) -> Iterator[Sentence]:
    """The sentences of a file, of so many bytes once it is decompressed if there is a limit."""
    layout: _Layout | None = None
    rows: list[list[str]] = []
    comments: list[str] = []
    first = 0
    with io.BufferedReader(cast(io.RawIOBase, open_bytes(path))) as stream:
        for number, line in enumerate(_decoded(stream, limit), 1):
            if not line.strip():
                if rows and layout is not None:
                    yield layout.sentence(rows, comments, first)
                    comments = []
                rows = []
                continue
            # In the older formats a word may be a number sign; a comment has one column of text.
            if line.startswith("#") and not rows and (layout is None or layout.is_conllu or not layout.fits(line)):
                comments.append(line)
                continue
            if layout is None:
                if line.startswith("-DOCSTART-"):
                    continue
                layout = _Layout.of(line, columns)
            cells = layout.cells(line, number)
            if layout.passes_over(cells):
                continue
            if not rows:
                first = number
            if len(rows) == _MOST_WORDS:
                raise TreatiseError(
                    f"the sentence from line {first} on has more than {_MOST_WORDS} words; an empty line must end one"
                )
            rows.append(cells)
    if rows and layout is not None:
        yield layout.sentence(rows, comments, first)


@dataclass(frozen=True)
class _Layout:
    """How the lines of a file are divided."""

    names: tuple[str, ...]
    tabs: bool
    is_conllu: bool

    @classmethod
    def of(cls, line: str, columns: Sequence[str] | None) -> "_Layout":
        tabs = "\t" in line
        found = len(line.split("\t") if tabs else line.split())
        is_conllu = tabs and found == len(CONLLU_COLUMNS)
        if columns is None:
            names = CONLLU_COLUMNS if is_conllu else tuple(str(i) for i in range(found))
        elif len(columns) != found:
            raise TreatiseError(f"{len(columns)} columns are named and the first word has {found}")
        else:
            names = tuple(columns)
        return cls(names, tabs, is_conllu)

    def fits(self, line: str) -> bool:
        return len(line.split("\t") if self.tabs else line.split()) == len(self.names)

    def cells(self, line: str, number: int) -> list[str]:
        cells = line.split("\t") if self.tabs else line.split()
        if len(cells) != len(self.names):
            raise TreatiseError(f"line {number} has {len(cells)} columns where {len(self.names)} are expected")
        if self.is_conllu and not cells[0].replace("-", "").replace(".", "").isdigit():
            raise TreatiseError(f"line {number} begins with {cells[0]!r}, which is no number of a word")
        return cells

    def passes_over(self, cells: list[str]) -> bool:
        return ("-" in cells[0] or "." in cells[0]) if self.is_conllu else cells[0] == "-DOCSTART-"

    def sentence(self, rows: list[list[str]], comments: list[str], first: int) -> Sentence:
        return Sentence({name: list(column) for name, column in zip(self.names, zip(*rows))}, tuple(comments), first)


def _decoded(stream: BinaryIO, limit: int | None) -> Iterator[str]:
    number, size = 0, 0
    try:
        while line := stream.readline(LONGEST_LINE + 1):
            number, size = number + 1, size + len(line)
            if len(line) > LONGEST_LINE:
                raise TreatiseError(f"line {number} is longer than {LONGEST_LINE >> 20} MiB")
            if limit is not None:
                refuse_unfolding(size, limit)
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise TreatiseError(f"line {number} is not UTF-8") from None
    except DAMAGED as error:
        raise damage(error) from None
    if number == 0:
        raise TreatiseError("the file is empty")
