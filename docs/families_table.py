"""Bring the table of families in the README up to date: ``python docs/families_table.py``."""

import sys
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_ext"))

from treatise_pages.catalogue import family_counts  # noqa: E402

README = DOCS.parent / "README.md"
START, END = "<!-- families -->", "<!-- /families -->"


def families_table() -> str:
    """The table in Markdown: each family, what it is about, how many of its papers work."""
    counts = family_counts()
    total = sum(running for _, running, _ in counts), sum(papers for _, _, papers in counts)
    rows = [f"| `{family}` | {_about(family)} | {running} of {papers} |" for family, running, papers in counts]
    head = ["| family | about | working |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, f"| | **all** | **{total[0]} of {total[1]}** |"])


def with_table(readme: str) -> str:
    """The README's text with the table between its marks."""
    before, _, rest = readme.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{families_table()}\n{END}{after}"


def _about(family: str) -> str:
    return (import_module(f"treatise.{family}").__doc__ or "").strip().partition("\n")[0].rstrip(".")


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
