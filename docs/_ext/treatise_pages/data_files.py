"""The real data files that loaders read, from ``treatise/datasets/files.toml``."""

from pathlib import Path

from treatise.cli._data import NO_ADDRESS, in_bytes
from treatise.datasets import DataFile, data_files
from treatise_pages.rst import escaped, table


def pages(docs: Path) -> dict[str, str]:
    header = ["File, below the data home", "Papers", "Size", "Where it comes from", "Licence"]
    rows = [_row(file) for file in data_files()]
    return {"_generated/data_files.inc": table(header, rows, widths="28 16 10 32 14")}


def _row(file: DataFile) -> list[str]:
    address = f"`this file <{file.address}>`__" if file.address else NO_ADDRESS
    source = f"{escaped(file.source)}: {address}"
    return [f"``{file.name}``", ", ".join(file.papers), in_bytes(file.size), source, escaped(file.licence)]
