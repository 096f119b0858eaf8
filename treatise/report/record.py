"""The record of a comparison: what ``run.json`` holds, field by field.

Every part of a run is a frozen dataclass whose fields carry their own description, so that the schema is written
where it is used: :func:`schema` lists it, and the documentation shows that list. :meth:`RunRecord.to_plain` gives
JSON's own types and :meth:`RunRecord.from_plain` the record again. Whoever changes a field raises ``VERSION``.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from treatise._core.errors import TreatiseError
from treatise.report.explained import (
    ErrorSegments,
    KnownGroups,
    LearningPoint,
    MethodImportance,
    Number,
    PredictiveIntervals,
    Profile,
    Selection,
    ThresholdCurve,
    UnlabelledWorth,
)

VERSION = 7
"""Number of the schema."""

Record = TypeVar("Record")


@dataclass(frozen=True)
class Metric:
    """A measure with its name for people and its direction."""

    name: Annotated[str, "What names it on the command line, such as `roc_auc`."]
    label: Annotated[str, "What names it to a person, such as `ROC AUC`."]
    greater_is_better: Annotated[bool, "Whether a larger value is a better one."]
    lowest: Annotated[Number, "The smallest value that it can have; null where there is none."] = None
    highest: Annotated[Number, "The largest."] = None

    def merit(self, value: float) -> float:
        """The value with a sign that makes more better."""
        return value if self.greater_is_better else -value

    def within(self, value: float) -> float:
        """The value, held at what the measure can be."""
        value = value if self.lowest is None else max(self.lowest, value)
        return value if self.highest is None else min(self.highest, value)


@dataclass(frozen=True)
class Fact:
    """One line about the data as they were understood."""

    name: Annotated[str, "What it is about, such as `Rows`."]
    value: Annotated[str, "What is the case, such as `150`."]
    aside: Annotated[str, "What may be said in brackets; mostly empty."] = ""


@dataclass(frozen=True)
class DroppedColumn:
    """A column that takes no part."""

    column: Annotated[str, "Its name."]
    reason: Annotated[str, "Why, as the rest of a sentence that begins with the column."]


@dataclass(frozen=True)
class ColumnCounts:
    """How many columns of each kind predict."""

    numeric: Annotated[int, "Columns of numbers and truth values."]
    categorical: Annotated[int, "Columns of text."]


@dataclass(frozen=True)
class DataRecord:
    """What was compared on, as its kind of input describes it: data, and words for the page and the terminal."""

    kind: Annotated[
        str,
        "The kind of input: `table`, `grouped table`, `blocks` (a table on disk), `sequences`, `groups` (no target), "
        "and so on.",
    ]
    name: Annotated[str, "The name of the data."]
    source: Annotated[str, "Where they came from: a path, a bundled name, or `a data frame`."]
    sha256: Annotated[str | None, "SHA-256 of the content."]
    task: Annotated[str, "What is to be done: `binary`, `multiclass`, `regression`, `sequence`, `cluster`."]
    target: Annotated[str | None, "What is to be predicted; null where nothing is."]
    rows: Annotated[int, "Rows, or whatever else the folds divide."]
    size: Annotated[str, "The size in words, such as `150 rows, 4 columns to predict from`."]
    question: Annotated[str, "The task in words, such as `target 'species': multiclass`."]
    purpose: Annotated[str, "The whole in words, as the page says it under its title."]
    facts: Annotated[tuple[Fact, ...], "What the page lists about the data."]
    features: Annotated[int | None, "Columns that predict; null where the data are no table."] = None
    columns: Annotated[ColumnCounts | None, "Those columns by kind."] = None
    classes: Annotated[tuple[str, ...], "The classes, sorted; empty where there are none."] = ()
    counts: Annotated[tuple[int, ...], "How many rows each class has."] = ()
    dropped: Annotated[tuple[DroppedColumn, ...], "Columns that take no part."] = ()
    notes: Annotated[tuple[str, ...], "What was decided about the data, in sentences."] = ()


@dataclass(frozen=True)
class FoldPlan:
    """How the rows were divided."""

    k: Annotated[int, "Folds in a repeat."]
    repeats_done: Annotated[int, "Repeats of which at least one fold is done."]
    grouped: Annotated[bool, "Whether some rows were kept together in one fold."]


@dataclass(frozen=True)
class FoldRecord:
    """One fold of one method, as the journal of a run keeps it."""

    key: Annotated[str, "The method."]
    stage: Annotated[str, "`look` (at its defaults, to narrow the field) or `fold` (tuned, to decide)."]
    sample: Annotated[int, "Rows of the sample that a look is at; 0 for all that are not held out, and for folds."]
    repeat: Annotated[int, "Number of the repeat, from 0."]
    fold: Annotated[int, "Number of the fold in it, from 0."]
    rows: Annotated[int, "Rows that it was fitted with."]
    judged: Annotated[int, "Held-out rows that it was judged on."]
    score: Annotated[float, "The metric on those."]
    metrics: Annotated[dict[str, Number], "Every measure of the task; null where the method gives none."]
    fit_seconds: Annotated[float, "Processor seconds of the fit, without the choice of parameters."]
    predict_seconds: Annotated[float, "Processor seconds of predicting the held-out rows."]
    params: Annotated[dict[str, Any], "The parameters that were chosen on the training rows."]
    seconds: Annotated[float, "Processor seconds of all of it, without what was compiled."]
    compile_seconds: Annotated[float, "Processor seconds of compiling, which is no method's share."]


@dataclass(frozen=True)
class FoldScore:
    """What the leaderboard keeps of a fold."""

    repeat: Annotated[int, "Number of the repeat, from 0."]
    fold: Annotated[int, "Number of the fold in it, from 0."]
    score: Annotated[float, "The metric on the held-out rows."]
    seconds: Annotated[float, "Processor seconds of the fit."]


@dataclass(frozen=True)
class LeaderboardEntry:
    """One method with at least one fold."""

    rank: Annotated[int, "Its place, from 1."]
    key: Annotated[str, "What names it in files: its paper or package, and its estimator."]
    label: Annotated[str, "What names it to a person."]
    paper: Annotated[str | None, "Its paper's id; null for a baseline."]
    estimator: Annotated[str, "Import path of the estimator."]
    baseline: Annotated[bool, "Whether it is one of the usual choices that the others are measured by."]
    form: Annotated[str, "What its model is, such as `linear`, `tree` or `ensemble`."]
    stage: Annotated[str, "`folds` (tuned and cross-validated) or `look` (seen at its defaults, then left behind)."]
    rows: Annotated[int, "Rows that it was fitted with."]
    score: Annotated[float, "Mean of the metric over its folds."]
    low: Annotated[Number, "Lower end of the corrected 95 % interval; null with one fold."]
    high: Annotated[Number, "Upper end of it."]
    folds: Annotated[int, "How many folds it had."]
    scores: Annotated[tuple[FoldScore, ...], "Those folds, in order."]
    fit_seconds: Annotated[float, "Median processor seconds of a fit."]
    predict_seconds: Annotated[float, "Median processor seconds of predicting a thousand rows."]
    metrics: Annotated[dict[str, Number], "Mean of every measure; null where some fold lacks it."]
    params: Annotated[dict[str, Any], "The parameters chosen in its last fold."]
    standing: Annotated[str, "`best`, `equivalent`, `undecided`, `worse`, or `unjudged` where no test was possible."]
    behind: Annotated[Number, "How far it is behind the best, in the metric's unit; null where no test was possible."]
    behind_low: Annotated[Number, "At least so far, with 95 % confidence for all methods together."]
    behind_high: Annotated[Number, "At most so far."]
    copy_of: Annotated[str | None, "The method whose place it shares, being a near copy of it on these data."]

    @property
    def source(self) -> str:
        """Where it comes from, in a word: its paper, the baselines, or a blend of others."""
        return self.paper or ("baseline" if self.baseline else "blend")


@dataclass(frozen=True)
class Failure:
    """A method that could not take part or did not finish."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    paper: Annotated[str | None, "Its paper's id; null for a baseline."]
    kind: Annotated[str, "`error`, `time`, `memory` or `not applicable`."]
    reason: Annotated[str, "What happened, in a sentence."]
    folds: Annotated[int, "How many folds it had before."]


