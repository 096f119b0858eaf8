"""Sequences of amounts without a target: which groups they fall into, if any."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate, all_candidates
from treatise.compare.groups import COUNTS, SUMMARIES, Grouped, GroupedSequences
from treatise.compare.inputs.base import Request, written_usage
from treatise.compare.inputs.columns import useless
from treatise.compare.inputs.encoding.bags import bags_of_rows, rows_of_bags, sizes_of
from treatise.compare.inputs.encoding.pipeline import Scale
from treatise.compare.inputs.encoding.sequences import SequenceEncoder, summaries_of
from treatise.compare.inputs.groups import FEWEST_ROWS, TASK, GroupsInput, refuse_other_wishes
from treatise.compare.inputs.rows import digest_of_rows
from treatise.compare.inputs.sequence_tables import distinct_sequences, rows_of_sequences
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.table import as_table
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.report.record import DataRecord, Fact, ModelUse

SEQUENCE_TASK = "cluster-sequences"
"""The catalogue's name for grouping sequences rather than rows."""
SHORTEST = 2


@dataclass(frozen=True)
class SequenceGroupsInput(GroupsInput):
    """A table with a row for each position of sequences that are to be grouped; ``sequence`` tells them apart.

    ``X`` has a row for each sequence and in every cell a list, with an item for each position in the order of the
    table. So folds, measures and samples are of sequences.
    """

    kind: ClassVar[str] = "groups of sequences"
    wishes: ClassVar[frozenset[str]] = frozenset()
    thing: ClassVar[str] = "sequence"
    sequence: str = ""

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Where groups are asked for and a column tells sequences apart."""
        return request.task == TASK and request.group is not None

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a :class:`Table` or a data frame."""
        refuse_other_wishes(request)
        assert request.group is not None
        table, source = as_table(request.source, request.header)
        if table.matrix is not None:
            raise TreatiseError("LIBSVM text does not say where sequences end; give a table of named columns")
        by = table.column(request.group)
        numbers = rows_of_sequences(table.frame, by)
        asides = {name: why for name, why in table.asides.items() if name != by}
        if table.target not in (None, by) and table.target in table.frame.columns:
            asides[str(table.target)] = "is what the table names as its target; groups are found without it"
        positions, dropped = _amounts(table.frame.drop(by, *asides), numbers)
        dropped = [*asides.items(), *dropped]
        if positions.width == 0:
            why = f" ({dropped[0][0]!r}: it {dropped[0][1]})" if dropped else ""
            raise TreatiseError(f"no column of amounts is left to group the sequences by{why}")
        X = bags_of_rows(positions, numbers)
        _refuse_few_or_short(X, table.frame[by], numbers)
        kinds, words = distinct_sequences(positions, numbers)
        sizes = sizes_of(X)
        notes = [*table.notes, f"sequences of {sizes.min():,} to {sizes.max():,} positions, in the order of the table"]
        gaps = sum(column.null_count() + column.is_nan().sum() for column in positions.iter_columns())
        if gaps:
            notes.append(f"{gaps:,} gaps take the value before them in their sequence")
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return cls(
            name=table.name, source=source, target="", task=TASK, X=X, y=np.zeros(X.height, dtype=bool),
            groups=np.unique(kinds[starts], return_inverse=True)[1] if words else None, dropped=dropped,
            notes=notes + words, table_columns=tuple(table.frame.columns), sequence=by,
        )  # fmt: skip

    # ------------------------------------------------------------------ describing

    @cached_property
    def positions(self) -> pl.DataFrame:
        """The rows of all sequences."""
        return rows_of_bags(self.X)

    @property
    def described(self) -> pl.DataFrame | None:
        """The columns of the positions."""
        return self.positions

    @cached_property
    def width(self) -> int:
        """Columns of a sequence."""
        return self.X.width

    @cached_property
    def sha256(self) -> str:
        """Of the file, or of the positions and the lengths of the sequences."""
        if Path(self.source).is_file():
            return super().sha256
        owner = pl.Series("\0sequence", np.repeat(np.arange(self.n_rows), sizes_of(self.X)))
        return digest_of_rows(self.positions.with_columns(owner), self.y)

    def identity(self) -> dict[str, Any]:
        """The content, and the column that tells sequences apart."""
        return super().identity() | {"group": self.sequence}

    def options(self) -> dict[str, Any]:
        """The task, and that column."""
        return super().options() | {"group": self.sequence}

    def describe(self) -> DataRecord:
        """The sequences, their positions and columns."""
        about, columns = super().describe(), self.X.width
        named = f"{columns:,} column{'s' * (columns != 1)}"
        size = f"{self.n_rows:,} sequences of {self.positions.height:,} positions"
        return replace(
            about,
            size=f"{size}, {about.size.partition(', ')[2]}",
            question=f"no target: groups of the sequences that {self.sequence!r} tells apart",
            purpose=f"Groups among {self.n_rows:,} sequences by {named}",
            facts=(
                Fact("Sequences", f"{self.n_rows:,}", f"told apart by {self.sequence}"),
                Fact("Positions", f"{self.positions.height:,}"),
                *about.facts[1:-1],
                Fact("Task", "groups of sequences, without a target"),
            ),
        )

    # ------------------------------------------------------------------ methods

    def candidates(self) -> list[Candidate]:
        """Methods of sequences, and the usual clusterers of rows, which see what sums up each sequence."""
        usual = [each for each in all_candidates(TASK) if each.baseline]
        return all_candidates(SEQUENCE_TASK) + usual

    def columns_for(self, candidate: Candidate) -> int:
        """Columns that a method is given."""
        return self.width if _takes_sequences(candidate) else len(SUMMARIES) * self.width

    def rows_learned(self, candidate: Candidate, rows: int) -> int:
        """Positions of so many sequences for a method of sequences; a row for each else."""
        return rows * self.positions.height // self.n_rows if _takes_sequences(candidate) else rows

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """Columns of like scale without gaps; the method of sequences, or one of rows on what sums up each."""
        sequences = _takes_sequences(candidate)
        counts = GroupedSequences.counts if sequences else COUNTS
        counted = not any(count in params for count in counts)
        method = candidate.method(seed).set_params(**params)
        grouped = (GroupedSequences if sequences else Grouped)(method, count=counted, random_state=seed)
        scale = [] if sequences else [("scale", Scale())]
        return Pipeline([("table", SequenceEncoder(summary=not sequences)), *scale, ("method", grouped)])

    def log_density(self, model: Pipeline, X: Any) -> np.ndarray | None:
        """Of each sequence, for a position; None for methods that see what sums it up, whose density is another."""
        return super().log_density(model, X) if isinstance(model[-1], GroupedSequences) else None

    def as_points(self, model: Pipeline, X: Any) -> np.ndarray:
        """What sums up each sequence, as the scale of the columns has it."""
        return summaries_of(X, model[0].sequences(X)).to_numpy()

    def as_traits(self, X: pl.DataFrame) -> pl.DataFrame:
        """What sums up each sequence, in the columns' own units."""
        plain = SequenceEncoder().fit(X)
        sequences = [sequence * plain.scales_ + plain.means_ for sequence in plain.sequences(X)]
        return summaries_of(X, sequences)

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """The columns that the model reads, and the one that tells sequences apart."""
        return super().metadata(candidate) | {"sequence": self.sequence}

    def usage(self, model: str) -> ModelUse:
        """Sequences from a CSV file."""
        lines = [
            "from treatise.compare import predict_sequence_groups",
            "from treatise.io import load_model, read_table",
            "",
            "model = load_model(MODEL)",
            'print(predict_sequence_groups(model, read_table("new.csv")))',
        ]
        return written_usage(lines, "treatise predict MODEL new.csv -o out.csv", model)

    @classmethod
    def predict(
        cls, model: ModelFile, source: str, *, header: bool | None = None, keep: Sequence[str] = ()
    ) -> Iterator[Part]:
        """A table with the group of each sequence."""
        yield TablePart(predict_sequence_groups(model, load_table(source, header=header)))

    @classmethod
    def answer(
        cls, model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None
    ) -> pl.DataFrame:
        """The same for a table in memory."""
        if threshold is not None or keep:
            raise TreatiseError("this model finds groups of sequences; it takes no threshold and keeps no columns")
        return predict_sequence_groups(model, table)


