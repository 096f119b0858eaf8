"""What an input is: the one interface through which a comparison sees whatever a person gives it."""

import json
import pickle
import shlex
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate
from treatise.compare.inputs.served import Served
from treatise.compare.metrics import Predictions, choose_metric, spread_by_parts
from treatise.report.record import (
    CalibrationCurve,
    ConfusionMatrix,
    DataRecord,
    Decision,
    GroupsFound,
    LeaderboardEntry,
    Metric,
    ModelUse,
    Residuals,
    SurvivalCurves,
    TargetScore,
)

if TYPE_CHECKING:
    from treatise.compare.own_metric import OwnMetric

FILE = "input.pickle"
MOST_REPEATS = 10


@dataclass(frozen=True)
class Request:
    """What a person asked for, and the means that reading it may use.

    ``limit`` is the most bytes that the data may take in memory, ``seconds`` the most time that reading may take.
    ``group``, ``time`` and ``weight`` name columns that keep rows together, order them or weigh them. ``threshold``
    says how labels of two classes follow from probabilities, and ``own`` is a measure that the user brings.
    ``targets`` names several columns to predict at once. ``lifetime`` and ``event`` name the columns of survival times
    and of whether they ended with the event; ``ordered`` holds the classes from the lowest to the highest, or says that
    they sort so; ``bag`` names the column that tells bags of rows apart. ``tell`` hears a sentence where something was
    decided before reading begins, and ``earlier`` knows the identity of the data that an earlier sitting of the run in
    a folder had, if there was one.
    """

    source: Any
    target: str | int | None = None
    task: str | None = None
    header: bool | None = None
    group: str | None = None
    output: Path | None = None
    seed: int = 0
    limit: float = inf
    seconds: float = inf
    tell: Callable[[str], None] = lambda sentence: None
    earlier: Callable[[Path], Mapping[str, Any]] = lambda folder: {}
    time: str | None = None
    weight: str | None = None
    threshold: str | float | None = None
    own: "OwnMetric | None" = None
    lifetime: str | None = None
    event: str | None = None
    ordered: Sequence[str] | bool = False
    targets: tuple[str | int, ...] = ()
    bag: str | None = None

    def folder(self, name: str) -> Path:
        """The run's folder for data of a name."""
        safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-") or "table"
        return self.output if self.output is not None else Path(f"{safe}-comparison")


def one_or_several(
    target: str | int | Sequence[str | int] | None, targets: Sequence[str | int] = ()
) -> tuple[str | int | None, tuple[str | int, ...]]:
    """A single target, or several."""
    if target is not None and targets:
        raise TreatiseError("give either a target or several targets, not both")
    if target is None or isinstance(target, str | int):
        named = tuple(targets)
    else:
        named, target = tuple(target), None
    if len(named) == 1:
        return named[0], ()
    return target, named


class Size(NamedTuple):
    """What the cost of a method depends on."""

    rows: int
    columns: int
    classes: int


@dataclass(frozen=True)
class HeldOut:
    """What is judged on: its numbers in the whole, what a model is shown of it, what is the case, what it weighs."""

    numbers: np.ndarray
    X: Any
    actual: np.ndarray
    weights: np.ndarray | None = None

    def first(self, count: int) -> "HeldOut":
        """The first few."""
        return self.take(np.arange(min(count, len(self.numbers))))

    def thinned(self, count: int, seed: int) -> "HeldOut":
        """A fair part of so many, in their order; all where there are no more."""
        if len(self.numbers) <= count:
            return self
        return self.take(np.sort(np.random.default_rng(seed).permutation(len(self.numbers))[:count]))

    def take(self, rows: np.ndarray) -> "HeldOut":
        """Some of it."""
        weights = None if self.weights is None else self.weights[rows]
        return HeldOut(self.numbers[rows], self.X[rows], self.actual[rows], weights)

    def showing(self, X: Any) -> "HeldOut":
        """The same, but a model is shown something else."""
        return replace(self, X=X)


