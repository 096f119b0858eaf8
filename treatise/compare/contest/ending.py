"""The end of a run: the winner fitted and explained, predictions, record and report written."""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from treatise._core.files import replacing
from treatise.compare.candidates import Candidate
from treatise.compare.contest.fold import fit_best, importance
from treatise.compare.contest.folder import RunFolder
from treatise.compare.contest.isolation import WorkerPool
from treatise.compare.contest.schedule import Clock, Schedule
from treatise.compare.inputs import FoldPredictions, Input
from treatise.compare.observer import Observer
from treatise.compare.rules import Rules
from treatise.report import write_report
from treatise.report.record import BestMethod, LeaderboardEntry, RunRecord

REPORT_SECONDS = 1.0
OVERRUN = 0.07
START_SECONDS = 20.0
"""How long the last fit waits for a process at least."""
GRACE = 3.0
"""Of its own time in a fold, what the last fit may take at least."""
MODEL = "best.skops"
MODELS = "models"


@dataclass(frozen=True)
class Ending:
    """What the end of a run works with."""

    data: Input
    candidates: list[Candidate]
    folder: RunFolder
    pool: WorkerPool
    clock: Clock
    schedule: Schedule
    watch: Observer
    rules: Rules

    def finish(self, run: RunRecord) -> RunRecord:
        """The run's record, complete; everything that the run leaves is written."""
        if run.leaderboard:
            run = self._with_winner(run)
            self._write_predictions(run)
        run = replace(run, seconds=self.clock.elapsed)
        self.folder.write_json("run.json", run.to_plain())
        write_report(run, self.folder.path / "report.html")
        run = replace(run, seconds=self.clock.elapsed)
        self.folder.write_json("run.json", run.to_plain())
        self.folder.note_spent(self.clock.elapsed)
        return run

    def _with_winner(self, run: RunRecord) -> RunRecord:
        winner = run.leaderboard[0]
        candidate = next(c for c in self.candidates if c.key == winner.key)
        explained = self.data.explain(self.folder.out_of_fold(candidate.key))
        best = BestMethod(
            candidate.key, candidate.label, winner.params, model=None, use=None, **vars(explained), importance=()
        )
        if run.status != "finished":
            return replace(run, best=best)
        self.watch.finishing(candidate.label)
        params, complaint = self._fit(run, candidate, winner, MODEL)
        if params is None:
            sentence = f"The winner could not be fitted on the whole table: {complaint}."
            return replace(run, best=best, verdict=(*run.verdict, sentence))
        use = self.data.usage(MODEL)
        best = replace(best, model=MODEL, use=use, params=params)
        run = replace(run, best=self._weighed(run, best, candidate))
        self._fit_others(run)
        return run

    def _fit_others(self, run: RunRecord) -> None:
        """Fit and save those that come next, as many as the rules keep."""
        for entry in run.leaderboard[1 : self.rules.keep]:
            candidate = next(c for c in self.candidates if c.key == entry.key)
            (self.folder.path / MODELS).mkdir(exist_ok=True)
            self.watch.finishing(candidate.label)
            self._fit(run, candidate, entry, f"{MODELS}/{candidate.key.replace('/', '-')}.skops")

    @property
    def _last(self) -> float:
        """Seconds from the start at which everything but the report must be done."""
        return self.clock.budget * (1 + OVERRUN) - REPORT_SECONDS

    def _fit(
        self, run: RunRecord, candidate: Candidate, entry: LeaderboardEntry, file: str
    ) -> tuple[dict[str, Any] | None, str]:
        """The parameters of the final fit, or why there is none."""
        score = {"metric": run.metric.name, "score": entry.score}
        best_fit, left = self.schedule.best_fit_seconds, self._last - self.clock.elapsed
        # The search may take what it took in a fold, as long as the fit after it still fits in.
        tuning = min(self.schedule.tuning_seconds, max(0.0, self.clock.left - REPORT_SECONDS - 2 * best_fit))
        path = (self.folder.path / file).resolve()
        settled = self.data.settled(self.folder.out_of_fold(candidate.key))
        metadata = {**self.data.metadata(candidate), **settled, **score}
        job = (self.folder.work, candidate, run.metric, run.seed, tuning, path, metadata)
        # Without its model a run is worth little: on a busy machine the last fit may outlast the budget a little.
        seconds = max(1.0, left, GRACE * best_fit)
        outcome = self.pool.run(fit_best, job, seconds, float("inf"), max(left, START_SECONDS))
        return (outcome.value, "") if outcome.kind == "done" else (None, outcome.reason)

    def _weighed(self, run: RunRecord, best: BestMethod, candidate: Candidate) -> BestMethod:
        """The winner with the effect of each column, as far as time is left for it."""
        left = self.clock.left - REPORT_SECONDS - self.schedule.best_fit_seconds
        if left <= 0:
            return best
        job = (self.folder.work, candidate, run.metric, run.folds.k, run.seed, best.params, left)
        seconds = self._last - self.clock.elapsed
        outcome = self.pool.run(importance, job, max(1.0, seconds), float("inf"), seconds)
        return replace(best, importance=outcome.value) if outcome.kind == "done" else best

    def _write_predictions(self, run: RunRecord) -> None:
        """The first repeat's predictions of every method, one column each; empty where a fold is not done."""
        parts = {e.key: found for e in run.leaderboard if (found := self.folder.out_of_fold(e.key))}
        if not parts:
            return
        together = pl.concat(_rows(found, "actual") for found in parts.values())
        table = together.unique("row").sort("row")
        for key, found in parts.items():
            table = table.join(_rows(found, "predicted").rename({"predicted": key}), on="row", how="left")
        with replacing(self.folder.path / "out_of_fold.csv") as temporary:
            table.write_csv(temporary)


def _rows(parts: list[FoldPredictions], what: str) -> pl.DataFrame:
    return pl.concat(pl.DataFrame({"row": part.numbers, what: getattr(part, what)}) for part in parts)
