"""What docstrings mean: ``coef_`` in a sentence is a name, not a link to "coef", and |x| is a norm."""

import re
from typing import Any

from jinja2 import PackageLoader
from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx

from treatise.catalog._derived import first_line_of


def first_line(path: str) -> str:
    """The first line of a public name's docstring, as markup; nothing where it has none."""
    return _escaped(first_line_of(path) or "")


def share_template() -> None:
    """Let numpydoc compile its template once: it does so for every docstring, a fifth of the time of reading."""
    shared = SandboxedEnvironment(loader=PackageLoader("numpydoc"), auto_reload=False)
    docscrape_sphinx.SandboxedEnvironment = lambda **_: shared


def protect_names(app: Any, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Escape the final underscore of names, and bars, in plain text; examples, literals and fields' names stay."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            field, colon, text = line.rpartition(" : ")
            lines[number] = field + colon + _escaped(text)


def link_own_attributes(app: Any, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Give numpydoc's links to properties their full names: a bare one may find another class's."""
    lines[:] = [re.sub(r":obj:`(\w+) <\.\1>`", rf":obj:`\1 <{name}.\1>`", line) for line in lines]


def _escaped(text: str) -> str:
    plain_and_literal = re.split(r"(``.*?``|`[^`]*`)", text)
    plain_and_literal[::2] = [re.sub(r"((?<=\w)_(?!\w)|\|)", r"\\\1", plain) for plain in plain_and_literal[::2]]
    return "".join(plain_and_literal)
