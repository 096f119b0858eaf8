"""Running a paper's experiment."""

import time
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise._core.files import made_folder, replacing
from treatise.papers._evidence import Evidence, Row
from treatise.papers._record import last_seen, size_name
from treatise.papers._tally import tally


@dataclass(frozen=True)
class Reproduction:
    """The outcome of one paper's experiment."""

    paper: str
    full: bool
    rows: list[Row]
    seconds: float
    figure: str | None
    skipped: list[str]

    @property
    def failed(self) -> bool:
        """Whether a row that should be reached is not, or one has left its band for the worse."""
        return any(row.failed for row in self.rows)

    def plain(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "paper": self.paper, "size": size_name(self.full),
            "counts": {str(kind): asdict(counted) for kind, counted in tally(self.rows).items()},
            "rows": [row.plain() for row in self.rows], "seconds": self.seconds, "figure": self.figure,
            "skipped": self.skipped,
        }  # fmt: skip


def available() -> list[str]:
    """Ids of the papers whose experiment is here."""
    return sorted(_modules())


def _modules() -> dict[str, str]:
    """Module of each paper's experiment: in the folder of its family, a file or a folder named after its id."""
    found = {}
    for family in files(__package__).iterdir():
        if family.is_dir() and not family.name.startswith("_"):
            for item in family.iterdir():
                name = item.name.removesuffix(".py")
                if not name.startswith("_") and (item.is_dir() or name != item.name):
                    found[name.replace("_", "-")] = f"{__package__}.{family.name}.{name}"
    return found


def reproduce(paper: str, *, full: bool = False, folder: Path | None = None) -> Reproduction:
    """Run the experiment of a paper.

    Parameters
    ----------
    paper : str
        Its id, such as ``"v05-1205"``.
    full : bool, default=False
        The paper's own size rather than the quick form that takes seconds.
    folder : path or None, default=None
        Where to save the figure; None draws none to disk.
    """
    start = time.perf_counter()
    evidence = run(paper, full=full)
    seconds = time.perf_counter() - start
    figure = None
    if evidence.figure is not None and folder is not None:
        figure = str(made_folder(folder) / f"{paper}.png")
        with replacing(figure) as temporary:
            evidence.figure.savefig(temporary, dpi=110, bbox_inches="tight", format="png")
    return Reproduction(paper, full, evidence.rows, seconds, figure, evidence.skipped)


def run(paper: str, *, full: bool) -> Evidence:
    """What a paper's experiment finds, its gaps beside the values last seen; nothing where its data are absent."""
    if paper not in available():
        raise TreatiseError(f"no experiment for {paper!r} yet; there is one for: {', '.join(available())}")
    try:
        evidence = import_module(_modules()[paper]).experiment(full=full)
    except DataNotFoundError as missing:
        return Evidence(rows=[], skipped=[str(missing)])
    seen = last_seen(paper, full)
    rows = [replace(row, last_seen=seen.get(row.quantity)) if row.gap else row for row in evidence.rows]
    return replace(evidence, rows=rows)
