"""The tables on which defaults are tried: a dozen real ones that differ in what makes defaults fail."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from benchmarks._contest import left_out
from treatise._core.errors import DataNotFoundError
from treatise.compare import understand
from treatise.compare.inputs.table import TableInput
from treatise.datasets import load_prostate_expression, load_table
from treatise.io import Table

GENES = "genes/Prostate-GE.mat"


@dataclass(frozen=True)
class TriedTable:
    """A table, what is hard about it, and the number of the column to predict where it is not its own target."""

    source: str
    what: str
    column: int | None = None

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
    if table.source == GENES:
        return _genes(table.column)
    found = load_table(table.source)
    return understand(found, found.target if table.column is None else table.column)


def _genes(column: int | None) -> TableInput:
    """Every third gene, which keeps the columns below the number from which on a comparison screens them."""
    X, y = load_prostate_expression()
    frame = pl.DataFrame(X[:, ::3], schema=[f"gene_{number}" for number in range(len(X[0, ::3]))])
    if column is None:
        frame = frame.with_columns(tissue=pl.Series(np.where(y == 1, "normal", "tumour")))
    target = "tissue" if column is None else frame.columns[column]
    return understand(Table(GENES, frame, True, ()), target, None if column is None else "regression")
