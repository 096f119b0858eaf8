"""Downloads into the data home: from a stated address, going on where one broke off, verified before use."""

import gzip
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from importlib import import_module
from logging import ERROR, Logger
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from treatise._core.errors import TreatiseError
from treatise._core.files import held, is_of_a_full_disk, move, replacing, telling
from treatise.datasets._collection import DataFile
from treatise.datasets._home import data_home, is_right, lock

ATTEMPTS = 4
SILENCE = 30.0
"""Seconds without a byte after which a server is taken to be gone."""
CHUNK = 1 << 16
PACKED, PARTIAL, PAST_THE_END = ".gz", 206, 416


def download(file: DataFile, tell: Callable[[int], None] = lambda received: None) -> Path:
    """Download a file into the data home and verify its checksum; one that broke off goes on where it was.

    Parameters
    ----------
    file : DataFile
        As :func:`data_files` gives it, with an address.
    tell : callable
        Hears how many bytes have been received.

    Returns
    -------
    path
        Where the file lies now.
    """
    if file.address is None:
        raise TreatiseError(
            f"no public address of {file.name} is known; get it from {file.source} and put it at {file.path}"
        )
    pooch = _pooch()
    with telling(f"{file.path.parent} cannot be written"):
        file.path.parent.mkdir(parents=True, exist_ok=True)
    # Two downloads of one file would write to one unfinished file.
    with held(data_home(), what="data folder", wait=True):
        _fetch(file, pooch, tell)
    if file.sha256 is None and file.content is None:
        lock(file.name, file.path)
    elif not is_right(file.name, file.path):
        file.path.unlink()
        raise TreatiseError(_not_the_same(file))
    return file.path


def _fetch(file: DataFile, pooch: Any, tell: Callable[[int], None]) -> None:
    """Bring the file to its place, verified as far as its checksum is stated."""
    assert file.address is not None
    packs = file.name.endswith(PACKED) and not file.address.endswith(PACKED)
    unpacks = file.address.endswith(PACKED) and not file.name.endswith(PACKED)
    arrived = file.path.with_name(f"{file.path.name}.arrived")
    try:
        with _silent(pooch.get_logger()):
            pooch.retrieve(
                file.address,
                known_hash=_hash(file.content if packs else None if unpacks else file.sha256),
                fname=arrived.name,
                path=arrived.parent,
                downloader=Resuming(file.path.with_name(f"{file.path.name}.part"), tell),
            )
        _put(arrived, file.path, packs, unpacks)
    except ValueError as wrong:
        raise TreatiseError(_not_the_same(file)) from wrong
    finally:
        arrived.unlink(missing_ok=True)


class Resuming:
    """A downloader for pooch whose unfinished file outlives it, so that the next one goes on at its end."""

    def __init__(self, part: Path, tell: Callable[[int], None]) -> None:
        self._part, self._tell = part, tell

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        """Download to ``output_file``, asking again where the connection breaks off."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._receive(url)
            except (HTTPException, OSError) as error:
                if is_of_a_full_disk(error):
                    raise TreatiseError(f"{self._part} cannot be written ({error.strerror})") from error
                if attempt == ATTEMPTS or (isinstance(error, HTTPError) and error.code != PAST_THE_END):
                    raise TreatiseError(self._broken(url, error)) from error
            else:
                break
        shutil.move(self._part, output_file)

    def _receive(self, url: str) -> None:
        have = self._part.stat().st_size if self._part.exists() else 0
        request = Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        try:
            answer = urlopen(request, timeout=SILENCE)
        except HTTPError as error:
            if error.code == PAST_THE_END:  # what is here is no beginning of what is there
                self._part.unlink()
            raise
        with answer, self._part.open("ab" if answer.status == PARTIAL else "wb") as stream:
            received, expected = stream.tell(), answer.length
            while chunk := answer.read(CHUNK):
                stream.write(chunk)
                self._tell(stream.tell())
            if expected is not None and stream.tell() - received < expected:
                raise ConnectionError(f"{expected - stream.tell() + received} bytes did not come")

    def _broken(self, url: str, error: Exception) -> str:
        if isinstance(error, HTTPError):
            return f"{url} answers {error.code} ({error.reason})"
        size = self._part.stat().st_size if self._part.exists() else 0
        again = f"; {size:,} bytes are kept, the same command goes on from there" if size else ""
        return f"{url} could not be read ({getattr(error, 'reason', error)}){again}"


def _put(arrived: Path, path: Path, packs: bool, unpacks: bool) -> None:
    """Bring what arrived into the form that loaders read."""
    if packs:
        with replacing(path) as temporary:
            temporary.write_bytes(gzip.compress(arrived.read_bytes(), mtime=0))
    elif unpacks:
        try:
            content = gzip.decompress(arrived.read_bytes())
        except (OSError, EOFError) as error:
            raise ValueError("no gzip file") from error
        with replacing(path) as temporary:
            temporary.write_bytes(content)
    else:
        move(arrived, path)


def _hash(sha256: str | None) -> str | None:
    return None if sha256 is None else f"sha256:{sha256}"


def _not_the_same(file: DataFile) -> str:
    return f"what lies at {file.address} is not the file that {file.name} was (its SHA-256 differs); nothing was kept"


def _pooch() -> Any:
    try:
        return import_module("pooch")
    except ImportError:
        raise TreatiseError("downloads need the package pooch, which is absent: pip install 'treatise[data]'") from None


@contextmanager
def _silent(logger: Logger) -> Iterator[None]:
    """Keep pooch from telling what we tell ourselves."""
    level = logger.level
    logger.setLevel(ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
