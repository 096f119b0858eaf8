"""The evidence: what ``make evidence`` recorded in ``evidence.json``, beside the papers' numbers."""

import json
import re
from pathlib import Path
from typing import Any

from treatise.catalog import Paper, load_catalogue
from treatise_pages.catalogue import is_running, paper_link
from treatise_pages.rst import block, escaped, number, table

Result = dict[str, Any]
ROLES = ".. role:: reached\n.. role:: gap\n.. role:: quiet\n\n"
NOT_RECORDED = (
    "Nothing has been recorded in this copy of the site. ``make evidence`` runs every experiment at the paper's "
    "own size, and the next build of the site shows what came out; ``treatise reproduce {paper}`` shows it at once.\n"
)


def pages(docs: Path) -> dict[str, str]:
    results = read_evidence(docs)
    papers = [paper for paper in load_catalogue() if is_running(paper)]
    sections = {f"_generated/evidence/{paper.id}.inc": evidence_of(paper.id, results) for paper in papers}
    return {"_generated/evidence.inc": _overview(papers, results), **sections}


def read_evidence(docs: Path) -> dict[str, Result]:
    """What was recorded, by paper; nothing where the file is absent."""
    path = docs / "evidence.json"
    if not path.is_file():
        return {}
    results = json.loads(path.read_text(encoding="utf-8"))
    for result in results:
        figure = docs / "evidence" / f"{result['paper']}.png"
        result["figure"] = f"/evidence/{figure.name}" if figure.is_file() else None
    return {result["paper"]: result for result in results}


def evidence_of(paper: str, results: dict[str, Result]) -> str:
    """The section of one paper: its rows, why some were not reached, and its figure."""
    result = results.get(paper)
    if result is None:
        return NOT_RECORDED.format(paper=paper)
    text = ROLES
    if result.get("error"):
        text += f":gap:`The experiment broke off:` {escaped(result['error'])}\n\n"
    if result["rows"]:
        reasons: list[str] = []
        header = ["Quantity", "Published", "Here", "Tolerance", "Verdict"]
        rows = [_cells(row, reasons) for row in result["rows"]]
        text += table(header, rows, widths="40 14 14 16 16", kind="evidence") + "\n"
        text += "".join(f"{note}. Tolerance: {escaped(reason)}.\n" for note, reason in enumerate(reasons, 1)) + "\n"
    for row in result["rows"]:
        if row["gap"] and row["verdict"] == "not reached":
            text += f"- **Not reached: {escaped(row['quantity'])}.** {escaped(row['gap'])}\n"
    text += "".join(f"- **Left out.** {escaped(part)}\n" for part in result["skipped"])
    if result["figure"]:
        text += "\n" + block(f"image:: {result['figure']}", alt=f"The experiment of {paper}", align="center")
    command = f"treatise reproduce {paper} --full"
    return text + f"\n``{command}`` gives this again; it took {_duration(result['seconds'])} here.\n"


def _overview(papers: list[Paper], results: dict[str, Result]) -> str:
    if not results:
        return NOT_RECORDED.format(paper="v05-1205")
    papers = [paper for paper in papers if paper.id in results]
    rows = [[paper_link(p), *_tally(results[p.id])] for p in papers]
    header = ["Paper", "Reached", "Not reached", "Time"]
    published = [row for paper in papers for row in results[paper.id]["rows"] if row["published"] is not None]
    missed = [row for row in published if row["verdict"] == "not reached"]
    text = f"**{len(published) - len(missed)} of {len(published)} published numbers are reached.**"
    if missed:
        silent = sum(not row["gap"] for row in missed)
        text += f" Of the {len(missed)} not reached, {len(missed) - silent} have the reason on the paper's page"
        text += f"; {silent} have none yet." if silent else "."
    return text + "\n\n" + table(header, rows, widths="58 14 14 14")


def _tally(result: Result) -> list[str]:
    published = [row for row in result["rows"] if row["published"] is not None]
    reached = sum(row["verdict"] == "reached" for row in published)
    return [f"{reached} of {len(published)}", str(len(published) - reached), _duration(result["seconds"])]


def _cells(row: dict[str, Any], reasons: list[str]) -> list[str]:
    """A row's cells; the reason of a tolerance goes into the notes, once, and the cell gets the note's number."""
    style = {"reached": "reached", "not reached": "gap"}.get(row["verdict"], "quiet")
    tolerance, reason = re.fullmatch(r"(±\S+) \((.*)\)|(.*)", row["tolerance"], re.DOTALL).group(1, 2)
    if reason is None:
        shown = escaped(row["tolerance"])
    else:
        if reason not in reasons:
            reasons.append(reason)
        shown = f"{tolerance} :sup:`{reasons.index(reason) + 1}`"
    verdict = f":{style}:`{row['verdict']}`"
    return [escaped(row["quantity"]), number(row["published"]), number(row["here"]), shown, verdict]


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
