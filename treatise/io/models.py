"""Model files: a fitted estimator saved so that loading it runs no code from the file."""

import io
import json
import os
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import skops.io

from treatise._core.version import __version__


@dataclass(frozen=True)
class ModelFile:
    """What a model file held."""

    model: Any
    metadata: dict[str, Any] = field(default_factory=dict)
    version: str = __version__


def save_model(model: Any, path: str | os.PathLike[str], *, metadata: dict[str, Any] | None = None) -> None:
    """Save a fitted estimator."""
    buffer = io.BytesIO(skops.io.dumps(model))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("treatise.json", json.dumps({"treatise": __version__, "format": 1, "metadata": metadata or {}}))
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as stream:
        stream.write(buffer.getvalue())
    os.replace(temporary, path)


def load_model(path: str | os.PathLike[str]) -> ModelFile:
    """Load a fitted estimator."""
    data = Path(path).read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        about = json.loads(archive.read("treatise.json"))
    names = [name for name in skops.io.get_untrusted_types(data=data) if name.startswith(("treatise.", "sklearn."))]
    return ModelFile(skops.io.loads(data, trusted=names), about["metadata"], about["treatise"])
