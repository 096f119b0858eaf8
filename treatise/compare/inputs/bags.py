"""A table whose rows belong to bags: a column says to which, and a bag has one label."""

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
from treatise.compare.inputs.answers import Score, answers, score_table
from treatise.compare.inputs.base import Columns, Request, written_usage
from treatise.compare.inputs.columns import kind_of, width_of
from treatise.compare.inputs.encoding.bags import BagEncoder, bags_of_rows, rows_of_bags, sizes_of
from treatise.compare.inputs.encoding.pipeline import Scale
from treatise.compare.inputs.rows import Judging, RowsInput, digest_of_rows
from treatise.compare.inputs.sequence_tables import check_number
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.table import as_table, model_columns, named_target, understood, written_columns
from treatise.compare.inputs.target import is_nan
from treatise.compare.own_metric import OwnMetric
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.report.record import DataRecord, Fact, ModelUse

SUMMARIES = 3
"""Numbers that methods of rows see of a column in a bag: the mean, the least and the largest."""


@dataclass(frozen=True)
class BagsInput(RowsInput):
    """A table with a column that tells bags apart, and one with the label of each bag.

    ``X`` has a row for each bag and in every cell a list, with an item for each of the bag's rows; ``y`` holds the
    bags' labels. So folds, measures and samples are of bags. ``bag`` names the column.
    """

    kind: ClassVar[str] = "bags"
    wishes: ClassVar[frozenset[str]] = frozenset({"threshold", "score"})
    bag: str = ""

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Where a column of bags is named."""
        return request.bag is not None

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a :class:`Table` or a data frame."""
        _refuse_other_wishes(request)
        table, source = as_table(request.source, request.header)
        if table.matrix is not None:
            raise TreatiseError("LIBSVM text has no column of bags; give bags as a table of named columns")
        bag, target = table.column(_named(request.bag)), table.column(named_target(table, request.target))
        if bag == target:
            raise TreatiseError(f"{bag!r} cannot both tell the bags apart and be the target; name two columns")
        table, notes = _labelled(table, bag, target)
        numbers, _ = _numbered(table.frame[bag])
        alone = replace(table, frame=table.frame.drop(bag))
        found = understood(alone, target, request.task, copies=False)
        if found["task"] == "regression":
            raise TreatiseError(f"the target {target!r} holds amounts; methods of bags tell classes apart")
        rows, y = found["X"], found["y"]
        empty = _empty(rows)
        _refuse_empty(table.frame[bag], numbers, empty)
        if empty.any():
            notes.append(f"{int(empty.sum())} rows without a value in any column are left out of their bags")
        first = np.unique(numbers, return_index=True)[1]
        X = bags_of_rows(rows.filter(~empty), numbers[~empty])
        check_number(source, len(first), "bag")
        sizes = sizes_of(X)
        groups, words = _copies(X)
        # What is said of rows is said of the rows of all bags; rare classes are told by bags.
        notes = [*found["notes"], *notes, _said(sizes), *words]
        found |= {
            "X": X, "y": y[first], "groups": groups, "notes": notes, "table_columns": tuple(table.frame.columns),
            "unlabelled": None,
        }  # fmt: skip
        given = cls(**found, source=source, bag=bag)
        if request.own is not None:
            request.own.tried(given.y, given.classes)
        return replace(given, judging=Judging(given.positive, request.threshold, request.own))

    # ------------------------------------------------------------------ describing

    @cached_property
    def instances(self) -> pl.DataFrame:
        """The rows of all bags."""
        return rows_of_bags(self.X)

    @cached_property
    def width(self) -> int:
        """Columns of an encoded row."""
        return width_of(self.instances)

    @cached_property
    def holds_words(self) -> bool:
        """Whether a column holds free text."""
        return any(kind_of(column) == "text" for column in self.instances.iter_columns())

    @cached_property
    def sha256(self) -> str:
        """Of the file, or of the rows and the sizes of the bags."""
        if Path(self.source).is_file():
            return super().sha256
        sized = self.instances.with_columns(pl.Series("\0bag", np.repeat(np.arange(self.n_rows), sizes_of(self.X))))
        return digest_of_rows(sized, self.y)

    def identity(self) -> dict[str, Any]:
        """The content, the target, and the column of bags."""
        return super().identity() | {"bag": self.bag}

    def options(self) -> dict[str, Any]:
        """The target, the task and the column of bags."""
        return super().options() | {"bag": self.bag}

    @property
    def task_words(self) -> str:
        """The task as the page names it."""
        return f"{super().task_words} of bags"

    @property
    def described(self) -> pl.DataFrame | None:
        """The columns of the rows."""
        return self.instances

    def describe(self) -> DataRecord:
        """The bags, their rows, columns and classes."""
        about = super().describe()
        rows, bags = f"{self.instances.height:,} rows", f"{self.n_rows:,} bags"
        columns = f"{about.features:,} column{'s' * (about.features != 1)}"
        return replace(
            about,
            size=f"{bags} of {rows}, {about.size.partition(', ')[2]}",
            question=f"target {self.target!r} of each {self.bag!r}: {self.task}",
            purpose=f"Predicting {self.target} of {bags} from {columns} of their {rows}",
            facts=(
                Fact("Bags", f"{self.n_rows:,}", f"told apart by {self.bag}"),
                Fact("Rows", f"{self.instances.height:,}"),
                *about.facts[1:],
            ),
        )

    # ------------------------------------------------------------------ methods

    def candidates(self) -> list[Candidate]:
        """Methods of bags, and the usual choices for rows, which see the mean, least and largest of each column."""
        usual = [each for each in all_candidates(self.task) if each.paper is None and "dense" in each.compare.input]
        return all_candidates(f"{self.task}-bags") + usual

    def columns_for(self, candidate: Candidate) -> int:
        """Columns that a method is given."""
        return self.width if _takes_bags(candidate) else SUMMARIES * self.width

    def rows_learned(self, candidate: Candidate, rows: int) -> int:
        """Rows of so many bags for a method of bags; a row for each bag else."""
        return rows * self.instances.height // self.n_rows if _takes_bags(candidate) else rows

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """Numbers for text and gaps of the rows; the method of bags, or a method of rows on what sums up each bag."""
        bags = _takes_bags(candidate)
        steps: list[tuple[str, Any]] = [
            ("table", BagEncoder(summary=not bags, written=dict(self.written), random_state=seed))
        ]
        if not bags and candidate.compare.scaling != "none":
            steps.append(("scale", Scale(candidate.compare.scaling)))
        steps.append(("method", candidate.method(seed)))
        return Pipeline(steps).set_params(**{f"method__{name}": value for name, value in params.items()})

    # ------------------------------------------------------------------ explaining

    def columns(self) -> Columns | None:
        """None: what is shown of columns beside a target is for rows that have one each."""
        return None

    def shuffled(self, X: Any, feature: str, rng: np.random.Generator) -> Any:
        """The bags with the values of one column dealt out anew among all rows."""
        rows = rows_of_bags(X)
        other = rows.with_columns(rows[feature][rng.permutation(rows.height)].alias(feature))
        return bags_of_rows(other, np.repeat(np.arange(X.height), sizes_of(X)))

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """The columns that the model reads, and the one that tells bags apart."""
        return super().metadata(candidate) | {"bag": self.bag}

    def usage(self, model: str) -> ModelUse:
        """Bags from a CSV file."""
        lines = [
            "from treatise.compare import predict_bags",
            "from treatise.io import load_model, read_table",
            "",
            "model = load_model(MODEL)",
            'print(predict_bags(model, read_table("new.csv")))',
        ]
        return written_usage(lines, "treatise predict MODEL new.csv -o out.csv", model)

    @classmethod
    def predict(
        cls, model: ModelFile, source: str, *, header: bool | None = None, threshold: float | None = None
    ) -> Iterator[Part]:
        """A table with a row for each bag: its name, the prediction, and what each class has for it."""
        table = load_table(source, header=header, written=written_columns(model))
        yield TablePart(predict_bags(model, table, threshold=threshold))

    @classmethod
    def answer(
        cls, model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None
    ) -> pl.DataFrame:
        """The same for a table in memory."""
        if keep:
            raise TreatiseError("columns of rows cannot be kept beside predictions of bags")
        return predict_bags(model, table, threshold=threshold)

    @classmethod
    def score_rows(
        cls, model: ModelFile, table: Table, *, threshold: float | None = None, own: OwnMetric | None = None
    ) -> Score:
        """Every measure of the task on a table of labelled bags."""
        bag, target = model.metadata["bag"], model.metadata["target"]
        _refuse_absent(table, bag)
        if target not in table.frame.columns:
            raise TreatiseError(f"{table.name} has no column {target!r} to compare the predictions with")
        labelled, _ = _labelled(table, bag, target)
        X, names, numbers = _bags_for(model, labelled)
        first = np.unique(numbers, return_index=True)[1]
        by_bag = Table(table.name, pl.DataFrame([names, labelled.frame[target][first]]), True, ())
        return score_table(model, by_bag, X, threshold, own)


