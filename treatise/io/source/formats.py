"""Which format a file has, by its content and, where that leaves a doubt, by its name."""

import re
from itertools import islice
from pathlib import Path

from treatise._core.errors import TreatiseError
from treatise.io.source.content import PARQUET, endings

FORMATS = ("csv", "tsv", "libsvm", "parquet", "vw")
"""Formats that may be told; ``"csv"`` is text with any delimiter."""
TABLES = ("csv", "tsv", "libsvm", "parquet")
"""Those among them that are tables."""
GLANCE = 1 << 16
"""Bytes of a file's beginning that its format is told by."""
_LINES = 20
# A run of digits is taken as a whole or not at all (``++``): else 100 kB of them are tried in all divisions.
_NUMBER = rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
_LIBSVM_LINE = re.compile(
    rb"[ \t]*+" + _NUMBER + rb"(?:,[+-]?[\d.]++)*+(?P<pairs>(?:[ \t]++(?:qid|-?\d++):[^\s:#]++)*+)[ \t\r]*+(?:#.*)?"
)
_FEATURE_WITH_VALUE = re.compile(rb"[^\s|:]*:" + _NUMBER)
_TABLE_ENDINGS = {".csv", ".tsv", ".tab"}
_SENTENCE_ENDINGS = {".conllu", ".conll"}
_READ_BY = {
    "vw": "this is Vowpal Wabbit text, which is no table; `treatise stream` and treatise.io.Stream read it",
    "conll": "this is CoNLL text, which is no table; `treatise compare` with --task sequence and "
    "treatise.io.read_conll read it",
}


def find_format(path: Path, head: bytes) -> str:
    """The format of a file: "parquet", "conll", "vw", "libsvm", "keel" or "csv".

    Parameters
    ----------
    path : Path
        Its name. Endings decide what content cannot: sentences in columns, and Vowpal Wabbit text of a few words.
    head : bytes
        Its beginning, decompressed, or all of it.
    """
    if head.startswith(PARQUET):
        return "parquet"
    if is_sentences(path):
        return "conll"
    ends = endings(path)
    if ".vw" in ends:
        return "vw"
    lines = _first_lines(head)
    if _is_libsvm(lines):
        return "libsvm"
    if head.lstrip()[:9].lower() == b"@relation":
        return "keel"
    if not ends & _TABLE_ENDINGS and _is_vw(lines):
        return "vw"
    return "csv"


def refuse_other_than_table(format: str) -> None:
    """Say which command reads a format that is no table."""
    if format in _READ_BY:
        raise TreatiseError(_READ_BY[format])


def is_sentences(path: Path) -> bool:
    """Whether a file holds sentences in columns, by its name."""
    return bool(endings(path) & _SENTENCE_ENDINGS)


def is_tabular(path: Path) -> bool:
    """Whether a file is a table by its name."""
    return bool(endings(path) & {*_TABLE_ENDINGS, ".parquet", ".pq"})


def _first_lines(head: bytes) -> list[bytes]:
    """Some lines that are not blank; the last of a glance may be cut, and is left out unless it is the only one."""
    found = (match.group() for match in re.finditer(rb"[^\r\n]+", head) if match.group().strip())
    lines = list(islice(found, _LINES + 1))
    return lines[:-1] if len(lines) > _LINES or (len(head) == GLANCE and len(lines) > 1) else lines


def _is_libsvm(lines: list[bytes]) -> bool:
    """Whether the lines read as ``label index:value ...``, at least one with a feature."""
    rows = [_LIBSVM_LINE.fullmatch(line) for line in lines if not line.lstrip().startswith(b"#")]
    return all(rows) and any(row["pairs"].strip() for row in rows if row)


def _is_vw(lines: list[bytes]) -> bool:
    """Whether the lines read as ``[label [weight]] [tag]|namespace feature ...``, and not as a table with bars.

    In a table a bar stands right after a cell. Where blanks surround every bar of a table, its cells must be single
    words to be taken for one.
    """
    found = [_vw_features(line) for line in lines]
    return None not in found and any(found)


def _vw_features(line: bytes) -> bool | None:
    """Whether a line holds features as Vowpal Wabbit's do; None where it is no line of such a file."""
    before, bar, after = line.partition(b"|")
    spaces, words = after.split(b"|"), before.split()
    if not bar or not all(space[-1:].isspace() for space in spaces[:-1]):
        return None
    valued = any(_FEATURE_WITH_VALUE.fullmatch(word) for space in spaces for word in space.split())
    if words and not before[-1:].isspace():
        tag = words.pop()
        if not (valued or tag.startswith(b"'")):
            return None
    if len(words) > 3 or not all(word.startswith(b"'") or re.fullmatch(_NUMBER, word) for word in words):
        return None
    return valued or any(len(space.split()) > 1 for space in spaces)
