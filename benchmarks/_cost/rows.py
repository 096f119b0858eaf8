"""The rows that have laws, and writing a law into its line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import treatise
from benchmarks._contest import left_out
from benchmarks._cost.law import as_toml
from treatise.catalog import ComparisonEntry, Cost, load_catalogue, load_entries

LIBRARY = Path(treatise.__file__).parent
BASELINES = ("baselines.toml", "stream_baselines.toml")


@dataclass(frozen=True, eq=False)
class Row:
    """An estimator of a comparison and the file that its laws stand in."""

    file: Path
    path: str
    paper: str
    compare: ComparisonEntry

    @property
    def name(self) -> str:
        """The estimator's bare name."""
        return self.path.rpartition(".")[2]

    @property
    def in_blocks(self) -> bool:
        """Whether its law is that of one pass in blocks."""
        return self.file.name == "stream_baselines.toml"


def all_rows() -> list[Row]:
    """Every estimator that takes part in comparisons and is installed, the baselines last."""
    rows = [
        Row(LIBRARY / paper.family / "papers.toml", entry.path, paper.id, entry.compare)
        for paper in load_catalogue()
        for entry in paper.estimators
        if entry.compare is not None
    ]
    for name in BASELINES:
        file = LIBRARY / "compare" / name
        for entry in load_entries(file):
            if entry.compare and (not entry.requires or find_spec(entry.requires)):
                rows.append(Row(file, entry.path, "", entry.compare))
            elif entry.compare:
                left_out(f"{entry.requires} is not installed: the law of {entry.name} stands as it is")
    return rows


def chosen_rows(names: list[str]) -> list[Row]:
    """The rows of some estimators, by name or path, and of papers, by id; all rows where no name is given."""
    rows = all_rows()
    wanted = {name.lower() for name in names}
    known = {row: {row.name.lower(), row.path.lower(), row.paper} for row in rows}
    for name in sorted(wanted - set().union(*known.values())):
        raise ValueError(f"{name!r} is no estimator of a comparison, and no paper that has one")
    return [row for row in rows if known[row] & wanted] if names else rows


def write_laws(file: Path, path: str, laws: Mapping[str, Cost]) -> None:
    """Put laws into the lines of an estimator's row; every other line stays as it is."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for key, law in laws.items():
        start, end = _comparison_table(lines, path)
        text = f"{key} = {as_toml(law)}\n"
        place = next((i for i in range(start, end) if re.match(rf"{key}\s*=", lines[i])), None)
        if place is None:
            lines.insert(end, text)
        else:
            lines[place] = text
    file.write_text("".join(lines), encoding="utf-8")


def _comparison_table(lines: list[str], path: str) -> tuple[int, int]:
    """First line and end of what an estimator's row says on comparisons."""
    named = [i for i, line in enumerate(lines) if re.match(rf'path\s*=\s*"{re.escape(path)}"', line)]
    if len(named) != 1:
        raise ValueError(f"{path} stands {len(named)} times in the file; once would be right")
    last = next((i for i in range(named[0], len(lines)) if lines[i].startswith("[[")), len(lines))
    headers = [i for i in range(named[0], last) if lines[i].startswith("[")]
    start = next((i + 1 for i in headers if re.match(r"\[(paper\.)?estimator\.compare\]", lines[i])), None)
    if start is None:
        raise ValueError(f"{path} takes no part in comparisons: its row has no table [paper.estimator.compare]")
    end = next((i for i in headers if i >= start), last)
    while end > start and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return start, end
