"""A table without a target: which groups its rows fall into, if any."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.cluster import Overlap, overlap_of_labels
from treatise.compare.candidates import Candidate
from treatise.compare.groups import COUNTS, FEWEST_TESTED, NOISE, Gain, Grouped, gain_over_one_cloud, in_few_dimensions
from treatise.compare.inputs.answers import carried, tell_of_unseen
from treatise.compare.inputs.base import Columns, Explanation, FoldPredictions, HeldOut, Input, Request, written_usage
from treatise.compare.inputs.columns import copies_of, informative
from treatise.compare.inputs.encoding import table_pipeline
from treatise.compare.inputs.rows import RowsInput, split
from treatise.compare.inputs.sequence_tables import GROUPS as SEQUENCE_COLUMNS
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.inputs.table import as_table, model_columns
from treatise.compare.measures import GROUP_METRICS, METRICS
from treatise.compare.metrics import Predictions, spread_by_parts
from treatise.datasets import load_table
from treatise.io import ModelFile, Table
from treatise.io.source import read_compact
from treatise.report.record import (
    DataRecord,
    Decision,
    Fact,
    Group,
    GroupsFound,
    GroupTrait,
    LeaderboardEntry,
    Metric,
    ModelUse,
)

TASK = "cluster"
FEWEST_ROWS = 10
FEWEST_VALUES = 10
"""A column of numbers with fewer different ones is a category to the test for groups."""
MOST_POINTS = 1500
MOST_PORTRAYED = 20_000
TRAITS = 5
SLIGHT = 0.4
"""Standard deviations, or a difference of shares over that of a coin, below which nothing sets a group apart."""
BLURRED = 0.3
"""An overlap of two groups from which on they are hardly two."""
# Columns of what a model says of held-out rows.
FIRST, SECOND, DENSITY, OVERLAP = range(4)


@dataclass(frozen=True)
class GroupsInput(RowsInput):
    """A table whose rows are to be grouped; there is nothing to predict.

    ``judged`` marks the training rows of a fold: a method is fitted to them, and to each half of them apart, so that
    the held-out rows can tell whether the halves find the same groups.
    """

    kind: ClassVar[str] = "groups"
    wishes: ClassVar[frozenset[str]] = frozenset({"keep"})
    thing: ClassVar[str] = "row"
    """What is grouped, as sentences say it."""
    judged: bool = False

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Where groups are asked for."""
        return request.task == TASK

    @classmethod
    def read(cls, request: Request) -> Self:
        """A file, a bundled table, a :class:`Table` or a data frame."""
        refuse_other_wishes(request)
        table, source = as_table(request.source, request.header)
        if table.matrix is not None:
            raise TreatiseError("LIBSVM text is sparse; groups are looked for in tables of named columns")
        frame, asides = table.frame, dict(table.asides)
        if table.target is not None and table.target in frame.columns:
            asides[table.target] = "is what the table names as its target; groups are found without it"
        read = read_compact(frame.drop(*asides))
        X, dropped = informative(read.frame)
        dropped = [*asides.items(), *dropped]
        if X.width == 0:
            why = f" ({dropped[0][0]!r}: {dropped[0][1]})" if dropped else ""
            raise TreatiseError(f"no column is left to group the rows by{why}")
        if X.height < FEWEST_ROWS:
            raise TreatiseError(f"{X.height} rows are too few to look for groups in; give at least {FEWEST_ROWS}")
        groups, words = copies_of(X)
        words += [
            f"rows of one value in {name!r} look like a sequence; to group whole sequences, name it with --group"
            for name in X.columns
            if name.lower() in SEQUENCE_COLUMNS
        ]
        written = {**table.written, **read.written}
        return cls(
            name=table.name, source=source, target="", task=TASK, X=X, y=np.zeros(X.height, dtype=bool), groups=groups,
            dropped=dropped, notes=[*table.notes, *read.notes, *words], table_columns=tuple(frame.columns),
            written={name: how for name, how in written.items() if name in X.columns},
        )  # fmt: skip

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
    def judged_by(self) -> tuple[str, ...]:
        """Nothing is to be predicted."""
        return ()

    def identity(self) -> dict[str, Any]:
        """The content."""
        return {"kind": self.kind, "data": self.sha256, "task": self.task}

    def options(self) -> dict[str, Any]:
        """The task says it all."""
        return {"task": TASK}

    def describe(self) -> DataRecord:
        """The rows and columns."""
        about, columns = super().describe(), self.X.width
        rows = f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}"
        named = f"{columns:,} column{'s' * (columns != 1)}"
        return replace(
            about,
            target=None,
            size=about.size.replace("to predict from", "to group by"),
            question="no target: groups",
            purpose=f"Groups among {rows} by {named}",
            facts=(*about.facts[:2], Fact("Task", "groups of rows, without a target")),
        )

    # ------------------------------------------------------------------ dividing

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Folds at random, copies in one."""
        train, test = list(split(self.y, self.groups, False, k, seed + 1000 * repeat))[fold]
        return replace(self.part(train), judged=True), HeldOut(test, self.X[test], self.y[test])

    # ------------------------------------------------------------------ methods

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """Numbers for text and gaps, all of like scale, and the clusterer with a way to assign new rows."""
        made = table_pipeline(candidate, False, params, seed, self.written)
        name, method = made.steps[-1]
        counted = not any(count in params for count in COUNTS)
        return Pipeline([*made.steps[:-1], (name, Grouped(method, count=counted, random_state=seed))])

    def columns_for(self, candidate: Candidate) -> int:
        """All of them: without a target none tells more than another."""
        return self.width

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit to all rows; where it is judged, to two halves of them as well."""
        fitted = pipeline.fit(self.X)
        if self.judged:
            order = np.random.default_rng(0).permutation(self.n_rows)
            halves = order[: self.n_rows // 2], order[self.n_rows // 2 :]
            # How many groups there are was counted on all rows: of two halves that count for themselves, one that sees
            # a group less would make well separated groups look chance.
            prepared, grouped = pipeline.steps[:-1], (pipeline.steps[-1][0], fitted[-1].of_this_count())
            fitted.halves_ = [clone(Pipeline([*prepared, grouped])).fit(self.X[np.sort(half)]) for half in halves]
        return fitted

    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """Groups of the rows; those that each half would put them into, their density, and how the groups overlap."""
        found = np.asarray(model.predict(X))
        told = np.full((len(found), 4), np.nan)
        for column, half in enumerate(getattr(model, "halves_", ())):
            told[:, column] = half.predict(X)
        density = self.log_density(model, X)
        if density is not None:
            told[:, DENSITY] = density
        overlap = overlap_of_groups(self.as_points(model, X), found)
        if overlap is not None:
            told[:, OVERLAP] = overlap.maximum
        return Predictions(found, scores=told)

    def log_density(self, model: Pipeline, X: Any) -> np.ndarray | None:
        """Of each row, in the scale of the encoded columns; None where the method has no density."""
        return model[-1].log_density(model[:-1].transform(X))

    def as_points(self, model: Pipeline, X: Any) -> np.ndarray:
        """Rows as points in which groups are clouds, to tell how these overlap and to draw them."""
        return np.asarray(model[:-1].transform(X))

    def as_traits(self, X: pl.DataFrame) -> pl.DataFrame:
        """Columns by which it is told what sets the rows of a group apart."""
        return X

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Stability ranks."""
        return tuple(METRICS[name] for name in GROUP_METRICS)

    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """Agreement of the groups that two halves of the other rows give these, their density, their overlap."""
        told = found.scores
        assert told is not None
        return {
            "stability": agreement(told[:, FIRST], told[:, SECOND]),
            "log_density": _known(np.mean(told[:, DENSITY])),
            "overlap": _known(np.mean(told[:, OVERLAP])),
        }

    def merits(self, metric: Metric, held_out: HeldOut, found: Predictions) -> np.ndarray:
        """What each row adds to a measure, from leaving out parts of the rows in turn."""

        def merit(rows: np.ndarray) -> float:
            score = self.judge(held_out.take(rows), found.take(rows))[metric.name]
            return np.nan if score is None else metric.merit(score)

        return spread_by_parts(merit, len(held_out.numbers))

    # ------------------------------------------------------------------ explaining

    @property
    def features(self) -> list[str]:
        """The columns; none is shuffled, since stability is no measure of what one is worth."""
        return list(self.X.columns)

    def columns(self) -> Columns | None:
        """None: what is shown of columns beside a target is for amounts and classes."""
        return None

    @property
    def weighable(self) -> bool:
        """Whether shuffling columns tells what they are worth: it does not here."""
        return False

    def told(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Nothing: each fold numbers the groups for itself."""
        return {}

    def explain(self, parts: Sequence[FoldPredictions]) -> Explanation:
        """Nothing: the groups are those of the model of all rows; see :meth:`portray`."""
        return Explanation()

    @cached_property
    def gain(self) -> Gain | None:
        """What several clouds gain over one, in the columns of measured amounts; None where that cannot be told."""
        amounts = [
            column.cast(pl.Float64).to_numpy()
            for column in self.as_traits(self.X).iter_columns()
            if column.dtype.is_numeric() and column.drop_nulls().n_unique() > FEWEST_VALUES
        ]
        if not amounts:
            return None
        table = np.column_stack(amounts)
        table = table[np.isfinite(table).all(axis=1)]
        deviation = table.std(axis=0) if len(table) else np.zeros(table.shape[1])
        if not (deviation > 0).any():
            return None
        table = table[:, deviation > 0]
        return gain_over_one_cloud((table - table.mean(axis=0)) / table.std(axis=0))

    def decided(self, decision: Decision, board: Sequence[LeaderboardEntry]) -> Decision:
        """That there are no groups, where a single cloud describes the rows as well."""
        reasons = tuple(reason for reason in decision.reasons if not reason.startswith("Guessing"))
        if decision.key is None:
            return decision
        if self.gain is None:
            words = (
                "Whether there are groups at all cannot be tested: that takes columns of measured amounts, and "
                f"{FEWEST_TESTED} {self.thing}s or more without a gap."
            )
            return replace(decision, reasons=(words, *reasons))
        gained = f"{self.gain.mean:+.2g} ± {self.gain.error:.2g} to the log density of a held-out {self.thing}"
        if self.gain.groups:
            words = f"The {self.thing}s are more than one cloud: several components add {gained}."
            return replace(decision, reasons=(words, *reasons))
        single = next((entry for entry in board if entry.form == "constant"), None)
        best = board[0]
        seen = f"{best.label} would divide them with a stability of {best.score:.2g}, which proves nothing."
        headline = f"There are no groups here: a single cloud describes the {self.thing}s as well as several."
        if self.gain.weak:
            headline = f"The {self.gain.rows} {self.thing}s show no groups; so few would show clear ones only."
        found = replace(
            decision,
            headline=headline,
            reasons=(f"Several components add {gained}.", seen) if best is not single else (f"Several add {gained}.",),
            to_decide="",
        )
        if single is None:
            return found
        return replace(
            found, key=single.key, label=single.label, fit_seconds=single.fit_seconds,
            predict_seconds=single.predict_seconds, alternatives=(),
        )  # fmt: skip

    def portray(self, model: Pipeline) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The groups of the rows: their sizes, what sets each apart, how they overlap, and a picture."""
        rows = np.sort(np.random.default_rng(0).permutation(self.n_rows)[:MOST_PORTRAYED])
        X = self.X[rows]
        labels, encoded = np.asarray(model.predict(X)), self.as_points(model, X)
        shown_by = self.as_traits(X)
        numbers = [int(number) for number in np.unique(labels) if number != NOISE]
        groups = tuple(
            Group(number, int(np.sum(member)), float(np.mean(member)), traits(shown_by, member))
            for number, member in ((number, labels == number) for number in numbers)
        )
        overlap = overlap_of_groups(encoded, labels)
        shown = np.random.default_rng(1).permutation(len(rows))[:MOST_POINTS]
        places, axes = _in_two(encoded)
        found = GroupsFound(
            groups=groups, noise=int(np.sum(labels == NOISE)), rows=len(rows),
            names=() if overlap is None else tuple(overlap.names),
            overlap=() if overlap is None else tuple(tuple(row) for row in overlap.map.tolist()),
            across=tuple(places[shown, 0].tolist()), up=tuple(places[shown, 1].tolist()),
            of=tuple(int(label) for label in labels[shown]), axes=axes, thing=self.thing,
        )  # fmt: skip
        return {"groups": found}, (_words(found, overlap, f"{self.thing}s"),)

    # ------------------------------------------------------------------ saved models

    def settled(self, parts: Sequence[FoldPredictions]) -> dict[str, Any]:
        """Nothing is to be settled."""
        return {}

    def usage(self, model: str) -> ModelUse:
        """Rows from a CSV file."""
        lines = [
            "from treatise.compare import predict_groups",
            "from treatise.io import load_model, read_table",
            "",
            "model = load_model(MODEL)",
            'print(predict_groups(model, read_table("new.csv")))',
        ]
        return written_usage(lines, "treatise predict MODEL new.csv -o out.csv", model)

    @classmethod
    def predict(
        cls, model: ModelFile, source: str, *, header: bool | None = None, keep: Sequence[str] = ()
    ) -> Iterator[Part]:
        """A table with the group of each row."""
        yield TablePart(predict_groups(model, load_table(source, header=header), keep=keep))

    @classmethod
    def answer(
        cls, model: ModelFile, table: Table, *, keep: Sequence[str] = (), threshold: float | None = None
    ) -> pl.DataFrame:
        """The same for a table in memory."""
        if threshold is not None:
            raise TreatiseError("a threshold is for models of two classes; this one finds groups")
        return predict_groups(model, table, keep=keep)


def predict_groups(model: ModelFile, table: Table, *, keep: Sequence[str] = ()) -> pl.DataFrame:
    """The group of each row of a table.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of ``treatise compare --task cluster``.
    table : Table
        As read from a file, with the columns that the model was fitted with.
    keep : sequence of str
        Columns of the table to carry through, by name or number; ``["all"]`` for all of them.

    Returns
    -------
    polars.DataFrame
        ``group`` counts from 1, the largest first; 0 is for rows that belong to none.
    """
    X = model_columns(table, model.metadata)
    tell_of_unseen(model.model, X)
    return carried(table, keep, pl.DataFrame({"group": np.asarray(model.model.predict(X), dtype=np.int64)}))


def agreement(first: np.ndarray, second: np.ndarray) -> float:
    """Adjusted Rand index of two groupings of the same rows, noise as a group of its own.

    Zero where both find one group, with noise around it or without: that divides nothing.
    """
    if all(len(np.unique(found[found != NOISE])) < 2 for found in (first, second)):
        return 0.0
    return float(adjusted_rand_score(first, second))


def overlap_of_groups(encoded: np.ndarray, labels: np.ndarray) -> Overlap | None:
    """How groups overlap as Gaussian clouds, in few dimensions; None where fewer than two have rows enough."""
    numbers, counts = np.unique(labels[labels != NOISE], return_counts=True)
    kept = np.isin(labels, numbers[counts >= 3])
    if np.sum(counts >= 3) < 2:
        return None
    try:
        return overlap_of_labels(in_few_dimensions(encoded)[kept], labels[kept], shrink=True)
    except ValueError:  # a group whose rows are all alike is a point, not a cloud
        return None


def traits(X: pl.DataFrame, member: np.ndarray) -> tuple[GroupTrait, ...]:
    """What sets the rows of a group apart from the others, the most telling first."""
    found = []
    if member.all():
        return ()
    for column in X.iter_columns():
        inside, outside = column.filter(pl.Series(member)).drop_nulls(), column.filter(pl.Series(~member)).drop_nulls()
        if len(inside) == 0 or len(outside) == 0:
            continue
        if column.dtype.is_numeric():
            spread = float(np.sqrt(np.nanmean([_variance(inside), _variance(outside)])))
            here, there = float(inside.median()), float(outside.median())  # type: ignore[arg-type]
            strength = abs(float(inside.mean()) - float(outside.mean())) / spread if spread > 0 else 0.0  # type: ignore[arg-type]
            words = f"{here:.3g}, elsewhere {there:.3g}"
            higher = float(inside.mean()) > float(outside.mean())  # type: ignore[arg-type]
        else:
            texts, others = inside.cast(pl.String), outside.cast(pl.String)
            shares = {
                value: (float((texts == value).mean()), float((others == value).mean()))
                for value in sorted(texts.unique().to_list())[:50]
            }
            value, (share, other) = max(shares.items(), key=lambda item: abs(item[1][0] - item[1][1]))
            strength, higher = 2.0 * abs(share - other), share > other
            words = f"{value}: {share:.0%}, elsewhere {other:.0%}"
        if strength >= SLIGHT:
            found.append(GroupTrait(column.name, words, float(strength), bool(higher)))
    return tuple(sorted(found, key=lambda trait: -trait.strength)[:TRAITS])


def _variance(column: pl.Series) -> float:
    found = column.cast(pl.Float64).var() if len(column) > 1 else None
    return np.nan if found is None else float(found)  # type: ignore[arg-type]


def _in_two(encoded: np.ndarray) -> tuple[np.ndarray, tuple[str, str]]:
    """Rows in the plane of their two leading principal components, and what the axes are."""
    if encoded.shape[1] == 1:
        spread = np.random.default_rng(0).uniform(-1.0, 1.0, len(encoded))
        return np.column_stack([encoded[:, 0], spread]), ("the one column, standardised", "spread out at random")
    plane = PCA(2, random_state=0).fit(encoded)
    shares = plane.explained_variance_ratio_
    return plane.transform(encoded), (
        f"first principal component ({shares[0]:.0%} of the variance)",
        f"second ({shares[1]:.0%})",
    )


def _words(found: GroupsFound, overlap: Overlap | None, things: str) -> str:
    sizes = ", ".join(f"{group.rows:,}" for group in found.groups[:8]) + (", …" if len(found.groups) > 8 else "")
    number = len(found.groups)
    if number < 2:
        return f"The saved model puts all {found.rows:,} {things} into one group."
    noise = f", and {found.noise:,} {things} in none" if found.noise else ""
    words = f"The saved model finds {number} groups of {sizes} {things}{noise}"
    if overlap is None:
        return words + "."
    first, second = overlap.pair or ("", "")
    blurred = "; they are hardly two" if overlap.maximum > BLURRED else ""
    return f"{words}; the most alike, {first} and {second}, overlap by {overlap.maximum:.2g}{blurred}."


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def refuse_other_wishes(request: Request) -> None:
    """Refuse whatever makes no sense without a target."""
    wrong = {
        "a target": request.target, "several targets": request.targets or None, "weights": request.weight,
        "a threshold": request.threshold, "a metric of your own": request.own,
        "an order in time (--by-time)": request.time, "survival times": request.lifetime, "events": request.event,
        "ordered classes": request.ordered or None,
    }  # fmt: skip
    for what, given in wrong.items():
        if given is not None:
            raise TreatiseError(f"groups (--task cluster) are found without a target and do not go with {what}; leave "
                                f"{given!r} out")  # fmt: skip