@dataclass(frozen=True)
class PaperRecord:
    """A paper, as far as the report cites it."""

    id: Annotated[str, "Its id in the catalogue."]
    title: Annotated[str, "Its title."]
    authors: Annotated[tuple[str, ...], "Its authors."]
    journal: Annotated[str, "Where it appeared."]
    year: Annotated[int, "When."]
    pages: Annotated[str, "On which pages."]
    when: Annotated[str, "When to use its method."]
    cost: Annotated[str, "What it costs."]


@dataclass(frozen=True)
class MethodRecord:
    """A method that was asked, whether it took part or not."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    estimator: Annotated[str, "Import path of the estimator."]
    summary: Annotated[str, "What it is, in a sentence."]
    paper: Annotated[PaperRecord | None, "Its paper; null for a baseline."]


@dataclass(frozen=True)
class ConfusionMatrix:
    """Held-out rows by true and predicted class."""

    labels: Annotated[tuple[str, ...], "The classes."]
    matrix: Annotated[tuple[tuple[int, ...], ...], "Rows of each true class (first) that were predicted as each."]


@dataclass(frozen=True)
class Residuals:
    """Held-out rows of a regression; at most 2000 of them."""

    predicted: Annotated[tuple[Number, ...], "What was predicted."]
    actual: Annotated[tuple[Number, ...], "What was the case."]


@dataclass(frozen=True)
class CalibrationCurve:
    """What became of held-out rows that were given like probabilities of one class."""

    label: Annotated[str, "The class."]
    predicted: Annotated[tuple[Number, ...], "Mean probability in each bin that is not empty."]
    observed: Annotated[tuple[Number, ...], "Share of the class in it."]
    count: Annotated[tuple[int | None, ...], "Rows in it."]


@dataclass(frozen=True)
class SurvivalCurves:
    """Survival of held-out rows that were given like utilities: as predicted, and as it was."""

    label: Annotated[str, "Which of them: those with the shortest predicted lives, and so on."]
    rows: Annotated[int, "How many."]
    times: Annotated[tuple[Number, ...], "Times."]
    predicted: Annotated[tuple[Number, ...], "Mean predicted share that outlives each; empty where none is predicted."]
    observed: Annotated[tuple[Number, ...], "Kaplan and Meier's estimate of that share."]


@dataclass(frozen=True)
class TargetScore:
    """How well one of several targets is predicted on held-out rows."""

    target: Annotated[str, "Its column."]
    measure: Annotated[str, "What names the measure to a person."]
    score: Annotated[float, "The measure on all held-out rows; errors are in standard deviations of the target."]
    low: Annotated[Number, "Lower end of its 95 % interval; null with one row."]
    high: Annotated[Number, "Upper end of it."]


@dataclass(frozen=True)
class GroupTrait:
    """A column in which the rows of a group differ from the others."""

    column: Annotated[str, "Its name."]
    words: Annotated[str, "What it is in the group and elsewhere: medians of amounts, shares of a category."]
    strength: Annotated[float, "The difference in standard deviations; of shares, twice the difference."]
    higher: Annotated[bool, "Whether it is higher, or more frequent, in the group."]


@dataclass(frozen=True)
class Group:
    """A group of rows that the saved model finds."""

    number: Annotated[int, "Its number, from 1, the largest first."]
    rows: Annotated[int, "How many rows it has."]
    share: Annotated[float, "Their share."]
    traits: Annotated[tuple[GroupTrait, ...], "What sets it apart, the most telling first; at most five."]


@dataclass(frozen=True)
class GroupsFound:
    """The groups of a table without a target."""

    groups: Annotated[tuple[Group, ...], "The groups, the largest first; one where there are none."]
    noise: Annotated[int, "Rows that belong to none."]
    rows: Annotated[int, "Rows that were assigned; a sample of very many."]
    names: Annotated[tuple[int, ...], "Numbers of the groups in the map of overlaps, those with rows enough."]
    overlap: Annotated[tuple[tuple[float, ...], ...], "Probability that a draw of one group looks more like another."]
    across: Annotated[tuple[Number, ...], "Rows in the plane, at most 1500: the first coordinate."]
    up: Annotated[tuple[Number, ...], "The second."]
    of: Annotated[tuple[int, ...], "The group of each, 0 for none."]
    axes: Annotated[tuple[str, str], "What the coordinates are."]
    thing: Annotated[str, "What is grouped, and counted as rows: `row` or `sequence`."] = "row"


@dataclass(frozen=True)
class ModelUse:
    """How to use the saved model."""

    python: Annotated[str, "A program."]
    shell: Annotated[str, "A command."]


@dataclass(frozen=True)
class BestMethod:
    """The winner: what was saved of it, and how it errs."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    params: Annotated[dict[str, Any], "The parameters of the last fit."]
    rows: Annotated[int | None, "Rows of the last fit, where the budget held no more; null for all."]
    model: Annotated[str | None, "The model file, beside `run.json`; null where the last fit was not made."]
    use: Annotated[ModelUse | None, "How to use that file."]
    confusion: Annotated[ConfusionMatrix | None, "For classes: its mistakes."]
    residuals: Annotated[Residuals | None, "For amounts: predicted and actual ones."]
    calibration: Annotated[tuple[CalibrationCurve, ...] | None, "For probabilities: how far they can be trusted."]
    survival: Annotated[tuple[SurvivalCurves, ...] | None, "For survival times: what became of rows, by prediction."]
    targets: Annotated[tuple[TargetScore, ...] | None, "For several targets: how well each is predicted."]
    groups: Annotated[GroupsFound | None, "Without a target: the groups of the rows."] = None


