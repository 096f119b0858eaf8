"""A file of one JSON object a line, in which a measurement takes the place of the earlier ones of the same name."""

import json
from pathlib import Path
from typing import Any

from treatise._core.files import replacing


def put(path: Path, key: str, rows: list[dict[str, Any]]) -> None:
    """Let some rows stand where those of the same ``key`` stood, or at the end; all others stay as they are."""
    name = rows[0][key]
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = [json.loads(line) for line in lines if line.strip()]
    place = next((at for at, row in enumerate(kept) if row[key] == name), len(kept))
    before, after = ([row for row in part if row[key] != name] for part in (kept[:place], kept[place:]))
    with replacing(path) as temporary:
        temporary.write_text("".join(json.dumps(row) + "\n" for row in [*before, *rows, *after]), encoding="utf-8")