def predict_bags(model: ModelFile, table: Table, *, threshold: float | None = None) -> pl.DataFrame:
    """What a model of bags says of each bag of a table.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare --bag COL``.
    table : Table
        As read from a file, with the columns that the model was fitted with and the one that tells bags apart.
    threshold : float or None
        The probability from which on a bag is said to be of the rarer of two classes; None takes the model's own.

    Returns
    -------
    polars.DataFrame
        A row for each bag in the order in which the table first names them: its name, the prediction, and the
        probability or score of each class.
    """
    if model.metadata.get("kind") != BagsInput.kind:
        raise TreatiseError("this model predicts no bags; `treatise compare --bag COL` makes one that does")
    X, names, _ = _bags_for(model, table)
    told = answers(model, X, threshold)
    return told.insert_column(0, names) if names.name not in told.columns else told


def _bags_for(model: ModelFile, table: Table) -> tuple[pl.DataFrame, pl.Series, np.ndarray]:
    """Bags of a table as the model reads them, their names, and the number of the bag of each row."""
    bag = model.metadata["bag"]
    _refuse_absent(table, bag)
    numbers, names = _numbered(table.frame[bag])
    rows = model_columns(table, model.metadata)
    empty = _empty(rows)
    _refuse_empty(table.frame[bag], numbers, empty)
    return bags_of_rows(rows.filter(~empty), numbers[~empty]), names, numbers


