"""One estimator on one table: its default, its best setting, and the obvious estimator, on the same folds."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from benchmarks._defaults.entrants import Entrant
from benchmarks._defaults.settings import settings_of
from benchmarks._defaults.tables import TriedTable, divide, read, score, task_of
from treatise.compare.candidates import Candidate
from treatise.compare.contest import signals
from treatise.compare.contest.isolation import Limits, Outcome, WorkerPool
from treatise.compare.contest.messages import BEGIN
from treatise.compare.inputs.base import Size

FOLDS = 3
SEED = 0
HOPELESS = 0.1
"""A setting so far behind the best on the first fold has the others left out."""
SHARE = 6
"""All settings of an estimator together may take so many times what one fit may."""
MEMORY = 4 * 2**30
WALL = 20
"""A busy machine may take so many times longer on the clock than the processor seconds that a fit may use."""


@dataclass(frozen=True)
class Tried:
    """What came out; scores are those of :func:`~benchmarks._defaults.tables.score`, None where there is none."""

    estimator: str
    paper: str
    table: str
    what: str
    task: str
    rows: int
    columns: int
    default: float | None
    best: float | None = None
    setting: dict[str, Any] = field(default_factory=dict)
    settings: int = 0
    obvious: float | None = None
    beside: str = ""
    why: str = ""

    def row(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def score_fold(table: TriedTable, candidate: Candidate, setting: dict[str, Any], fold: int) -> float:
    """The score of one fold, held out; runs in a process of its own."""
    data = read(table)
    training, held_out = divide(table, FOLDS, fold, SEED)
    pipeline = data.pipeline(candidate, setting, SEED)
    signals.tell(BEGIN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = data.apply(training.fit(pipeline), held_out.X)
    reached = score(table, held_out, found)
    if reached is None or not isfinite(reached):
        raise ValueError("what it predicts has no score")
    return reached


class Trial:
    """Runs fits in processes, each for at most ``cap`` processor seconds."""

    def __init__(self, cap: float) -> None:
        self.cap = cap
        self._limits = Limits(cap, MEMORY, WALL * (cap + 10.0))
        self._pool = WorkerPool()
        self._obvious: dict[tuple[TriedTable, str], float | None] = {}

    def close(self) -> None:
        """End the processes."""
        self._pool.close()

    def run(self, entrant: Entrant, table: TriedTable) -> Tried:
        """Try an estimator on a table."""
        task, size = task_of(table), read(table).size
        candidate = entrant.bare(task)
        about = (entrant.name, entrant.paper.id, table.name, table.what, task, size.rows, size.columns)
        why = self._too_much(candidate, Size(size.rows * (FOLDS - 1) // FOLDS, *size[1:]))
        if why:
            return Tried(*about, default=None, why=why)
        outcomes = self._folds(table, candidate, {})
        default, why = scores_of(outcomes), outcomes[-1].reason
        if default is None and outcomes[-1].kind != "error":  # too slow or too large: other settings are no quicker
            return Tried(*about, default=None, why=why)
        settings, scores = self._settings(table, candidate, entrant, default, outcomes)
        best, setting = best_of(settings, scores)
        obvious = entrant.obvious(table.asked or read(table).task)
        return Tried(
            *about, default=None if default is None else float(np.mean(default)), best=best, setting=setting,
            settings=len(settings), obvious=self._obvious_score(table, obvious), beside=obvious.entry.name,
            why=why if default is None else "",
        )  # fmt: skip

    def _settings(
        self, table: TriedTable, candidate: Candidate, entrant: Entrant, default: list[float] | None,
        outcomes: Sequence[Outcome],
    ) -> tuple[list[dict[str, Any]], list[list[float]]]:  # fmt: skip
        """The settings that were followed to the last fold, the default before others, with their scores."""
        settings, scores = ([{}], [default]) if default is not None else ([], [])
        spent = sum(outcome.seconds for outcome in outcomes)
        for setting in settings_of(entrant.compare):
            if spent > SHARE * self.cap:
                break
            leading = max((found[0] for found in scores), default=-np.inf)
            outcomes = self._folds(table, candidate, setting, lambda first, to=leading - HOPELESS: first < to)
            spent += sum(outcome.seconds for outcome in outcomes)
            found = scores_of(outcomes)
            if found is not None:
                settings.append(setting)
                scores.append(found)
        return settings, scores

    def _folds(
        self, table: TriedTable, candidate: Candidate, setting: dict[str, Any],
        hopeless: Callable[[float], bool] = lambda first: False,
    ) -> list[Outcome]:  # fmt: skip
        outcomes: list[Outcome] = []
        for fold in range(FOLDS):
            outcomes.append(self._pool.run(score_fold, (table, candidate, setting, fold), self._limits))
            if outcomes[-1].kind != "done" or (fold == 0 and hopeless(outcomes[-1].value)):
                break
        return outcomes

    def _too_much(self, candidate: Candidate, size: Size) -> str:
        """Why a fit is not even begun, by the catalogue's laws; nothing where it may be."""
        seconds, memory = candidate.compare.seconds.at(*size), candidate.compare.bytes.at(*size)
        if seconds > self.cap:
            return f"a fit would take about {seconds:.0f} s"
        return f"a fit would need about {memory / 2**30:.0f} GiB" if memory > MEMORY else ""

    def _obvious_score(self, table: TriedTable, candidate: Candidate) -> float | None:
        """What the obvious estimator scores, found once for all that it stands beside."""
        key = table, candidate.entry.path
        if key not in self._obvious:
            scores = scores_of(self._folds(table, candidate, {}))
            self._obvious[key] = None if scores is None else float(np.mean(scores))
        return self._obvious[key]


def scores_of(outcomes: Sequence[Outcome]) -> list[float] | None:
    """The scores of all folds; None where one is missing."""
    found = [outcome.value for outcome in outcomes if outcome.kind == "done"]
    return found if len(found) == FOLDS else None


def best_of(
    settings: Sequence[dict[str, Any]], scores: Sequence[Sequence[float]]
) -> tuple[float | None, dict[str, Any]]:
    """What the best setting scores on folds that did not choose it, and the setting that is best on all folds.

    Choosing by the scores that are then told would let the luck of many settings pass for merit. Each fold is scored
    with the setting that is best on the others.
    """
    if not settings:
        return None, {}
    table = np.array(scores)
    rest = (table.sum(axis=1, keepdims=True) - table).argmax(axis=0)
    return float(table[rest, np.arange(table.shape[1])].mean()), settings[int(table.sum(axis=1).argmax())]
