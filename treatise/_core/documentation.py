"""Descriptions of parameters and attributes that a family of estimators shares, written once in their base class."""

import inspect
import re
from typing import Any

_RULED = re.compile(r"^-{3,}$")
_NAMES = re.compile(r"^([\w*]+(?:, [\w*]+)*)(?: :|$)")


class InheritsDocumentation:
    """Class whose subclasses' docstrings inherit the entries that they do not write themselves.

    A base class describes in its own docstring, in numpydoc's sections "Parameters" and "Attributes", what its
    subclasses have in common; a subclass describes what is its own, and whatever is different with it. On creation its
    docstring is completed: with the parameters that its constructor takes, in the constructor's order, and with all
    attributes, those of the base first. ``help``, the documentation and the doctests then see the whole text.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__doc__ is not None:
            bases = [base.__doc__ or "" for base in cls.__mro__[1:] if issubclass(base, InheritsDocumentation)]
            cls.__doc__ = completed(cls.__doc__, bases, list(inspect.signature(cls.__init__).parameters))


def completed(docstring: str, bases: list[str], parameters: list[str]) -> str:
    """A class's docstring with what it lacks of those of its bases.

    Parameters
    ----------
    docstring : str
        That of the class.
    bases : list of str
        Those of its bases, the nearest first.
    parameters : list of str
        What its constructor takes; of the bases' parameters only these are inherited.

    Returns
    -------
    docstring : str
    """
    sections = _sections(docstring)
    inherited = [_sections(base) for base in reversed(bases)]
    for title in ("Parameters", "Attributes"):
        entries: dict[str, list[str]] = {}
        for lines in (*(base.get(title, []) for base in inherited), sections.get(title, [])):
            entries.update(_entries(lines))
        if title == "Parameters":
            entries = {name: entries[name] for name in parameters if name in entries}
        if entries:
            sections[title] = [line for entry in _distinct(entries.values()) for line in entry]
    front = [title for title in ("", "Parameters", "Attributes") if title in sections]
    order = [*front, *(title for title in sections if title not in front)]
    return "\n\n".join("\n".join(_headed(title, sections[title])) for title in order) + "\n"


def _sections(docstring: str) -> dict[str, list[str]]:
    """Lines of each section by its title, without empty ones at the end; the title of what stands first is empty."""
    lines = inspect.cleandoc(docstring).splitlines()
    sections: dict[str, list[str]] = {"": []}
    title = ""
    for line, following in zip(lines, [*lines[1:], ""]):
        if line and _RULED.match(following):
            title = line
            sections[title] = []
        elif not (_RULED.match(line) and not sections[title] and title):
            sections[title].append(line)
    for section in sections.values():
        while section and not section[-1]:
            section.pop()
    return sections


def _entries(lines: list[str]) -> dict[str, list[str]]:
    """Lines of each entry of a section by the name that it describes; an entry of several names stands for each."""
    entries: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in lines:
        names = _NAMES.match(line)
        if names:
            entry = []
            entries.update(dict.fromkeys(names[1].split(", "), entry))
        entry.append(line)
    return entries


def _distinct(entries: Any) -> list[list[str]]:
    """Each entry once."""
    return list({id(entry): entry for entry in entries}.values())


def _headed(title: str, lines: list[str]) -> list[str]:
    return [title, "-" * len(title), *lines] if title else lines
