"""What the commands print, and where: answers on standard output, remarks and errors on standard error.

On a terminal the answer is styled and wrapped by rich. In a pipe it is plain text, one line per row of a
table and nothing cut off, so that grep and head work; rich is then not even imported.
"""

import difflib
import json
import math
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from treatise._core.errors import TreatiseError
from treatise._core.files import is_of_a_full_disk

if TYPE_CHECKING:
    from rich.console import Console

PLENTY = 120  # columns of a terminal from which on a table shows all of its own

STANDING_STYLES = {"best": "bold green", "equivalent": "green", "worse": "dim", "unjudged": "dim"}
"""How a standing is shown; others are plain."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines, and nothing else.")]
"""The option that every command has."""

Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet",
        help="Put an apostrophe before text that a spreadsheet would run as a formula (=, +, -, @).",
    ),
]
"""The option of commands that write tables with names and labels of the user's."""


@dataclass(frozen=True)
class Column:
    """A table's column: its heading, its side, and how a narrow terminal may break its cells.

    ``widest`` caps its width there, which leaves room for the columns that say more; a ``spare`` column
    shows only where there is plenty.
    """

    heading: str
    right: bool = False
    wrap: bool = True
    widest: int | None = None
    spare: bool = False


@dataclass(frozen=True)
class Cell:
    """A table's cell whose style says something, such as a verdict."""

    text: str
    style: str = ""


def say(text: str = "", style: str = "") -> None:
    """Print a line or a paragraph of the answer."""
    if sys.stdout.isatty():
        _rich(sys.stdout).print(printable(text), style=style or None)
    else:
        print(printable(text), flush=True)  # a log shows the answer as it grows


def remark(text: str) -> None:
    """Print a line about the answer on standard error, so that the answer alone goes down a pipe."""
    if sys.stderr.isatty():
        _rich(sys.stderr).print(printable(text), style="dim")
    else:
        print(printable(text), file=sys.stderr)


def complain(sentence: str) -> None:
    """Print an error on standard error."""
    print(f"treatise: {printable(sentence)}", file=sys.stderr)


def complain_of(error: Exception, *, debug: bool, about: str = "") -> None:
    """Print an exception as one sentence, with its traceback before it if ``debug``."""
    if debug:
        traceback.print_exception(error)
    complain(f"{about}: {sentence_of(error)}" if about else sentence_of(error))


def sentence_of(error: Exception) -> str:
    """An exception in one sentence; one that the user did not cause says its type, and how to learn more."""
    message = " ".join(str(error).split())
    if isinstance(error, TreatiseError):
        return message
    if is_of_a_full_disk(error):
        return f"{error.filename or 'the output'} cannot be written ({error.strerror})"
    named = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"{named.rstrip('.')}; run again with --debug for the traceback"


def print_json(data: Any) -> None:
    """Print JSON that every parser takes: what is not finite becomes null, and NumPy's types become plain."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    ascii_only = not encoding.startswith("utf")
    print(json.dumps(_plain(data), indent=2, ensure_ascii=ascii_only, allow_nan=False))


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[str | Cell]]) -> None:
    """Print a table with a line of headings."""
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_rich_table(columns, cells)
        return
    lines = [
        [column.heading for column in columns],
        *([printable(cell.text) for cell in row] for row in cells),
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        aligned = (
            text.rjust(width) if column.right else text.ljust(width)
            for text, width, column in zip(line, widths, columns)
        )
        print("  ".join(aligned).rstrip())


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and their values in two columns, the values wrapped beside their names."""
    facts = [(name, value) for name, value in facts if value]
    if not facts:
        return
    if sys.stdout.isatty():
        from rich.table import Table

        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column()
        for name, value in facts:
            grid.add_row(name, printable(value))
        _rich(sys.stdout).print(grid)
        return
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        print(f"{name.ljust(width)}  {printable(value)}")


def printable(text: str) -> str:
    """The text without control characters: what a file holds must not steer the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def perhaps(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'binary'?)`` if a known word is close, else nothing."""
    by_lower = {name.lower(): name for name in known}
    close = [by_lower[name] for name in difflib.get_close_matches(word.lower(), by_lower, 3)]
    return f" (did you mean {' or '.join(repr(name) for name in close)}?)" if close else ""


def interval(low: float | None, high: float | None) -> str:
    """An interval in words, or nothing where there is none."""
    return "" if low is None else f"{low:.4f} to {high:.4f}"


def counted(number: int, noun: str) -> str:
    """``1 paper``, ``2 papers``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def open_closed_streams() -> None:
    """Give a process that was started without standard streams places to write to, which nobody reads."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process


def silence_stdout() -> None:
    """Send the rest of the output nowhere: its reader has gone, or no more of it can be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _rich(stream: TextIO) -> "Console":
    from rich.console import Console

    # Titles and column names hold brackets and colons that are no markup.
    return Console(file=stream, markup=False, emoji=False, highlight=False)


def _print_rich_table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console = _rich(sys.stdout)
    shown = [number for number, column in enumerate(columns) if console.width >= PLENTY or not column.spare]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column in (columns[number] for number in shown):
        table.add_column(
            column.heading,
            justify="right" if column.right else "left",
            no_wrap=not column.wrap,
            max_width=column.widest,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(printable(row[number].text), style=row[number].style) for number in shown))
    console.print(table)


def _plain(value: Any) -> Any:
    """Data of JSON's own types."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays, without importing NumPy
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    return str(value)
