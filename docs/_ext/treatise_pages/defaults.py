"""Whether defaults hold: what ``python -m benchmarks defaults --json`` printed into ``defaults.json``."""

import json
from pathlib import Path
from typing import Any

from treatise.catalog import load_catalogue
from treatise_pages.rst import escaped, folded, reference, table

NOTHING = "Nothing has been recorded in this copy of the site; the next build shows what ``make defaults`` records.\n"


def pages(docs: Path) -> dict[str, str]:
    path = docs / "defaults.json"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = [json.loads(line) for line in lines if line.strip()]
    return {"_generated/defaults.inc": _page(found) if found else NOTHING}


def _page(found: list[dict[str, Any]]) -> str:
    paths = {entry.name: entry.path for paper in load_catalogue() for entry in paper.estimators}
    found = [one for one in found if one["estimator"] in paths]
    holding = sum(one["holds"] for one in found)
    tables = list(dict.fromkeys(row["table"] for one in found for row in one["tables"]))
    text = f"**{holding} of {len(found)} defaults hold.** Those that do not come first. Recorded on "
    text += f"{len(tables)} tables: {escaped(', '.join(tables))}.\n\n"
    rows = [_estimator(one, paths[one["estimator"]]) for one in sorted(found, key=lambda one: one["holds"])]
    text += table(["Estimator", "Its default", "Where it loses, and to which setting"], rows, widths="22 30 48") + "\n"
    header = ["Estimator", "Table", "Default", "Best setting", "Scikit-learn"]
    every = [_scores(row) for one in found for row in one["tables"]]
    return text + folded("All scores", table(header, every, widths="24 28 12 12 24"))


def _estimator(one: dict[str, Any], path: str) -> list[str]:
    where = "\n".join(_loss(row) for row in one["tables"] if row["loses"])
    return [reference(path), escaped(one["verdict"]), where]


def _loss(row: dict[str, Any]) -> str:
    default = _score(row["default"]) or "it fails"
    return f"- {escaped(row['table'])}: {default}, and {_score(row['best'])} with ``{_setting(row['setting'])}``"


def _scores(row: dict[str, Any]) -> list[str]:
    beside = f"{_score(row['obvious'])} ({row['beside']})" if row["beside"] else ""
    why = f"{_score(row['default'])} {escaped(row['why'])}".strip() if row["why"] else _score(row["default"])
    return [row["estimator"], f"{escaped(row['table'])} ({row['what']})", why, _score(row["best"]), beside]


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"


def _setting(setting: dict[str, Any]) -> str:
    """As a person writes it in a call."""
    shown = (f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v!r}" for k, v in setting.items())
    return ", ".join(shown) or "its default"
