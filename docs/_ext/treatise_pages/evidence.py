"""The evidence: what ``make evidence`` recorded in ``evidence.json``, kinds of rows apart."""

import json
import re
from pathlib import Path
from typing import Any

from treatise.catalog import Paper, load_catalogue
from treatise.papers import Kind, Tally
from treatise_pages.catalogue import is_running, paper_link
from treatise_pages.rst import block, escaped, number, table

Record = dict[str, Any]
Records = dict[str, dict[str, Record]]
ROLES = ".. role:: reached\n.. role:: gap\n.. role:: quiet\n\n"
NOT_RECORDED = (
    "Nothing has been recorded in this copy of the site. ``make evidence PAPER={paper}`` runs the experiment in both "
    "sizes, and the next build of the site shows what came out; ``treatise reproduce {paper}`` shows it at once.\n"
)
HEADINGS = {
    Kind.PRINTED: "Numbers printed in the paper",
    Kind.CLAIM: "Claims of the paper",
    Kind.CHECK: "Checks of theorems and formulas",
    Kind.TIME: "Times",
    Kind.OURS: "Numbers of ours",
}
COLUMNS = {
    Kind.PRINTED: (["Quantity", "Place", "Published", "Here", "Tolerance", "Verdict"], "34 12 13 13 14 14"),
    Kind.CLAIM: (["Statement", "Place", "Here", "Verdict"], "56 14 14 16"),
    Kind.CHECK: (["Quantity", "Expected", "Here", "Tolerance", "Verdict"], "40 15 15 15 15"),
    Kind.TIME: (["Quantity", "Place", "Published", "Here", "Tolerance", "Verdict"], "34 12 13 13 14 14"),
    Kind.OURS: (["Quantity", "Here"], "80 20"),
}
COUNTED = {Kind.PRINTED: "printed numbers", Kind.CLAIM: "claims", Kind.CHECK: "checks"}
"""Kinds whose verdict decides, as the overview counts them."""


def pages(docs: Path) -> dict[str, str]:
    records = read_evidence(docs)
    papers = [paper for paper in load_catalogue() if is_running(paper)]
    sections = {f"_generated/evidence/{paper.id}.inc": evidence_of(paper.id, records, docs) for paper in papers}
    return {"_generated/evidence.inc": _overview(papers, records), **sections}


def read_evidence(docs: Path) -> Records:
    """What was recorded, by paper and size; nothing where the file is absent."""
    path = docs / "evidence.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def shown_record(sizes: dict[str, Record]) -> Record:
    """The full size where it was recorded, else the quick one."""
    return sizes.get("full") or sizes["quick"]


def counts_of(record: Record) -> dict[Kind, Tally]:
    return {kind: Tally(**record["counts"][kind]) for kind in Kind}


def total(records: Records) -> dict[Kind, Tally]:
    """Counts of all papers together, each at the size that is shown."""
    counts = {kind: Tally() for kind in Kind}
    for sizes in records.values():
        for kind, count in counts_of(shown_record(sizes)).items():
            counts[kind] += count
    return counts


def evidence_of(paper: str, records: Records, docs: Path) -> str:
    """The section of one paper: its rows, why some were not reached, what is left out, and its figure."""
    if paper not in records:
        return NOT_RECORDED.format(paper=paper)
    record = shown_record(records[paper])
    text = ROLES + "".join(_rows_of(kind, [row for row in record["rows"] if row["kind"] == kind]) for kind in Kind)
    for row in record["rows"]:
        if row["gap"] and row["verdict"] != "reached":
            text += f"- **Not reached: {escaped(row['quantity'])}.** {escaped(row['gap'])}\n"
    text += "".join(f"- **Left out.** {escaped(part)}\n" for part in record["skipped"])
    figure = docs / "evidence" / f"{paper}.png"
    if figure.is_file():
        text += "\n" + block(f"image:: /evidence/{figure.name}", alt=f"The experiment of {paper}", align="center")
    full = " --full" if record["size"] == "full" else ""
    command = f"``treatise reproduce {paper}{full}`` gives this again; it took {_duration(record['seconds'])}"
    return text + f"\n{command} on {record['date']} with version {escaped(record['version'])}.\n"


def _rows_of(kind: Kind, rows: list[Record]) -> str:
    if not rows:
        return ""
    header, widths = COLUMNS[kind]
    reasons: list[str] = []
    cells = [_cells(row, reasons) for row in rows]
    notes = "".join(f"{note}. Tolerance: {escaped(reason)}.\n" for note, reason in enumerate(reasons, 1))
    body = f"**{HEADINGS[kind]}**\n\n" + table(header, cells, widths=widths, kind="evidence")
    return f"{body}\n{notes}\n" if notes else f"{body}\n"


def _overview(papers: list[Paper], records: Records) -> str:
    if not records:
        return NOT_RECORDED.format(paper="v05-1205")
    counts = total(records)
    parts = [f"{counts[kind].reached} of {counts[kind].rows} {name}" for kind, name in COUNTED.items()]
    text = f"**Reached: {', '.join(parts[:-1])} and {parts[-1]}.**"
    text += f" Of {sum(counts[kind].uncertain for kind in COUNTED)} rows too few draws were made to tell"
    text += f"; {counts[Kind.TIME].rows} printed times are shown and decide nothing"
    text += f"; {counts[Kind.OURS].rows} numbers are ours alone.\n\n"
    header = ["Paper", "Printed", "Claims", "Checks", "Size", "Recorded", "Version"]
    rows = [_overview_row(paper, records[paper.id]) for paper in papers if paper.id in records]
    return text + table(header, rows, widths="36 10 10 10 8 12 14")


def _overview_row(paper: Paper, sizes: dict[str, Record]) -> list[str]:
    record = shown_record(sizes)
    counts = counts_of(record)
    reached = [f"{counts[kind].reached} of {counts[kind].rows}" if counts[kind].rows else "" for kind in COUNTED]
    size = f"{record['size']}, {_duration(record['seconds'])}"
    return [paper_link(paper), *reached, size, record["date"], escaped(record["version"])]


def _cells(row: Record, reasons: list[str]) -> list[str]:
    """A row's cells; the reason of a tolerance goes into the notes, once, and the cell gets the note's number."""
    quantity, here = escaped(row["quantity"]), number(row["here"])
    if row["kind"] == Kind.OURS:
        return [quantity, here]
    style = {"reached": "reached", "not reached": "gap"}.get(row["verdict"], "quiet")
    verdict, place = f":{style}:`{row['verdict']}`", escaped(row["place"])
    if row["kind"] == Kind.CLAIM:
        return [quantity, place, here, verdict]
    before = [quantity] if row["kind"] == Kind.CHECK else [quantity, place]
    return [*before, number(row["expected"]), here, _tolerance(row["tolerance"], reasons), verdict]


def _tolerance(words: str, reasons: list[str]) -> str:
    parts = re.fullmatch(r"(±\S+) \((.*)\)", words, re.DOTALL)
    if parts is None:
        return escaped(words)
    tolerance, reason = parts.groups()
    if reason not in reasons:
        reasons.append(reason)
    return f"{tolerance} :sup:`{reasons.index(reason) + 1}`"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
