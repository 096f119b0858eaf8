"""A table of survival times: how long each row was watched, and whether that ended with the event."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate
from treatise.compare.inputs.answers import Score, actual_values, carried, tell_of_unseen
from treatise.compare.inputs.base import Columns, Explanation, FoldPredictions, HeldOut, Input, Request, written_usage
from treatise.compare.inputs.roles import roles_of, set_aside, split_by_time
from treatise.compare.inputs.rows import RowsInput, split
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.table import as_table, model_columns, understood
from treatise.compare.inputs.target import amounts_to_mind, is_nan, rows_left_out
from treatise.compare.measures import METRICS, SURVIVAL_METRICS
from treatise.compare.metrics import Measurement, Predictions, interval_of, spread_by_parts
from treatise.compare.own_metric import OwnMetric
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.report.record import DataRecord, Fact, Metric, ModelUse, SurvivalCurves
from treatise.statistics import concordance_index, integrated_brier_score, kaplan_meier

TIMES_JUDGED = 25
TIMES_TOLD = 5
FEWEST_EVENTS = 10
_YES = {"1", "true", "yes", "y", "event", "dead", "died", "death", "deceased", "failed", "failure", "relapse"}
_NO = {"0", "false", "no", "n", "censored", "alive", "living", "none"}
THIRDS = ("a third with the shortest predicted lives", "the middle third", "a third with the longest predicted lives")
WITHOUT_COX = (
    "Cox's model takes no part: it needs scikit-survival (pip install 'treatise[survival]'); Kaplan and Meier's curve "
    "is the only usual choice to measure by"
)


@dataclass(frozen=True)
class SurvivalInput(RowsInput):
    """A table with a column of times and one of events.

    ``y`` is scikit-survival's structured array of events and times, ``event`` names the column of events, and ``grid``
    holds the times at which predicted curves are judged, between the first and the last tenth of the events.
    """

    kind: ClassVar[str] = "survival times"
    wishes: ClassVar[frozenset[str]] = frozenset({"keep", "score"})
    event: str | None = None
    grid: np.ndarray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Where a column of times is named."""
        if request.lifetime is None and request.event is not None:
            raise TreatiseError(
                "--event tells whether a time ended with the event; name the column of times with --time"
            )
        return request.lifetime is not None

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a bundled table, a :class:`Table` or a data frame."""
        _refuse_other_wishes(request)
        table, source = as_table(request.source, request.header)
        if table.matrix is not None:
            raise TreatiseError("LIBSVM text has no column of times; give survival times as a table of named columns")
        time, event = table.column(_named(request.lifetime)), None
        if request.event is not None:
            event = table.column(request.event)
            if event == time:
                raise TreatiseError(f"{time!r} cannot be both the time and the event; name two columns")
        table, notes = _complete(table, time, event)
        if not table.frame[time].dtype.is_numeric():
            raise TreatiseError(f"the time {time!r} holds {table.frame[time][0]!r}; it must be a number, such as days")
        happened = np.ones(table.frame.height, bool) if event is None else _events(table.frame[event])
        notes += _words_on_events(happened, time, event)
        alone = table if event is None else replace(table, frame=table.frame.drop(event))
        features, named = set_aside(alone, request.group, request.time, None)
        found = understood(features, time, "regression", copies=not {"group", "time"} & set(named))
        y = np.empty(len(happened), dtype=[("event", bool), ("time", float)])
        y["event"], y["time"] = happened, _lengths(found["y"], time)
        spare = amounts_to_mind(found["y"], time)
        found["notes"] = [*(note for note in found["notes"] if note not in spare), *notes]
        found |= {"y": y, "task": "survival", "table_columns": tuple(table.frame.columns)}
        given = cls(**found, source=source, event=event, grid=_grid(y))
        roles, words = roles_of(named, table.frame, found["y"], "regression")
        groups = given.groups if roles.groups is None else roles.groups
        return replace(given, groups=groups, roles=roles, notes=[*given.notes, *words])

    # ------------------------------------------------------------------ describing

    @property
    def classes(self) -> np.ndarray:
        """Nothing is classified."""
        return np.array([])

    @property
    def class_counts(self) -> list[int]:
        """Nothing is classified."""
        return []

    @property
    def task_words(self) -> str:
        """The task as the page names it."""
        return "survival analysis"

    @property
    def judged_by(self) -> tuple[str, ...]:
        """The two columns."""
        return (self.target,) if self.event is None else (self.target, self.event)

    def identity(self) -> dict[str, Any]:
        """The content, and the two columns."""
        return super().identity() | {"event": self.event}

    def options(self) -> dict[str, Any]:
        """The two columns, and those with a role."""
        named = {} if self.event is None else {"event": self.event}
        return {"time": self.target, **named, **self.roles.options}

    def describe(self) -> DataRecord:
        """The rows, columns and events."""
        about, events = super().describe(), int(self.y["event"].sum())
        seen = Fact("Events seen", f"{events:,}", f"{events / self.n_rows:.0%} of the rows")
        return replace(
            about,
            question=f"time {self.target!r} until {'the event' if self.event is None else repr(self.event)}: survival",
            facts=(*about.facts[:2], Fact("Time", self.target), seen, about.facts[3]),
        )

    # ------------------------------------------------------------------ dividing

    def number_of_folds(self, most: int = 5) -> int:
        """Five, or fewer where there are few events."""
        return max(2, min(super().number_of_folds(most), int(self.y["event"].sum()) // 4))

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Folds by time, or else with the same share of events, rows that belong together in one."""
        if self.roles.times is not None:
            folds = split_by_time(self.roles.times, k)
        else:
            folds = split(self.y["event"], self.groups, True, k, seed + 1000 * repeat)
        train, test = list(folds)[fold]
        return self.part(train), HeldOut(test, self.X[test], self.y[test])

    # ------------------------------------------------------------------ methods

    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """The utility of each row, and its survival at the judged times."""
        return Predictions(np.asarray(model.predict(X), np.float64), scores=survival_of(model, X, self.grid))

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Concordance ranks; the Brier score also asks whether the curves are right."""
        return tuple(METRICS[name] for name in SURVIVAL_METRICS)

    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """Concordance of utilities, and the Brier score of curves, with the censoring of all rows."""
        return judge_lifetimes(held_out.actual, found, self.grid, self.y)

    def merits(self, metric: Metric, held_out: HeldOut, found: Predictions) -> np.ndarray:
        """What each row adds to a measure, from leaving out parts of the rows in turn."""

        def merit(rows: np.ndarray) -> float:
            score = self.judge(held_out.take(rows), found.take(rows))[metric.name]
            return np.nan if score is None else metric.merit(score)

        return spread_by_parts(merit, len(held_out.numbers))

    # ------------------------------------------------------------------ explaining

    def columns(self) -> Columns | None:
        """None: what is shown of columns beside a target is for amounts and classes."""
        return None

    def explain(self, parts: Sequence[FoldPredictions]) -> Explanation:
        """Predicted and observed survival of the rows, a third at a time by predicted utility."""
        thirds = [_thirds(part) for part in parts]
        curves = []
        for number, label in enumerate(THIRDS):
            actual = np.concatenate([part.actual[third == number] for part, third in zip(parts, thirds)])
            told = [part.scores[third == number] for part, third in zip(parts, thirds) if part.scores is not None]
            if len(actual) == 0:
                continue
            predicted = np.concatenate(told).mean(axis=0).tolist() if len(told) == len(parts) else []
            observed = kaplan_meier(actual, self.grid)[1].tolist()
            curves.append(
                SurvivalCurves(label, len(actual), tuple(self.grid.tolist()), tuple(predicted), tuple(observed))
            )
        return Explanation(survival=tuple(curves) or None)

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """The columns that the model reads, and the times that it is asked for."""
        told = np.unique(np.round(np.linspace(0, len(self.grid) - 1, TIMES_TOLD)).astype(int))
        return super().metadata(candidate) | {
            "event": self.event, "times": self.grid.tolist(), "told": self.grid[told].tolist(),
        }  # fmt: skip

    def settled(self, parts: Sequence[FoldPredictions]) -> dict[str, Any]:
        """Nothing is to be settled."""
        return {}

    def usage(self, model: str) -> ModelUse:
        """Rows from a CSV file."""
        lines = [
            "from treatise.compare import predict_lifetimes",
            "from treatise.io import load_model, read_table",
            "",
            "model = load_model(MODEL)",
            'print(predict_lifetimes(model, read_table("new.csv")))',
        ]
        return written_usage(lines, "treatise predict MODEL new.csv -o out.csv", model)

    @classmethod
    def predict(
        cls, model: ModelFile, source: str, *, header: bool | None = None, keep: Sequence[str] = ()
    ) -> Iterator[Part]:
        """A table with the median lifetime, the utility, and the survival at a few times."""
        yield TablePart(predict_lifetimes(model, load_table(source, header=header), keep=keep))

    @classmethod
    def answer(
        cls, model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None
    ) -> pl.DataFrame:
        """The same for a table in memory."""
        if threshold is not None:
            raise TreatiseError("a threshold is for models of two classes; this one predicts survival times")
        return predict_lifetimes(model, table, keep=keep)

    @classmethod
    def score_rows(
        cls, model: ModelFile, table: Table, *, threshold: float | None = None, own: OwnMetric | None = None
    ) -> Score:
        """Concordance and Brier score on a table that has the times and the events."""
        if threshold is not None:
            raise TreatiseError("a threshold is for models of two classes; this one predicts survival times")
        return score_lifetimes(model, table)


def judge_lifetimes(
    actual: np.ndarray, found: Predictions, grid: np.ndarray, reference: np.ndarray
) -> dict[str, float | None]:
    """Concordance of utilities, and the Brier score of curves with the censoring of reference rows."""
    try:
        concordance = concordance_index(actual, found.values)
    except ValueError:  # no two rows are comparable
        concordance = None
    brier = None
    if found.scores is not None:
        brier = integrated_brier_score(actual, found.scores, grid, reference=reference)
    return {"concordance": concordance, "integrated_brier": brier}


def score_lifetimes(model: ModelFile, table: Table) -> Score:
    """How good a model of survival times is on rows with times and events, whose own censoring is allowed for."""
    about = model.metadata
    time, event, grid = about["target"], about["event"], np.asarray(about["times"])
    absent = [name for name in (time, event) if name is not None and name not in table.frame.columns]
    if absent:
        raise TreatiseError(f"{table.name} has no column {absent[0]!r} to compare the predictions with")
    table, words = _complete(table, time, event)
    for word in words:
        warnings.warn(word, stacklevel=2)
    y = np.empty(table.frame.height, dtype=[("event", bool), ("time", float)])
    y["event"] = True if event is None else _events(table.frame[event])
    y["time"] = _lengths(actual_values(table.frame[time], np.array([]), table.name), time)
    X = model_columns(table, about)
    curves = survival_of(model.model, X, grid)
    found = Predictions(np.asarray(model.model.predict(X), np.float64), scores=curves)
    measures, measurements = judge_lifetimes(y, found, grid, y), []
    if measures["concordance"] is None:
        raise TreatiseError(f"no two rows of {table.name} can be compared: all times are cut off, or alike")
    for metric in (METRICS[name] for name in SURVIVAL_METRICS):
        value = measures[metric.name]
        if value is None or not np.isfinite(value):
            continue

        def merit(rows: np.ndarray, metric: Metric = metric) -> float:
            score = judge_lifetimes(y[rows], found.take(rows), grid, y)[metric.name]
            return np.nan if score is None else metric.merit(score)

        measurements.append(Measurement(metric, value, *interval_of(spread_by_parts(merit, len(y)), metric)))
    return Score(table.name, len(y), tuple(measurements))


def survival_of(model: Any, X: Any, times: np.ndarray) -> np.ndarray | None:
    """Probabilities of outliving times, by the last step of a pipeline; None where it has no curves."""
    last = model[-1]
    if not hasattr(last, "predict_survival_function"):
        return None
    return np.asarray(last.predict_survival_function(model[:-1].transform(X), times))


def predict_lifetimes(model: ModelFile, table: Table, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """What a model of survival times says of each row of a table.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare --time ...``.
    table : Table
        As read from a file, with the columns that the model was fitted with.
    keep : sequence of str
        Columns of the table to carry through, by name or number; ``["all"]`` for all of them.

    Returns
    -------
    polars.DataFrame
        ``prediction`` is the median lifetime, null where more than half are alive at the last time known; ``utility``
        orders the rows, the longest lives highest; ``survival T`` is the probability of outliving T.
    """
    about = model.metadata
    X = model_columns(table, about)
    pipeline = model.model
    times = np.asarray(about["times"])
    curves = survival_of(pipeline, X, times)
    columns: dict[str, Any] = {}
    if curves is not None:
        below = curves <= 0.5
        median = np.where(below.any(axis=1), times[np.argmax(below, axis=1)], np.nan)
        columns["prediction"] = pl.Series(median).fill_nan(None)
    columns["utility"] = np.asarray(pipeline.predict(X), np.float64)
    if curves is not None:
        for time in about["told"]:
            columns[f"survival {time:.4g}"] = curves[:, int(np.argmin(np.abs(times - time)))]
    tell_of_unseen(pipeline, X)
    return carried(table, keep, pl.DataFrame(columns))


def _named(column: str | None) -> str:
    assert column is not None
    return column


def _refuse_other_wishes(request: Request) -> None:
    wrong = {
        "a target": request.target, "several targets": request.targets or None, "weights": request.weight,
        "a threshold": request.threshold, "a metric of your own": request.own,
        "ordered classes": request.ordered or None,
        "a task": None if request.task == "survival" else request.task,
    }  # fmt: skip
    for what, given in wrong.items():
        if given is not None:
            raise TreatiseError(f"survival times (--time) do not go with {what}; leave {given!r} out")


def _complete(table: Table, time: str, event: str | None) -> tuple[Table, list[str]]:
    """The rows with a time and an event."""
    frame, notes = table.frame, list[str]()
    for column in (time, event) if event is not None else (time,):
        present = frame[column].is_not_null().to_numpy() & ~is_nan(frame[column])
        if not present.all():
            notes.append(rows_left_out(int((~present).sum()), repr(column)))
            frame = frame.filter(present)
    if frame.height == 0:
        raise TreatiseError(f"no row has a value in {time!r}" + (f" and in {event!r}" if event else ""))
    return replace(table, frame=frame), notes


def _events(column: pl.Series) -> np.ndarray:
    """Where the event took place: 1, true, yes and the like, or 2 beside 1."""
    texts = column.cast(pl.String).str.strip_chars().str.to_lowercase().str.strip_suffix(".0")
    found = sorted(texts.unique().to_list())
    if set(found) <= _YES | _NO:
        return texts.is_in(list(_YES)).to_numpy()
    if found == ["1", "2"]:
        return (texts == "2").to_numpy()
    shown = ", ".join(repr(value) for value in found[:4]) + (" and more" if len(found) > 4 else "")
    raise TreatiseError(
        f"column {column.name!r} holds {shown}; write 1 where the event was seen and 0 where the time was cut off"
    )


def _words_on_events(happened: np.ndarray, time: str, event: str | None) -> list[str]:
    events, rows = int(happened.sum()), len(happened)
    if events < 2:
        raise TreatiseError(
            f"{events} of {rows} rows have the event in {event!r}; nothing can be learnt of when it comes. Is 1 the "
            "code of the event?"
        )
    notes = [] if find_spec("sksurv") else [WITHOUT_COX]
    if event is None:
        notes.append(f"every {time!r} is taken to end with the event; name a column with --event if some were cut off")
    elif events == rows:
        notes.append(f"no time is cut off: {event!r} says that every row had the event")
    elif events < FEWEST_EVENTS:
        notes.append(f"{events} rows only had the event; the folds say little")
    return notes


def _lengths(times: np.ndarray, name: str) -> np.ndarray:
    if times.min() < 0:
        raise TreatiseError(f"column {name!r} holds {times.min():g}; a time until an event is not negative")
    return times


def _grid(y: np.ndarray) -> np.ndarray:
    """Times at which curves are judged."""
    ends = y["time"][y["event"]]
    low, high = np.quantile(ends, [0.1, 0.9])
    if not high > low:
        low, high = y["time"].min(), y["time"].max()
    if not high > low:
        raise TreatiseError(f"all rows have the same time, {high:g}; there is nothing to predict")
    return np.linspace(low, high, TIMES_JUDGED)


def _thirds(part: FoldPredictions) -> np.ndarray:
    """Which third of its fold each row belongs to by utility; rows alike belong together."""
    ordered = np.sort(part.predicted)
    cuts = ordered[[len(ordered) // 3, 2 * len(ordered) // 3]]
    return (part.predicted >= cuts[0]).astype(int) + ((part.predicted >= cuts[1]) & (cuts[1] > cuts[0]))