@dataclass(frozen=True)
class FoldPredictions:
    """What a method said of one fold while it was held out, and what each row adds to its score there."""

    numbers: np.ndarray
    actual: np.ndarray
    predicted: np.ndarray
    probabilities: np.ndarray | None
    scores: np.ndarray | None = None
    merits: np.ndarray = field(default_factory=lambda: np.empty(0))
    kept: np.ndarray | None = None
    """Names of the columns that a selector kept of those that it was offered; None where nothing is selected."""
    offered: np.ndarray | int = 0
    intervals: np.ndarray | None = None
    """Lower and upper ends of amounts, where the method gives them; NaN for rows that it was not asked about."""


class Columns(NamedTuple):
    """Rows whose columns can be explained: a frame or sparse matrix, targets, the rows' numbers if some are absent."""

    X: Any
    y: np.ndarray
    numbers: np.ndarray | None = None


@dataclass(frozen=True)
class Explanation:
    """How a method errs on held-out data, as far as its kind of data can tell."""

    confusion: ConfusionMatrix | None = None
    residuals: Residuals | None = None
    calibration: tuple[CalibrationCurve, ...] | None = None
    survival: tuple[SurvivalCurves, ...] | None = None
    targets: tuple[TargetScore, ...] | None = None
    groups: GroupsFound | None = None


