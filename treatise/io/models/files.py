"""Model files: a fitted estimator on disk, and back, without running code that the file brings.

A model file is a ZIP archive as skops writes it, with one member more, ``treatise.json``, that tells the
version and carries the user's metadata. It is read first, and a file that it does not admit is not opened.
"""

import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise._core.version import __version__
from treatise.io.source import naming, raw_bytes

# Counted up when files name their parts otherwise, as when a class moves to another module.
_FORMAT = 3
_ABOUT, _SCHEMA = "treatise.json", "schema.json"


@dataclass(frozen=True)
class ModelFile:
    """What a model file held.

    Parameters
    ----------
    model : estimator
        The fitted model.
    metadata : dict
        What was saved beside it.
    version : str
        The version of Treatise that wrote the file.
    """

    model: Any
    metadata: dict[str, Any]
    version: str


def save_model(model: Any, path: str | os.PathLike[str], *, metadata: dict[str, Any] | None = None) -> None:
    """Save a fitted estimator to a file that :func:`load_model` reads.

    The file appears whole or not at all. Only types that may be loaded again are saved: Treatise's own
    estimators and scikit-learn's, alone or in pipelines; not functions or classes of your own.

    Parameters
    ----------
    model : estimator
        The fitted model.
    path : str or path
        Where to; the ending ``.skops`` is customary. A file that is there is replaced.
    metadata : dict or None, default=None
        Anything that JSON can hold, kept beside the model.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from treatise.io import load_model, save_model
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.skops")
    ...     save_model(LogisticRegression(max_iter=500).fit(X, y), path, metadata={"target": "species"})
    ...     loaded = load_model(path)
    >>> loaded.model.predict(X[:2]), loaded.metadata
    (array([0, 0]), {'target': 'species'})
    """
    # Loading skops imports all of scikit-learn, which a reader of tables need not wait for.
    import skops.io

    from treatise.io.models.types import refused_types

    path = Path(path)
    about = {"treatise": __version__, "format": _FORMAT, "metadata": metadata or {}}
    try:
        member = json.dumps(about)
    except (TypeError, ValueError, RecursionError) as error:
        raise TreatiseError(f"the metadata cannot be written as JSON ({error})") from None
    name = type(model).__name__
    try:
        data = skops.io.dumps(model)
    # Whatever the model holds tells its own state, and may fail in its own way.
    except Exception as error:
        raise TreatiseError(f"this {name} cannot be saved ({error})") from None
    refused = refused_types(data)
    if refused:
        raise TreatiseError(f"this {name} cannot be saved: it holds {_listed(refused)}, which no model file may")
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(_ABOUT, member)
    with replacing(path) as temporary:
        temporary.write_bytes(buffer.getbuffer())


def load_model(path: str | os.PathLike[str]) -> ModelFile:
    """Load a model that :func:`save_model` wrote.

    Nothing in the file is run: it names types, and only scikit-learn's estimators, the array types that they
    hold and the estimators of the installed Treatise are admitted, before anything is made. Parameters, and the
    indices, lengths and shapes that compiled code follows blindly, are checked. A model from a stranger can still
    predict whatever its author pleased.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ModelFile
        The model, its metadata and the version that wrote it.

    Raises
    ------
    TreatiseError
        Where the file is no model file, is damaged, comes from a Treatise of another format or holds other types.
    """
    path = Path(path)
    with naming(path):
        return _load(raw_bytes(path))


def _load(data: bytes) -> ModelFile:
    about = _about(data)
    # Not at the top: see save_model.
    from treatise.io.models.types import load_admitted

    try:
        model = load_admitted(data, about["treatise"])
    except TreatiseError:
        raise
    # A damaged file can fail anywhere in the making of any type.
    except Exception as error:
        raise TreatiseError(f"the model file is damaged ({type(error).__name__}: {error}); get it again") from None
    return ModelFile(model, about["metadata"], about["treatise"])


