"""How good the answers of comparisons are: what ``python -m benchmarks answers`` keeps in ``answers.json``."""

import json
from pathlib import Path
from typing import Any

from treatise_pages.rst import escaped, number, table

NOTHING = "Nothing has been recorded in this copy of the site; the next build shows what ``make answers`` records.\n"
OTHERS = {"flaml": "FLAML", "lazypredict": "LazyPredict"}


def pages(docs: Path) -> dict[str, str]:
    path = docs / "answers.json"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = [json.loads(line) for line in lines if line.strip()]
    rows = [one for one in found if one.get("tuning") and "treatise" in one and "defaults" in one]
    return {"_generated/answers.inc": _page(rows, found[-1]) if rows else NOTHING}


def _page(rows: list[dict[str, Any]], summary: dict[str, Any]) -> str:
    times = sorted({(row["budget"], row["jobs"]) for row in rows})
    granted = ", ".join(f"{budget:g} s of each of {jobs} processor{'s' if jobs > 1 else ''}" for budget, jobs in times)
    tables = len({row["table"] for row in rows})
    text = f"Recorded on {tables} table{'s' if tables > 1 else ''}, with {granted} for each search.\n\n"
    said = [[escaped(what), _said(value)] for what, value in summary.items()]
    text += table(["Over all tables", ""], said, widths="60 40") + "\n"
    header = ["Table", "Division", "Rows learnt from", "Measure", "The pick", "Best default", *OTHERS.values(), "Folds"]
    header += ["Open places", "Could be told", "Recorded on"]
    return text + table(header, [_row(row) for row in rows], widths="18 4 8 12 20 14 8 8 4 4 4 8")


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "\n\n".join(
            f"{escaped(name)} {number(rank)}" for name, rank in sorted(value.items(), key=lambda x: x[1])
        )
    return number(value)


def _row(row: dict[str, Any]) -> list[str]:
    ours, usual = row["treatise"], row["defaults"]
    best = max(usual, key=lambda name: usual[name])
    return [
        escaped(row["table"]), number(row["division"] + 1), number(row["rows"]), escaped(row["metric"]),
        f"{ours['pick']:.4f} ({ours['label']})",
        f"{usual[best]:.4f} ({best})", *(f"{row[name]['score']:.4f}" if name in row else "" for name in OTHERS),
        number(ours["folds"]), number(ours["undecided"] + ours["equivalent"]),
        "" if ours["told"] is None else f"{ours['told']:.3f}", escaped(ours.get("version", "an earlier version")),
    ]  # fmt: skip