class Input(Served):
    """Data that methods are compared on.

    One class for each kind of data. The contest, the folds, the run folder, the report and the commands ask the
    object and never its class, so that a new kind is a new class in a file of its own and a place in
    :data:`treatise.compare.inputs.KINDS`.

    An input is immutable; what divides or samples it gives new ones. It must survive pickling, because folds run in
    processes of their own. All randomness comes from the seeds it is handed: the same ones give the same folds,
    samples and scores.

    Attributes
    ----------
    name : str
        What names the data, and the run's folder where the user names none.
    task : str
        What is to be done with them; the catalogue's rows say which tasks a method takes.

    Notes
    -----
    How the kinds that are still to come answer:

    ==================  =============================================================================================
    edge lists          ``divide`` hides a share of the edges and as many pairs without one; ``judge`` ranks them (AUC);
                        ``predict`` scores the pairs of a file; nothing is encoded.
    games               ``divide`` cuts by time, so that a fold is the next period; ``judge`` is the log loss of the
                        outcomes; ``predict`` reads pairings.
    event logs          ``divide`` cuts by time; ``judge`` is the log-likelihood of the held-out stretch per event;
                        ``predict`` writes the intensity of each kind of event.
    logs of decisions   rows are context, action, reward and its probability; ``judge`` is the value of the learned
                        policy by a doubly robust estimate; ``predict`` writes an action for each context.
    ==================  =============================================================================================
    """

    name: str
    task: str

    # ------------------------------------------------------------------ reading

    @classmethod
    @abstractmethod
    def accepts(cls, request: Request) -> bool:
        """Whether this kind takes the source, given the user's options.

        Kinds are asked in order and the first that accepts reads; so a kind may rely on what those before it
        declined. It looks at names and beginnings and reads nothing whole. It raises only where the source is surely
        of this kind and surely wrong.
        """

    @classmethod
    @abstractmethod
    def read(cls, request: Request) -> Self:
        """Read the source and decide what it asks.

        Whatever makes a comparison senseless (nothing to predict, too few rows, a column that is not there) is a
        ``TreatiseError`` now, in one sentence; whatever was decided without being asked becomes a note.
        """

    @abstractmethod
    def describe(self) -> DataRecord:
        """The data for the run's record, with all the words about kind and task that page and terminal show."""

    @property
    def judged_by(self) -> tuple[str, ...]:
        """The columns that hold what is to be predicted, which rows to test on must have."""
        target = self.describe().target
        return () if target is None else (target,)

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """What must be equal for a run to go on where it stopped: plain data, ``data`` among them.

        ``data`` is a SHA-256 of the content; a changed file is another run.
        """

    @abstractmethod
    def options(self) -> dict[str, Any]:
        """The options of ``treatise compare`` that make this input of its source again."""

    def close(self) -> None:
        """Remove what only this run needed, such as rows laid out on disk."""

    # ------------------------------------------------------------------ dividing

    @property
    @abstractmethod
    def size(self) -> Size:
        """Rows, columns after encoding, and classes (2 where there are none)."""

    @property
    def rows_in_memory(self) -> int:
        """Rows that are in memory at once."""
        return self.size.rows

    @property
    @abstractmethod
    def grouped(self) -> bool:
        """Whether some rows are kept together in one fold."""

    @property
    def repeats(self) -> int:
        """How often dividing anew tells more, at most; once where the folds are given, as by time."""
        return MOST_REPEATS

    @abstractmethod
    def number_of_folds(self, most: int = 5) -> int:
        """How many folds the data bear: ``most``, or fewer where there is little to hold out; at least 2."""

    @abstractmethod
    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple["Input", HeldOut]:
        """The data without one fold of one repeat, and what is judged of that fold.

        Folds of one repeat are disjoint and together hold everything, but for the past that folds by time begin with;
        copies never stand on both sides. Of a fold too large to be judged whole a fair part is.
        """

    @property
    def known_groups(self) -> "Input | None":
        """The same data, but single rows are held out, and judged where others of their group are learned from.

        None where rows are in no groups, or in too small ones.
        """
        return None

    @abstractmethod
    def sample(self, rows: int, seed: int) -> "Input":
        """A random part of about so many rows, to which everything here applies."""

    @property
    def at_hand(self) -> "Input":
        """The data to choose parameters on: itself, or a sample that is in memory where the whole is not."""
        return self

    # ------------------------------------------------------------------ methods

    @abstractmethod
    def candidates(self) -> list[Candidate]:
        """The rows of the catalogue, and the baselines, that take this kind of data and this task."""

    def why_not(self, candidate: Candidate, seconds: float, memory: float, rows: int) -> str | None:
        """Why a candidate cannot take so many rows of the data with so much time and memory for one fit, or None."""
        learned = self.rows_learned(candidate, min(rows, self.size.rows))
        size = Size(learned, self.columns_for(candidate), self.size.classes)
        needed_bytes, needed_seconds = self.bytes_of(candidate, rows), candidate.compare.seconds.at(*size)
        if needed_bytes > memory:
            gib = 2**30
            return f"would need about {needed_bytes / gib:.1f} GiB of memory; {memory / gib:.1f} GiB are free for it"
        if needed_seconds > seconds:
            return (
                f"a fit of {size.rows:,} rows would take about {needed_seconds:.0f} s of this budget; give it more "
                "with --budget"
            )
        return None

    def bytes_of(self, candidate: Candidate, rows: int) -> float:
        """Memory that a fit of so many rows takes, by the catalogue's law."""
        learned = self.rows_learned(candidate, min(rows, self.rows_in_memory))
        return candidate.compare.bytes.at(learned, self.columns_for(candidate), self.size.classes)

    def rows_learned(self, candidate: Candidate, rows: int) -> int:
        """Rows that a method learns from where so many of :attr:`size` are its share."""
        return rows

    def suits(self, candidate: Candidate) -> bool:
        """Whether a method uses what these data have and others of their kind have not; it is tried early."""
        return False

    @property
    def unlabelled_rows(self) -> int:
        """Rows that have nothing to be judged by, beside those of :attr:`size`, and that some methods learn from."""
        return 0

    def columns_for(self, candidate: Candidate) -> int:
        """Columns that a method is given, after encoding."""
        return self.size.columns

    @abstractmethod
    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """A candidate as an unfitted pipeline, with what must stand before it for data of this kind (its encoding).

        ``params`` are named as in the catalogue's search space. What stands before the method learns from the
        training part alone. An unknown parameter is a ``ValueError``.
        """

    @abstractmethod
    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit a pipeline to all of the data."""

    @abstractmethod
    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """What a fitted pipeline says of what :class:`HeldOut` shows."""

    def intervals(self, model: Pipeline, held_out: HeldOut, most: int, seed: int) -> np.ndarray | None:
        """Lower and upper ends that a fitted pipeline gives for amounts, of so many rows; None where it gives none.

        Rows that it was not asked about have none (NaN).
        """
        return None

    @property
    @abstractmethod
    def metrics(self) -> tuple[Metric, ...]:
        """The measures of the task; the first ranks unless the user names another."""

    def choose_metric(self, name: str | None) -> Metric:
        """The measure that ranks."""
        return choose_metric(self.metrics, name, self.task)

    @abstractmethod
    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """Every measure by its name; None where these predictions do not allow it."""

    def merits(self, metric: Metric, held_out: HeldOut, found: Predictions) -> np.ndarray:
        """What each of the rows adds to a measure, larger being better; their mean is :meth:`judge`'s score.

        A score of a fold whose measure is smaller for the better has a minus. The base class leaves out parts of the
        rows in turn; a kind whose measures have merits of their own says them exactly.
        """

        def merit(rows: np.ndarray) -> float:
            score = self.judge(held_out.take(rows), found.take(rows))[metric.name]
            return np.nan if score is None else metric.merit(score)

        return spread_by_parts(merit, len(held_out.numbers))

    @property
    def classes(self) -> np.ndarray:
        """The labels, sorted; empty where nothing is classified."""
        return np.array([])

    @property
    def units(self) -> np.ndarray | None:
        """A number for each row; rows of one number are not independent of each other. None where all are."""
        return None

    @property
    def in_time(self) -> bool:
        """Whether each fold is judged on what comes after all that it learns from."""
        return False

    # ------------------------------------------------------------------ explaining

    @property
    def features(self) -> Sequence[str]:
        """What may be shuffled to see what it is worth; nothing where the kind has no columns."""
        return ()

    def columns(self) -> Columns | None:
        """The rows with their columns, as far as they are in memory; None where the kind has no columns."""
        return None

    def shuffled(self, X: Any, feature: str, rng: np.random.Generator) -> Any:
        """What a model is shown, with one of :attr:`features` in random order."""
        raise NotImplementedError(f"{type(self).__name__} has no features to shuffle")

    def told(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """What is or was said to be the case as columns of a file, by what tells them apart: one column, or each of
        its fields."""
        fields = values.dtype.names
        return {"": values} if fields is None else {field: values[field] for field in fields}

    def kept(self, model: Pipeline) -> tuple[np.ndarray, int] | None:
        """The columns that a fitted selector keeps, by name, and how many it was offered; None for other methods."""
        return None

    def explain(self, parts: Sequence[FoldPredictions]) -> Explanation:
        """How a method errs, from what it said of each fold; nothing where the kind has no picture of it."""
        return Explanation()

    @property
    def weighable(self) -> bool:
        """Whether what a measure loses when a column is shuffled tells what the column is worth."""
        return True

    def decided(self, decision: Decision, board: Sequence[LeaderboardEntry]) -> Decision:
        """The recommendation, with what the data themselves say of it."""
        return decision

    def portray(self, model: Pipeline) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What the saved model of all the data shows of them: fields of :class:`BestMethod`, and sentences."""
        return {}, ()

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """What a model file says of itself: ``kind``, and whatever :meth:`predict` must know to read new data."""
        return {
            "kind": self.kind, "label": candidate.label, "paper": candidate.paper.id if candidate.paper else None,
            "task": self.task,
        }  # fmt: skip

    def settled(self, parts: Sequence[FoldPredictions]) -> dict[str, Any]:
        """What the out-of-fold predictions of a method settle on the use of its model, for the model's metadata."""
        return {}

    @abstractmethod
    def usage(self, model: str) -> ModelUse:
        """How a person uses the saved model; see :func:`written_usage`."""

    # ------------------------------------------------------------------ for other processes

    def save(self, folder: Path) -> None:
        """Lay the input out in a folder of this run that its workers read."""
        with (folder / FILE).open("wb") as stream:
            pickle.dump(self, stream, protocol=pickle.HIGHEST_PROTOCOL)

    @staticmethod
    def load(folder: Path) -> "Input":
        """The input that :meth:`save` laid out: a file of the run's own, never one that came from elsewhere."""
        with (folder / FILE).open("rb") as stream:
            return pickle.load(stream).completed(folder)

    def completed(self, folder: Path) -> "Input":
        """With whatever :meth:`save` laid beside the pickle, where a kind does that."""
        return self


def written_usage(lines: Sequence[str], shell: str, model: str) -> ModelUse:
    """A program and a command with ``MODEL`` replaced by a file's name, as one literal or one argument."""
    literal = json.dumps(model, ensure_ascii=False)
    return ModelUse("\n".join(lines).replace("MODEL", literal), shell.replace("MODEL", shlex.quote(model)))
