"""The list at the side of a page: the pages beside it, or below it where it has some, by their titles.

The theme's own list is made anew for each page out of the whole tree, which took most of the time of writing; this one
is the same for all pages of a folder and is made once.
"""

from typing import Any, NamedTuple


class Siblings(NamedTuple):
    """Pages that belong together: the page that lists them, its title, and theirs."""

    parent: str
    title: str
    pages: list[tuple[str, str]]


class Navigation:
    """Hands each page's template its list, made once for all pages that share it."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._lists: dict[str, Siblings] = {}

    def prepare(self, app: Any, env: Any) -> None:
        """Learn which page lists which, once all are read."""
        self._parents = {page: parent for parent, pages in env.toctree_includes.items() for page in pages}

    def add(self, app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
        """Put the list into what the template of a page may use."""
        below = app.env.toctree_includes.get(pagename)
        parent = pagename if below else self._parents.get(pagename, app.config.root_doc)
        if parent not in self._lists:
            titles = {page: title.astext() for page, title in app.env.titles.items()}
            pages = [(page, titles[page]) for page in app.env.toctree_includes.get(parent, []) if page in titles]
            self._lists[parent] = Siblings(parent, titles.get(parent, app.config.project), pages)
        context["siblings"] = self._lists[parent]
