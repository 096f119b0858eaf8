"""Pages of the site that are written from the code: the reference, the catalogue, the evidence, the options.

Each module named in SOURCES has ``pages()``: file names below ``docs`` and what they hold. They are written before
Sphinx looks for its sources, only where they changed, and what a former build wrote and this one does not is
removed; so a new family, method, command or result appears by itself.
"""

from pathlib import Path
from typing import Any

from treatise_pages import (
    answers,
    api,
    benchmarks,
    catalogue,
    command_line,
    data_files,
    defaults,
    evidence,
    methods,
    run_record,
)
from treatise_pages.docstrings import link_own_attributes, protect_names, share_template
from treatise_pages.navigation import Navigation

DOCS = Path(__file__).resolve().parents[2]
FOLDERS = ("_generated", "api", "papers")
SOURCES = (api, catalogue, methods, evidence, benchmarks, answers, defaults, data_files, command_line, run_record)
KEPT = "_generated/backreferences"  # sphinx-gallery's own


def write_pages(docs: Path = DOCS) -> None:
    """Bring the generated files below ``docs`` up to date."""
    wanted = {docs / name: text for source in SOURCES for name, text in source.pages(docs).items()}
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for folder in FOLDERS:
        for path in (docs / folder).rglob("*"):
            if path.is_file() and path not in wanted and not path.is_relative_to(docs / KEPT):
                path.unlink()


def setup(app: Any) -> dict[str, Any]:
    app.connect("config-inited", lambda *_: write_pages())
    navigation = Navigation()
    app.connect("env-updated", navigation.prepare)
    app.connect("html-page-context", navigation.add)
    share_template()
    app.connect("autodoc-process-docstring", protect_names, priority=400)  # numpydoc comes at 500
    app.connect("autodoc-process-docstring", link_own_attributes, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
