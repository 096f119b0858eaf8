"""Bring what the README counts up to date, papers and evidence: ``python docs/readme_counts.py``."""

import sys
from importlib import import_module
from pathlib import Path
from textwrap import fill

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_ext"))

from treatise_pages.catalogue import family_counts  # noqa: E402
from treatise_pages.evidence import COUNTED, read_evidence, shown_record, total  # noqa: E402

README = DOCS.parent / "README.md"


def families_table() -> str:
    """The table in Markdown: each family, what it is about, how many of its papers work."""
    counts = family_counts()
    total = sum(running for _, running, _ in counts), sum(papers for _, _, papers in counts)
    rows = [f"| `{family}` | {_about(family)} | {running} of {papers} |" for family, running, papers in counts]
    head = ["| family | about | working |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, f"| | **all** | **{total[0]} of {total[1]}** |"])


def evidence_sentence() -> str:
    """How many rows of each kind the recorded evidence reaches."""
    records = read_evidence(DOCS)
    counts = total(records)
    parts = [f"{counts[kind].reached} of {counts[kind].rows} {name}" for kind, name in COUNTED.items()]
    full = sum(shown_record(sizes)["size"] == "full" for sizes in records.values())
    size = "all recorded at full size" if full == len(records) else f"{full} recorded at full size, the others quick"
    sentence = (
        f"Reached, of what the experiments of {len(records)} papers set beside their papers ({size}): "
        f"{', '.join(parts[:-1])}, {parts[-1]} of theorems and formulas."
    )
    return fill(sentence, 118)


COUNTS = {"families": families_table, "evidence": evidence_sentence}
"""What stands between the marks of each name."""


def between_marks(readme: str, name: str) -> str:
    """What the README has between the marks of a name."""
    return readme.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0].strip()


def with_counts(readme: str) -> str:
    """The README's text with what it counts between its marks."""
    for name, count in COUNTS.items():
        before, start, rest = readme.partition(f"<!-- {name} -->")
        after = rest.partition(f"<!-- /{name} -->")[2]
        readme = f"{before}{start}\n{count()}\n<!-- /{name} -->{after}"
    return readme


def _about(family: str) -> str:
    return (import_module(f"treatise.{family}").__doc__ or "").strip().partition("\n")[0].rstrip(".")


if __name__ == "__main__":
    README.write_text(with_counts(README.read_text(encoding="utf-8")), encoding="utf-8")