def _about(data: bytes) -> dict[str, Any]:
    """The member that tells who wrote the file, after every check that needs no type of the model."""
    if data[:1] == b"\x80" and data[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}:
        raise TreatiseError("this is a pickle, which could run any code; save the model with save_model")
    if not data.startswith(b"PK"):
        raise TreatiseError("this is no model file")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            names = {member.filename for member in members}
            if _ABOUT not in names or _SCHEMA not in names:
                raise TreatiseError("this archive is no model file that save_model wrote")
            # Members are stored as they are, so a small file cannot unfold to fill the memory.
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise TreatiseError("this model file is compressed inside, as save_model never writes one")
            if sum(member.file_size for member in members) > len(data):
                raise TreatiseError("the model file is damaged: its members overlap")
            _refuse_unfolding(archive, len(data))
            _refuse_nesting(json.loads(archive.read(_SCHEMA)))
            about = json.loads(archive.read(_ABOUT))
    except (zipfile.BadZipFile, ValueError, TypeError, EOFError, NotImplementedError, RuntimeError) as error:
        raise TreatiseError(f"the model file is cut short or damaged ({error}); get it again") from None
    if not isinstance(about, dict) or not isinstance(about.get("metadata"), dict):
        raise TreatiseError(f"the model file is damaged: its {_ABOUT} is not what save_model writes")
    version, layout = about.get("treatise"), about.get("format")
    if not isinstance(version, str) or isinstance(layout, bool) or not isinstance(layout, int):
        raise TreatiseError(f"the model file is damaged: its {_ABOUT} tells no version")
    newer = layout > _FORMAT or _release(version) > _release(__version__)
    if newer or layout != _FORMAT:
        raise TreatiseError(
            f"the model was saved by Treatise {version} (format {layout}) and this is {__version__} "
            f"(format {_FORMAT}); {'upgrade Treatise to load it' if newer else 'fit the model again'}"
        )
    return about


def _refuse_unfolding(archive: zipfile.ZipFile, size: int) -> None:
    """Sparse matrices are archives themselves, and compressed; what they unfold to must be in proportion."""
    unfolded = 0
    for name in archive.namelist():
        with archive.open(name) as member:
            if member.read(2) == b"PK":
                member.seek(0)
                with zipfile.ZipFile(member) as inner:
                    unfolded += sum(part.file_size for part in inner.infolist())
    if unfolded > (100 * size) + (64 << 20):
        raise TreatiseError(f"the model file would unfold to {unfolded >> 20} MiB and was not loaded")


def _refuse_nesting(schema: Any) -> None:
    """Parts that a file holds twice are told by their number; what holds others twice that hold others twice, and so
    on, is written in a few lines, and whoever walks over it never ends. A saved model has every part spelt out."""
    held: dict[Any, list[list[Any]]] = {}
    all_of_it: list[Any] = []
    met, waiting = 0, [(schema, all_of_it)]
    while waiting:
        value, parts = waiting.pop()
        if isinstance(value, dict) and "__loader__" in value:
            met += 1
            number = value.get("__id__") or -met
            parts.append(number)
            held.setdefault(number, []).append(parts := [])
        if isinstance(value, dict | list):
            waiting.extend((inner, parts) for inner in (value.values() if isinstance(value, dict) else value))
    sizes: dict[Any, int | None] = {}

    def size(number: Any) -> int:
        """How many parts a walk meets from one on."""
        if number not in sizes:
            sizes[number] = None
            sizes[number] = 1 + max(sum(map(size, parts)) for parts in held[number])
        known = sizes[number]
        if known is None:
            raise TreatiseError("the model file is damaged or forged: a part of it holds itself")
        return known

    if sum(map(size, all_of_it)) > 2 * met + 1000:
        raise TreatiseError("the model file is damaged or forged: its parts hold each other over and over")


def _release(version: str) -> tuple[int, int]:
    """Major and minor number."""
    try:
        major, minor, *_ = version.split(".")
        return int(major), int(minor)
    except ValueError:
        raise TreatiseError(f"the model file is damaged: {version!r} is no version") from None


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