def _takes_bags(candidate: Candidate) -> bool:
    return any(task.endswith("-bags") for task in candidate.compare.tasks)


def _named(bag: str | None) -> str:
    assert bag is not None, "only a request that names a column of bags is read here"
    return bag


def _refuse_absent(table: Table, bag: str) -> None:
    if bag not in table.frame.columns:
        raise TreatiseError(f"{table.name} lacks the column {bag!r} that tells its bags apart")
    if table.frame.height == 0:
        raise TreatiseError(f"{table.name} has no row to predict")


def _numbered(column: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """Numbers of the bags in the order in which they first appear, and their names."""
    missing = column.is_null().to_numpy() | is_nan(column)
    if missing.any():
        row = int(np.flatnonzero(missing)[0]) + 1
        raise TreatiseError(f"row {row} has no value in {column.name!r}; every row belongs to a bag")
    codes = column.rank("dense").to_numpy()
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[numbers], column[first[order]]


def _labelled(table: Table, bag: str, target: str) -> tuple[Table, list[str]]:
    """The bags that have a label, on all of their rows; a bag with two is refused."""
    numbers, names = _numbered(table.frame[bag])
    labels = table.frame[target]
    there = labels.is_not_null().to_numpy() & ~is_nan(labels)
    if not there.any():
        raise TreatiseError(f"the target {target!r} holds no value at all")
    rows = np.flatnonzero(there)
    codes = labels[rows].rank("dense").to_numpy()
    owners, first = np.unique(numbers[rows], return_index=True)
    label_of = np.full(len(names), -1, np.int64)
    label_of[owners] = first
    differing = np.flatnonzero(codes != codes[label_of[numbers[rows]]])
    if len(differing):
        row = int(differing[0])
        one, other = labels[int(rows[label_of[numbers[rows[row]]]])], labels[int(rows[row])]
        raise TreatiseError(
            f"bag {names[int(numbers[rows[row]])]!r} has two labels in {target!r}, {one!r} and {other!r}; a bag has one"
        )
    known = label_of[numbers] >= 0
    spread = labels[rows[label_of[numbers[known]]]]
    frame = table.frame.filter(known).with_columns(spread.alias(target))
    unknown = int((label_of < 0).sum())
    words = [f"{unknown} bags without a value in {target!r} are left out"] if unknown else []
    return replace(table, frame=frame), words


def _empty(rows: pl.DataFrame) -> np.ndarray:
    """Rows without a value in any column."""
    return rows.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy()


def _refuse_empty(names: pl.Series, numbers: np.ndarray, empty: np.ndarray) -> None:
    """A bag needs a row that says something."""
    filled = np.bincount(numbers, ~empty)
    if (filled == 0).any():
        row = int(np.flatnonzero(numbers == np.argmin(filled))[0])
        raise TreatiseError(f"bag {names[row]!r} is empty: none of its rows has a value in any column; leave it out")


def _copies(X: pl.DataFrame) -> tuple[np.ndarray | None, list[str]]:
    """Numbers of the different bags where some hold the same rows as another, and a word on them."""
    hashes = rows_of_bags(X).hash_rows(seed=0).to_numpy()
    ends = np.cumsum(sizes_of(X))[:-1]
    seen: dict[bytes, int] = {}
    groups = np.array([seen.setdefault(np.sort(part).tobytes(), len(seen)) for part in np.split(hashes, ends)])
    copies = X.height - len(seen)
    if copies == 0 or copies > X.height / 2:
        return None, []
    return groups, [f"{copies} bags hold the same rows as another; such bags stay in the same fold"]


def _said(sizes: np.ndarray) -> str:
    least, most = int(sizes.min()), int(sizes.max())
    rows = f"{least} rows" if least == most else f"{least} to {most} rows"
    return (
        f"{len(sizes)} bags of {rows}: a bag is held out whole, and methods of rows see the mean, the least and the "
        "largest of each column in it"
    )


def _refuse_other_wishes(request: Request) -> None:
    others = {
        "--group": request.group, "--by-time": request.time, "--weight": request.weight, "--time": request.lifetime,
        "--ordered": request.ordered or None,
        "several targets": request.targets or None,
        f"--task {request.task}": request.task if request.task not in (None, "binary", "multiclass") else None,
    }  # fmt: skip
    for option, given in others.items():
        if given is not None:
            raise TreatiseError(f"{option} is not for bags: they have one label each, of two classes or more")
