"""The data home: where real data files lie, and the check that they are the right ones."""

import hashlib
import os
import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from treatise._core.errors import DataNotFoundError, TreatiseError


def data_home() -> Path:
    """The folder of real data: ``TREATISE_DATA`` if set, else the user's data folder."""
    named = os.environ.get("TREATISE_DATA")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("treatise", appauthor=False))


@lru_cache(maxsize=1)
def known_files() -> dict[str, dict[str, Any]]:
    """Every file a loader reads: its SHA-256, where it comes from, its licence, and what a table's reader must know."""
    return tomllib.loads((files(__package__) / "files.toml").read_text(encoding="utf-8"))


def locate(name: str) -> Path:
    """Path of a known data file, after its SHA-256 was verified.

    Parameters
    ----------
    name : str
        Path inside the data home, such as ``"ranking/Halo2-HeadToHead.objml.gz"``.
    """
    if name not in known_files():
        raise TreatiseError(f"{name!r} is no known data file; the known ones: {', '.join(sorted(known_files()))}")
    known, path = known_files()[name], data_home() / name
    if not path.is_file():
        raise DataNotFoundError(
            f"{name} is absent: get it from {known['source']} and put it at {path} (the folder is set by TREATISE_DATA)"
        )
    if _sha256(path, path.stat().st_mtime_ns) != known["sha256"]:
        raise DataNotFoundError(f"{path} is not the expected file (its SHA-256 differs); get it from {known['source']}")
    return path


@lru_cache(maxsize=256)
def _sha256(path: Path, modified: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