@dataclass(frozen=True)
class Alternative:
    """A method for whoever wants something else than the recommendation."""

    purpose: Annotated[str, "`accuracy`, `speed`, `readable` or `runner-up`."]
    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    sentence: Annotated[str, "What it gives and what it costs."]


def sentence_of(alternative: Alternative) -> str:
    """An alternative as the verdict says it."""
    return f"For {alternative.purpose}: {alternative.label}. {alternative.sentence}"


@dataclass(frozen=True)
class Decision:
    """What the comparison recommends, and how sure that is."""

    key: Annotated[str | None, "The method; null where none can be recommended."]
    label: Annotated[str, "What names it to a person; empty where there is none."]
    headline: Annotated[str, "The recommendation in a sentence."]
    reasons: Annotated[tuple[str, ...], "Why, in sentences."]
    prefer: Annotated[str, "What was to be preferred: `balanced`, `accuracy`, `speed` or `simple`."]
    margin: Annotated[float, "Differences up to this size do not matter, in the metric's unit."]
    margin_share: Annotated[float, "The same as a share of the way from guessing to the best."]
    fit_seconds: Annotated[Number, "Processor seconds of a fit of the method."]
    predict_seconds: Annotated[Number, "Processor seconds of predicting a thousand rows."]
    equivalent: Annotated[int, "Methods within the margin of the best; near copies count once, here and below."]
    undecided: Annotated[int, "Methods that could be either."]
    worse: Annotated[int, "Methods that are worse by more than the margin."]
    unjudged: Annotated[int, "Methods that could not be tested."]
    to_decide: Annotated[str, "What would decide about the undecided; empty where there are none."]
    alternatives: Annotated[tuple[Alternative, ...], "Methods for other wishes."]


