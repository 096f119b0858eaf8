"""The benchmarks: what ``python -m benchmarks --json`` printed into ``benchmarks.json``, one object a line."""

import json
from pathlib import Path
from typing import Any

from treatise_pages.rst import escaped, table, title

NOTHING = "Nothing has been recorded in this copy of the site; the next build shows what ``make bench`` records.\n"


def pages(docs: Path) -> dict[str, str]:
    path = docs / "benchmarks.json"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = [json.loads(line) for line in lines if line.strip()]
    return {"_generated/benchmarks.inc": _tables(rows) if rows else NOTHING}


def _tables(rows: list[dict[str, Any]]) -> str:
    text = ""
    for name in dict.fromkeys(row["benchmark"] for row in rows):
        text += title(name, "-") + "\n"
        contests = [row for row in rows if row["benchmark"] == name and "ratio" in row]
        scalings = [row for row in rows if row["benchmark"] == name and "slope" in row]
        if contests:
            header = ["Work", "Peer", "Ours, s", "Peer, s", "Times as fast", "Quality", "Peak, MiB"]
            text += table(header, [_contest(row) for row in contests], widths="32 16 9 9 10 14 10") + "\n"
        if scalings:
            header = ["Work", "Sizes", "Seconds", "Slope"]
            text += table(header, [_scaling(row) for row in scalings], widths="36 26 28 10") + "\n"
    return text


def _contest(row: dict[str, Any]) -> list[str]:
    return [
        escaped(row["work"]), f"{row['peer']} {row['peer version']}", f"{row['ours s']:.3g}", f"{row['peer s']:.3g}",
        f"{row['ratio']:.3g}", f"{row['quality ours']:.4g} and {row['quality peer']:.4g}",
        f"{row['peak MiB ours']:.0f} and {row['peak MiB peer']:.0f}",
    ]  # fmt: skip


def _scaling(row: dict[str, Any]) -> list[str]:
    sizes = ", ".join(f"{size:_}".replace("_", " ") for size in row["sizes"])
    seconds = ", ".join(f"{value:.3g}" for value in row["seconds"])
    return [escaped(row["work"]), sizes, seconds, f"{row['slope']:.2f}"]
