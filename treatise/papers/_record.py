"""What was seen last: values of rows with a gap, beside the experiments, and whole outcomes for the site."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treatise._core.files import held, replacing
from treatise._core.version import __version__
from treatise.papers._evidence import Row, Value, Verdict

if TYPE_CHECKING:
    from treatise.papers._reproduce import Reproduction

PACKAGE = Path(str(files(__package__)))
LAST_SEEN = PACKAGE / "last_seen.json"


def size_name(full: bool) -> str:
    """The word for an experiment's size in records."""
    return "full" if full else "quick"


def last_seen(paper: str, full: bool) -> dict[str, Value]:
    """Values of the paper's rows that are known not to be reached, by quantity, at this size."""
    return _read(LAST_SEEN).get(paper, {}).get(size_name(full), {})


def record_last_seen(paper: str, full: bool, rows: list[Row]) -> None:
    """Keep the values of the rows that have a gap and are not reached; what is reached is dropped."""
    values = {row.quantity: row.here for row in rows if row.gap and row.verdict is not Verdict.REACHED}
    with _changed(LAST_SEEN) as book:
        sizes = {**book.get(paper, {}), size_name(full): values}
        book[paper] = {size: kept for size, kept in sizes.items() if kept}


def record_outcome(path: Path, outcome: "Reproduction") -> None:
    """Put an outcome into the site's record, with its date and version; other papers and sizes stay."""
    from treatise.datasets import data_home  # Late: listing papers need not wait for what reads data.

    stamp = {"date": datetime.now(UTC).date().isoformat(), "version": version()}
    # What the data home is called on this machine is nobody else's.
    skipped = [part.replace(str(data_home()), "the data home") for part in outcome.skipped]
    plain = {**outcome.plain(), "skipped": skipped, "figure": None}
    with _changed(path) as book:
        book[outcome.paper] = {**book.get(outcome.paper, {}), size_name(outcome.full): {**stamp, **plain}}


def version() -> str:
    """The library's version, and the commit where it runs from a checkout, with "-dirty" where code was changed."""
    root = PACKAGE.parent.parent
    if not (root / ".git").exists():
        return __version__
    # A recording writes here itself: that changes nothing of what a later one runs.
    code = [":(exclude)docs", ":(exclude)treatise/papers/last_seen.json"]
    try:
        commit = _git(root, "rev-parse", "--short", "HEAD")
        dirty = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *code)
    except (OSError, subprocess.CalledProcessError):
        return __version__
    return f"{__version__} ({commit}{'-dirty' if dirty else ''})"


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@contextmanager
def _changed(path: Path) -> Iterator[dict[str, Any]]:
    """What a file holds, to be changed by one process at a time; then the whole file is written, or nothing.

    Its order changes little from one recording to the next.
    """
    with held(path.absolute().parent, what="folder of the record", wait=True):
        book = _read(path)
        yield book
        ordered = {paper: book[paper] for paper in sorted(book) if book[paper]}
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
