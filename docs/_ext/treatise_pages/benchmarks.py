"""The benchmarks: what ``python -m benchmarks --json`` printed into ``benchmarks.json``, one object a line."""

import json
from pathlib import Path
from typing import Any

from treatise_pages.rst import escaped, folded, table, title

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
        own = [row for row in rows if row["benchmark"] == name]
        contests = [row for row in own if "ours s" in row]
        scalings = [row for row in own if "slope" in row]
        rankings = [row for row in own if "mean rank" in row]
        shares = [row for row in own if "share" in row]
        memories = [row for row in own if not any(row in kind for kind in (contests, scalings, rankings, shares))]
        if contests:
            header = ["Work", "Peer", "Ours, s", "Peer, s", "Times as fast", "Quality", "Peak, MiB"]
            text += table(header, [_contest(row) for row in contests], widths="32 16 9 9 10 14 10") + "\n"
        if scalings:
            header = ["Work", "Sizes", "Seconds", "Slope", "Peak, MiB", "Quality"]
            text += table(header, [_scaling(row) for row in scalings], widths="30 20 20 6 12 12") + "\n"
        if rankings:
            header = ["Work", "Mean rank, 1 is best", "Mean accuracy"]
            text += table(header, [_ranking(row) for row in rankings], widths="40 30 30") + "\n"
            text += "".join(_by_table(row) for row in rankings)
        if shares:
            body = [[escaped(row["work"]), f"{100 * row['share']:.0f} %"] for row in shares]
            text += table(["Work", "Share"], body, widths="80 20") + "\n"
        if memories:
            header = ["Work", "Against", "Peak, MiB", "Ratio"]
            text += table(header, [_memory(row) for row in memories], widths="36 26 28 10") + "\n"
    return text


def _contest(row: dict[str, Any]) -> list[str]:
    return [
        escaped(row["work"]), f"{row['peer']} {row['peer version']}", f"{row['ours s']:.3g}", f"{row['peer s']:.3g}",
        f"{row['ratio']:.3g}", f"{row['quality ours']:.4g} and {row['quality peer']:.4g}",
        f"{row['peak MiB ours']:.0f} and {row['peak MiB peer']:.0f}",
    ]  # fmt: skip


def _ranking(row: dict[str, Any]) -> list[str]:
    """Ranks and scores of several sides over many tables."""
    ranks, scores = (", ".join(f"{who} {value:.4g}" for who, value in row[key].items())
                     for key in ("mean rank", "mean accuracy"))  # fmt: skip
    return [escaped(row["work"]), ranks, scores]


def _by_table(row: dict[str, Any]) -> str:
    """The scores on every table, folded."""
    header = ["Table", *row["mean rank"]]
    body = [[escaped(name), *(f"{score:.4g}" for score in scores)] for name, scores in row["by table"].items()]
    return folded(escaped(row["work"].partition(",")[0]) + ": every table", table(header, body)) + "\n"


def _memory(row: dict[str, Any]) -> list[str]:
    """Peaks beside a peer's, or over sizes, where the ratio is that of the last to the first."""
    if "peer" in row:
        peaks, ratio = [row["peak MiB ours"], row["peak MiB peer"]], row["ratio"]
        against = row["peer"]
    else:
        peaks, ratio, against = row["peak MiB"], row["growth"], _sizes(row)
    return [escaped(row["work"]), against, ", ".join(f"{peak:.0f}" for peak in peaks), f"{ratio:.3g}"]


def _sizes(row: dict[str, Any]) -> str:
    return ", ".join(f"{size:_}".replace("_", " ") for size in row["sizes"])


def _scaling(row: dict[str, Any]) -> list[str]:
    seconds = ", ".join(f"{value:.3g}" for value in row["seconds"])
    peaks = ", ".join(f"{peak:.0f}" for peak in row.get("peak MiB", []))  # not measured in older records
    qualities = ", ".join(f"{quality:.3g}" for quality in row.get("quality", []))
    return [escaped(row["work"]), _sizes(row), seconds, f"{row['slope']:.2f}", peaks, qualities]
