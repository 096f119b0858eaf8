"""The real data files as a collection: what each is, who uses it, and whether it is here."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from treatise._core.errors import TreatiseError
from treatise.datasets._home import data_home, is_right, known_files


@dataclass(frozen=True)
class DataFile:
    """A real data file that experiments read.

    Parameters
    ----------
    name : str
        Its path inside the data home.
    source, licence : str
        Where it comes from, and on what terms.
    size : int
        Its bytes.
    papers : tuple of str
        Ids of the papers whose experiments read it; none where only tests, examples and benchmarks do.
    address : str or None
        Where this very file can be downloaded, its revision included; None where no public address is known.
    content : str or None
        SHA-256 of what the file holds packed, where it lies at its address unpacked.
    sha256 : str or None
        Its SHA-256, where one is stated.
    """

    name: str
    source: str
    licence: str
    size: int
    papers: tuple[str, ...] = ()
    address: str | None = None
    content: str | None = None
    sha256: str | None = None

    @property
    def path(self) -> Path:
        """Where it lies, or belongs."""
        return data_home() / self.name

    @property
    def is_here(self) -> bool:
        """Whether a file lies there; loaders verify that it is the right one."""
        return self.path.is_file()

    @property
    def is_verified(self) -> bool:
        """Whether the right file lies there: it is read for that."""
        return self.is_here and is_right(self.name, self.path)


def data_files(*words: str) -> list[DataFile]:
    """The files that are meant by papers' ids, names of files or folders, or ``"all"``; all without a word.

    Parameters
    ----------
    *words : str
        Such as ``"v15-0059"``, ``"features/arcene.mat"`` or ``"keel"``.

    Returns
    -------
    list of DataFile
        By name.

    Examples
    --------
    >>> from treatise.datasets import data_files
    >>> [file.name for file in data_files("v05-1457")]
    ['images/ORL.mat']
    """
    everything = [_file(name) for name in sorted(known_files())]
    if not words or "all" in words:
        return everything
    for word in words:
        if not any(_is_meant(file, [word]) for file in everything):
            raise TreatiseError(_unknown(word, everything))
    return [file for file in everything if _is_meant(file, words)]


def _is_meant(file: DataFile, words: Sequence[str]) -> bool:
    own = {file.name, file.name.partition("/")[0], *file.papers}
    return any(word.rstrip("/") in own for word in words)


def _unknown(word: str, files: Sequence[DataFile]) -> str:
    names = sorted({paper for file in files for paper in file.papers} | {file.name for file in files})
    close = get_close_matches(word, names, 3)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "`treatise data` lists them by paper"
    return f"no data file or paper with data files is called {word!r}; {hint}"


def _file(name: str) -> DataFile:
    known = known_files()[name]
    told = {key: known[key] for key in ("address", "content", "sha256") if key in known}
    return DataFile(name, known["source"], known["licence"], known["size"], tuple(known.get("papers", ())), **told)