def predict_sequence_groups(model: ModelFile, table: Table) -> pl.DataFrame:
    """The group of each sequence of a table.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare --task cluster --group COL``.
    table : Table
        As read from a file, with a row for each position, and the columns that the model was fitted with.

    Returns
    -------
    polars.DataFrame
        A row for each sequence, as the column that tells them apart names it; ``group`` counts from 1, the largest
        first, and 0 is for sequences that belong to none.
    """
    about, frame = model.metadata, table.frame
    absent = [name for name in (about["sequence"], *about["columns"]) if name not in frame.columns]
    if absent:
        raise TreatiseError(f"{table.name} lacks the column {absent[0]!r} that the model was fitted with")
    if frame.height == 0:
        raise TreatiseError(f"{table.name} has no row, and so no sequence to put into a group")
    for name in about["columns"]:
        if not frame[name].dtype.is_numeric():
            raise TreatiseError(f"{table.name}: {name!r} holds {frame[name][0]!r}, and the model knows numbers there")
    numbers = rows_of_sequences(frame, about["sequence"])
    X = bags_of_rows(frame.select(about["columns"]), numbers)
    names = frame[about["sequence"]][np.unique(numbers, return_index=True)[1]]
    groups = pl.Series("group", np.asarray(model.model.predict(X), dtype=np.int64))
    return pl.DataFrame([names.alias(about["sequence"] if about["sequence"] != "group" else "sequence"), groups])


def _takes_sequences(candidate: Candidate) -> bool:
    return SEQUENCE_TASK in candidate.compare.tasks


def _amounts(frame: pl.DataFrame, numbers: np.ndarray) -> tuple[pl.DataFrame, list[tuple[str, str]]]:
    """The columns of amounts that show something, and why the others are left out."""
    kept, dropped = [], []
    for column in frame.iter_columns():
        if not column.dtype.is_numeric():
            dropped.append((column.name, "holds no numbers, which groups of sequences are found by"))
        elif (reason := useless(column, plain=True)) is not None:
            dropped.append((column.name, reason))
        elif _is_clock(column, numbers):
            dropped.append((column.name, "only rises in every sequence, as a clock does"))
        else:
            kept.append(column.cast(pl.Float64))
    return pl.DataFrame(kept), dropped


def _is_clock(column: pl.Series, numbers: np.ndarray) -> bool:
    values = column.cast(pl.Float64).to_numpy()
    within = np.diff(numbers) == 0
    return bool(within.any() and (np.diff(values)[within] > 0).all())


def _refuse_few_or_short(X: pl.DataFrame, names: pl.Series, numbers: np.ndarray) -> None:
    if X.height < FEWEST_ROWS:
        raise TreatiseError(f"{X.height} sequences are too few to look for groups in; give at least {FEWEST_ROWS}")
    sizes = sizes_of(X)
    if sizes.min() < SHORTEST:
        short = names[int(np.flatnonzero(numbers == np.argmin(sizes))[0])]
        raise TreatiseError(
            f"sequence {short!r} has {sizes.min()} position; one needs {SHORTEST} at least (--group names the "
            "column that tells sequences apart)"
        )
