"""The data home: where real data files lie, and the check that they are the right ones."""

import gzip
import hashlib
import json
import os
import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise._core.files import held, replacing

LOCK = "checksums.json"
"""Name of the file in the data home that keeps the checksums of first downloads."""


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
    command = f"`treatise data get {name}` downloads it, or " if "address" in known else ""
    if not path.is_file():
        raise DataNotFoundError(
            f"{name} is absent: {command}get it from {known['source']} and put it at {path} (the folder is set by "
            "TREATISE_DATA)"
        )
    if not is_right(name, path):
        raise DataNotFoundError(
            f"{path} is not the expected file (its SHA-256 differs); {command}get it from {known['source']}"
        )
    return path


def is_right(name: str, path: Path) -> bool:
    """Whether a file is the known one: its own checksum, or that of what it holds packed, is as stated.

    Packing the same content twice may give different bytes. Of a file without a stated checksum the first download's
    is binding, where there was one.
    """
    known, found = known_files()[name], _sha256(path, path.stat().st_mtime_ns)
    stated = known.get("sha256") or locked().get(name, found)
    return found == stated or ("content" in known and _sha256_unpacked(path) == known["content"])


def locked() -> dict[str, str]:
    """The checksums of first downloads, of files without a stated one."""
    path = data_home() / LOCK
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise TreatiseError(f"{path} is damaged; delete it, and the data files are taken as they are") from None


def lock(name: str, path: Path) -> None:
    """Hold a downloaded file to the checksum that it has now."""
    with held(data_home(), what="data folder", wait=True), replacing(data_home() / LOCK) as temporary:
        checksums = locked() | {name: _sha256(path, path.stat().st_mtime_ns)}
        temporary.write_text(json.dumps(checksums, indent=2), encoding="utf-8")


@lru_cache(maxsize=256)
def _sha256(path: Path, modified: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sha256_unpacked(path: Path) -> str:
    try:
        with gzip.open(path) as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except (OSError, EOFError):
        return "no packed file"
