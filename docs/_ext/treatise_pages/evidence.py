"""The evidence: what ``make evidence`` recorded in ``evidence.json``, beside the papers' numbers."""

import json
from pathlib import Path
from typing import Any

from treatise.catalog import Paper, load_catalogue
from treatise_pages.rst import block, escaped, number, table

Result = dict[str, Any]
ROLES = ".. role:: reached\n.. role:: gap\n.. role:: quiet\n\n"
NOT_RECORDED = (
    "Nothing has been recorded in this copy of the site. ``make evidence`` runs every experiment at the paper's "
    "own size, and the next build of the site shows what came out; ``treatise reproduce {paper}`` shows it at once.\n"
)


def pages(docs: Path) -> dict[str, str]:
    return {"_generated/evidence.inc": _overview(read_evidence(docs))}


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


def evidence_of(paper: Paper, results: dict[str, Result]) -> str:
    """The section of one paper: its rows, why some were not reached, and its figure."""
    result = results.get(paper.id)
    if result is None:
        return NOT_RECORDED.format(paper=paper.id)
    text = ROLES
    if result.get("error"):
        text += f":gap:`The experiment broke off:` {escaped(result['error'])}\n\n"
    if result["rows"]:
        header = ["Quantity", "Published", "Here", "Tolerance", "Verdict"]
        text += table(header, [_cells(row) for row in result["rows"]], widths="38 13 13 24 12", kind="evidence") + "\n"
    for row in result["rows"]:
        if row["gap"] and row["verdict"] == "not reached":
            text += f"- **Not reached: {escaped(row['quantity'])}.** {escaped(row['gap'])}\n"
    text += "".join(f"- **Left out.** {escaped(part)}\n" for part in result["skipped"])
    if result["figure"]:
        text += "\n" + block(f"image:: {result['figure']}", alt=f"The experiment of {paper.id}", align="center")
    command = f"treatise reproduce {paper.id} --full"
    return text + f"\n``{command}`` gives this again; it took {_duration(result['seconds'])} here.\n"


def _overview(results: dict[str, Result]) -> str:
    if not results:
        return NOT_RECORDED.format(paper="v05-1205")
    papers = [paper for paper in load_catalogue() if paper.id in results]
    rows = [[f":doc:`{p.id} </papers/{p.id}>`", escaped(p.title), *_tally(results[p.id])] for p in papers]
    header = ["Paper", "Title", "Reached", "Not reached", "Time"]
    total = [row for paper in papers for row in results[paper.id]["rows"] if row["published"] is not None]
    reached = sum(row["verdict"] == "reached" for row in total)
    text = f"**{reached} of {len(total)} published numbers are reached**, from {len(papers)} papers. Every number "
    text += "that is not reached has its reason on the paper's page.\n\n"
    return text + table(header, rows, widths="12 46 14 14 14")


def _tally(result: Result) -> list[str]:
    published = [row for row in result["rows"] if row["published"] is not None]
    reached = sum(row["verdict"] == "reached" for row in published)
    return [f"{reached} of {len(published)}", str(len(published) - reached), _duration(result["seconds"])]


def _cells(row: dict[str, Any]) -> list[str]:
    style = {"reached": "reached", "not reached": "gap"}.get(row["verdict"], "quiet")
    verdict = f":{style}:`{row['verdict']}`"
    return [escaped(row["quantity"]), number(row["published"]), number(row["here"]), escaped(row["tolerance"]), verdict]


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
