"""The real data files that loaders read, from ``treatise/datasets/files.toml``."""

from pathlib import Path

from treatise.datasets._home import known_files
from treatise_pages.rst import escaped, table


def pages(docs: Path) -> dict[str, str]:
    rows = [
        [f"``{name}``", escaped(file["source"]), escaped(file["licence"]), f"``{file['sha256'][:12]}…``"]
        for name, file in known_files().items()
    ]
    header = ["File, below the data home", "Where it comes from", "Licence", "SHA-256"]
    return {"_generated/data_files.inc": table(header, rows, widths="32 38 15 15")}
