"""Writing reStructuredText: what a generated page is made of."""

import re
from collections.abc import Iterable, Sequence
from textwrap import indent
from typing import Any


def escaped(text: str) -> str:
    """Plain text as markup that shows it unchanged."""
    return re.sub(r"([\\*`|]|_(?=\W|$)|(?<!\w)_)", r"\\\1", text)


def title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


def block(directive: str, body: str = "", **options: str) -> str:
    """A directive with its options, and its body indented."""
    head = "\n".join([f".. {directive}", *(f"   :{name}: {value}".rstrip() for name, value in options.items())])
    return f"{head}\n\n{indent(body, '   ')}\n" if body else f"{head}\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, widths: str = "auto", kind: str = "") -> str:
    """A table of cells that hold markup; several paragraphs in one cell are fine."""
    lines = []
    for row in (header, *rows):
        for first, cell in zip(("* -", *["  -"] * len(row)), row):
            lines += [f"{first} {indent(cell, '    ').lstrip()}".rstrip()]
    options = {"header-rows": "1", "widths": widths, **({"class": kind} if kind else {})}
    return block("list-table::", "\n".join(lines), **options)


def folded(summary: str, body: str) -> str:
    """Content that opens when its summary is clicked."""
    opening = block("raw:: html", f'<details class="more"><summary>{summary}</summary>')
    return f"{opening}\n{body}\n\n{block('raw:: html', '</details>')}"


def number(value: Any) -> str:
    """A number as a table shows it: six digits, whole numbers in full."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else escaped(str(value))


def reference(path: str) -> str:
    """A link from a public name to its page."""
    return f":py:obj:`{path.rpartition('.')[2]} <{path}>`"


def link(text: str, document: str) -> str:
    """A link to a page under words of its own."""
    return f":doc:`{escaped(text).replace('<', chr(92) + '<')} <{document}>`"