@dataclass(frozen=True)
class Race:
    """How the time was spent."""

    field: Annotated[int, "Methods that apply to the data."]
    looked: Annotated[int, "Those of them that were tried at least once."]
    contended: Annotated[int, "Those that were tuned and cross-validated."]
    folds: Annotated[int, "Looks and folds in all."]
    processor_seconds: Annotated[float, "Processor time of all of them."]
    compile_seconds: Annotated[float, "Processor time of compiling beside that."]
    rows_sampled: Annotated[bool, "Whether some method was fitted with a part of the rows only."]
    complete: Annotated[bool, "Whether at least half of the field was tried."]


@dataclass(frozen=True)
class TestResult:
    """How the saved winner did on rows that took no part in the comparison."""

    source: Annotated[str, "Where they came from."]
    rows: Annotated[int, "How many have a target."]
    score: Annotated[float, "The metric on them."]
    low: Annotated[Number, "Lower end of its 95 % interval; null with one row."]
    high: Annotated[Number, "Upper end of it."]
    metrics: Annotated[dict[str, Number], "Every measure of the task on them."]


@dataclass(frozen=True)
class RunRecord:
    """A comparison, finished or interrupted."""

    version: Annotated[int, "Number of this schema."]
    treatise: Annotated[str, "The version of Treatise that made the run."]
    command: Annotated[str, "The command line that makes it again."]
    status: Annotated[str, "`finished` or `interrupted`."]
    started: Annotated[str, "When it began, ISO 8601."]
    seconds: Annotated[float, "Seconds spent, earlier sittings included."]
    budget: Annotated[Number, "Seconds that it was given."]
    jobs: Annotated[int, "Folds at once."]
    seed: Annotated[int, "What fixed everything random."]
    data: Annotated[DataRecord, "What was compared on."]
    metric: Annotated[Metric, "What ranks the methods."]
    folds: Annotated[FoldPlan, "How the rows were divided."]
    race: Annotated[Race, "How the time was spent."]
    decision: Annotated[Decision | None, "What is recommended; null where no method was tried."]
    verdict: Annotated[tuple[str, ...], "The outcome in sentences."]
    leaderboard: Annotated[tuple[LeaderboardEntry, ...], "Methods with at least one fold, best first."]
    failures: Annotated[tuple[Failure, ...], "Methods that could not take part or did not finish."]
    best: Annotated[BestMethod | None, "The winner; null where no fold was done."]
    methods: Annotated[tuple[MethodRecord, ...], "Every method that was asked."]
    importance: Annotated[tuple[MethodImportance, ...], "What each column is worth to the best three."] = ()
    thresholds: Annotated[tuple[ThresholdCurve, ...], "Of two classes: what a threshold does to the best three."] = ()
    learning: Annotated[tuple[LearningPoint, ...], "How the score grows with the rows."] = ()
    intervals: Annotated[
        tuple[PredictiveIntervals, ...],
        "Of amounts: intervals of the recommended method, then of the best that gives its own.",
    ] = ()
    errors: Annotated[ErrorSegments | None, "Where the recommended method errs more than elsewhere."] = None
    profile: Annotated[Profile | None, "What each column holds; null where the data have no columns."] = None
    selections: Annotated[tuple[Selection, ...], "What the selectors keep, those of the board's best first."] = ()
    unlabelled: Annotated[UnlabelledWorth | None, "What rows without a label were worth; null without them."] = None
    known_groups: Annotated[KnownGroups | None, "How the best do on known groups; null without groups."] = None
    theory: Annotated[tuple[str, ...], "What theory says of the table and of the recommended method."] = ()
    test: Annotated[TestResult | None, "How the winner did on other rows; null where none were given."] = None

    def to_plain(self) -> dict[str, Any]:
        """The record as JSON's own types: exactly what ``run.json`` holds."""
        return to_plain(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "RunRecord":
        """The record that :meth:`to_plain` gave.

        Parameters
        ----------
        plain : mapping
            As read from ``run.json``.

        Returns
        -------
        record : RunRecord
        """
        version = plain.get("version")
        if version != VERSION:
            raise TreatiseError(
                f"this record of a run has version {version!r} and this Treatise reads version {VERSION}; "
                "read it with the Treatise that wrote it, or run the comparison again"
            )
        return from_plain(cls, plain)


def to_plain(value: Any) -> Any:
    """A record, or anything that records hold, as JSON's own types."""
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value


def from_plain(kind: type[Record], plain: Mapping[str, Any]) -> Record:
    """The record of a kind that :func:`to_plain` gave; a field too many or too few is an error."""
    hashable: Any = kind
    hints = _hints(hashable)
    for name in (*hints, *plain):
        if name not in plain:
            raise TreatiseError(f"the record lacks the field {name!r} of {kind.__name__}")
        if name not in hints:
            raise TreatiseError(f"the record holds {name!r}, which is no field of {kind.__name__}")
    return kind(**{name: _made(hint, plain[name]) for name, hint in hints.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _made(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _made(next(part for part in get_args(hint) if part is not type(None)), value)
    if origin is tuple:
        return tuple(_made(get_args(hint)[0], item) for item in value)
    return from_plain(hint, value) if is_dataclass(hint) and isinstance(hint, type) else value


class FieldRow(NamedTuple):
    """A field of a record: its name, what JSON holds there, and what it means."""

    name: str
    type: str
    meaning: str


class RecordRows(NamedTuple):
    """A record: its name, what it is, and its fields."""

    name: str
    meaning: str
    fields: list[FieldRow]


def schema(kind: Any = RunRecord) -> Iterator[RecordRows]:
    """A kind of record and those that it holds, each once, the outermost first."""
    seen, waiting = {kind}, [kind]
    while waiting:
        current = waiting.pop(0)
        rows = []
        for name, hint in get_type_hints(current, include_extras=True).items():
            inner, *meaning = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            rows.append(FieldRow(name, _in_words(inner), " ".join(meaning)))
            found = [part for part in _records_in(inner) if part not in seen]
            seen.update(found)
            waiting += found
        yield RecordRows(current.__name__, (current.__doc__ or "").strip(), rows)


def _records_in(hint: Any) -> list[Any]:
    return [hint] if is_dataclass(hint) else [record for part in get_args(hint) for record in _records_in(part)]


_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "anything"}


def _in_words(hint: Any) -> str:
    """A type as a reader of JSON would say it."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join("null" if part is type(None) else _in_words(part) for part in parts)
    if origin is tuple:
        return f"list of {_in_words(parts[0])}"
    if origin is dict:
        return f"object of {_in_words(parts[1])}"
    return _WORDS.get(hint) or hint.__name__
