"""The end of a run: the decision, the chosen model fitted and explained, predictions, record and report written."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import polars as pl

from treatise.compare.blending import Blend
from treatise.compare.candidates import Candidate
from treatise.compare.contest.contest import REPORT_SECONDS, REPORT_SHARE, Contest
from treatise.compare.contest.decision import WAS_INTERRUPTED
from treatise.compare.contest.fold import Member, fit_whole, importance, learn
from treatise.compare.contest.isolation import Limits, WorkerPool
from treatise.compare.contest.known_groups import compared_on_known_groups
from treatise.compare.contest.outcome import Judgement
from treatise.compare.contest.requests import Requests
from treatise.compare.explaining import Trial, explained_methods, explanations
from treatise.compare.explaining.intervals import intervals_of_methods
from treatise.compare.explaining.rows import rows_of
from treatise.compare.explaining.selections import selection_of
from treatise.compare.explaining.theory import theory_lines
from treatise.compare.explaining.unlabelled import worth_of_unlabelled
from treatise.compare.inputs import FoldPredictions, Input
from treatise.compare.output import write_table
from treatise.io import load_model
from treatise.report import write_report
from treatise.report.explained import ColumnEffect, KnownGroups, Selection
from treatise.report.record import BestMethod, LeaderboardEntry, RunRecord

OVERRUN = 0.03
"""Of the budget: what the last fit may take beyond it, where it is on its way."""
LEAST_FIT = 2.0
START = 60.0
"""Seconds of processor time that the last fit has at least, and on the clock for a process to start if need be: without
its model a run is worth little."""
LEAST_EXPLAINING = 0.5
THEORY, THEORY_SHARE = 2.0, 0.2
"""Seconds that theory has at most for what it says, and share of those left."""
UNKNOWN = "Whole groups were held out; how methods do on rows of known groups was not measured, {why}."
MODEL = "best.skops"
MODELS = "models"


class LastFit(NamedTuple):
    """The parameters of a fit on the whole table, its rows where they are fewer, or why there is none.

    ``unfinished`` is what solvers said of it that did not converge.
    """

    params: dict[str, Any] | None
    rows: int | None
    complaint: str
    unfinished: tuple[str, ...] = ()

    def words(self, every: int) -> tuple[str, ...]:
        """What is to be known of the saved model, of a table of so many rows."""
        said = []
        if self.unfinished:
            said.append(
                f"The saved model did not converge, and may do worse than judged ({'; '.join(self.unfinished)})."
            )
        if self.rows is not None:
            said.append(f"The saved model was fitted on {self.rows:,} of {every:,} rows, as many as the budget held.")
        return tuple(said)


@dataclass(frozen=True)
class Ending:
    """What the end of a run works with."""

    contest: Contest
    judgement: Judgement
    pool: WorkerPool
    keep: int
    spreadsheet: bool
    examine: Callable[[RunRecord], RunRecord]
    """What the caller adds to the record once the model is there."""
    requests: Requests

    def finish(self, run: RunRecord) -> RunRecord:
        """The run's record, complete; everything that the run leaves is written."""
        folder, clock = self.contest.folder, self.contest.clock
        if run.leaderboard:
            run = self._examined(self._with_models(run))
            self._write_predictions(run)
        # Whoever asks from here on, when all is done but the page, gets it all.
        run = replace(_interrupted(run) if self.requests.noted else run, seconds=clock.elapsed)
        folder.write_json("run.json", run.to_plain())
        write_report(run, folder.path / "report.html")
        run = replace(run, seconds=clock.elapsed)
        folder.write_json("run.json", run.to_plain())
        folder.note_spent(clock.elapsed)
        return run

    def _examined(self, run: RunRecord) -> RunRecord:
        """The record with what the caller adds to it; whoever interrupts a run does not wait for that."""
        try:
            with self.requests.cut_short():
                return self.examine(run)
        except KeyboardInterrupt:
            return _interrupted(run)

    def _with_models(self, run: RunRecord) -> RunRecord:
        """Fit the recommended method and explain the best, at the same time where there are processors for it."""
        assert run.decision is not None
        contest = self.contest
        chosen = next(e for e in run.leaderboard if e.key == run.decision.key)
        contest.watch.finishing(chosen.label)
        explained = explained_methods(run.leaderboard, chosen.key)
        with ThreadPoolExecutor(max(1, contest.jobs)) as threads:
            fit = threads.submit(self._fit, run, chosen, MODEL)
            said = threads.submit(self._theory, run, chosen)
            # Models before explanations, which take what time is left.
            others = threads.submit(self._fit_others, run, chosen)
            known, weighed, tried = None, dict[str, Future[Any]](), None
            try:
                with self.requests.cut_short():
                    known = self._known_groups(run, explained, threads)
                    weighed = {e.key: threads.submit(self._weigh, run, e) for e in explained}
                    # A blend is not fitted anew with fewer rows; the best single method's curve stands for it.
                    single = next((e for e in explained if e.form != "blend"), chosen)
                    tried = threads.submit(self._learn, run, single)
                    begun: list[Future[Any]] = [fit, said, others, *weighed.values(), tried]
                    wait(begun)
            except KeyboardInterrupt:
                # What has begun ends; the rest is left out, but for the model, and a report tells of it all.
                threads.shutdown(cancel_futures=True)
                run = _interrupted(run)
            fitted = self._fit(run, chosen, MODEL) if fit.cancelled() else fit.result()
            theory = _unless_left_out(said, ())
            _unless_left_out(others, None)
            effects = {e.key: _unless_left_out(weighed.get(e.key), ()) for e in explained}
            trials = _unless_left_out(tried, ())
        parts = {e.key: self._out_of_fold(e.key) for e in explained}
        found = explanations(contest.data, contest.metric, contest.k, explained, parts, effects, trials)
        run = replace(run, best=self._best(chosen), selections=self._selections(run), **vars(found))
        run = replace(self._with_worth(self._with_intervals(run, chosen)), theory=theory)
        if known is not None:
            run = replace(run, known_groups=known, verdict=(*run.verdict, *known.words))
        elif contest.data.known_groups is not None:
            why = "as the run was interrupted" if run.status == "interrupted" else "for want of time"
            run = replace(run, verdict=(*run.verdict, UNKNOWN.format(why=why)))
        assert run.best is not None
        if fitted.params is None:
            sentence = f"{chosen.label} could not be fitted on the whole table: {fitted.complaint}."
            return replace(run, verdict=(*run.verdict, sentence))
        best = replace(run.best, model=MODEL, use=contest.data.usage(MODEL), params=fitted.params, rows=fitted.rows)
        shown, sentences = contest.data.portray(load_model(contest.folder.path / MODEL).model)
        sentences = (*sentences, *fitted.words(contest.data.size.rows))
        return replace(run, best=replace(best, **shown), verdict=(*run.verdict, *sentences))

    def _selections(self, run: RunRecord) -> tuple[Selection, ...]:
        """Which columns the selectors keep in their folds, or in their looks where they had none."""
        folder, field, found = self.contest.folder, self.contest.race.field, []
        for entry in run.leaderboard:
            candidate = field.get(entry.key)
            if candidate is None or candidate.compare.role != "transformer":
                continue
            own = [record for record in folder.folds if record.key == entry.key]
            done = [record for record in own if record.stage == "fold"] or own
            parts = [part for record in done if (part := folder.predictions(record)) is not None]
            found.append(selection_of(entry.key, entry.label, parts))
        return tuple(selection for selection in found if selection is not None)

    def _with_intervals(self, run: RunRecord, chosen: LeaderboardEntry) -> RunRecord:
        """Whether intervals around predicted amounts hold on held-out rows."""
        data = self.contest.data
        if data.task != "regression":
            return run
        found = intervals_of_methods(
            run.leaderboard, chosen.key, self._out_of_fold, data.units, in_time=data.in_time
        )  # fmt: skip
        words = tuple(intervals.words for intervals in found if intervals.key == chosen.key)
        return replace(run, intervals=found, verdict=(*run.verdict, *words))

    def _with_worth(self, run: RunRecord) -> RunRecord:
        """What rows without a label were worth, where there are some."""
        contest = self.contest
        learners = {key for key, candidate in contest.race.field.items() if candidate.compare.unlabelled}
        if not learners or not contest.data.unlabelled_rows:
            return run
        worth = worth_of_unlabelled(contest.data, run.leaderboard, learners, self._out_of_fold)
        return run if worth is None else replace(run, unlabelled=worth, verdict=(*run.verdict, worth.words))

    def _known_groups(
        self, run: RunRecord, explained: Sequence[LeaderboardEntry], threads: Executor
    ) -> KnownGroups | None:
        """How the best do on known groups; whoever interrupts a run does not wait for that."""
        if run.status == "interrupted" or self._left <= LEAST_EXPLAINING:
            return None
        return compared_on_known_groups(
            self.contest, run, explained, self.judgement.blends, self.pool, threads, lambda: self._left
        )

    def _theory(self, run: RunRecord, chosen: LeaderboardEntry) -> tuple[str, ...]:
        """What theory says of the table, as far as time is left for it."""
        if (left := self._left) <= LEAST_EXPLAINING:
            return ()
        parts = {e.key: self._out_of_fold(e.key) for e in run.leaderboard}
        seconds = min(THEORY, THEORY_SHARE * left)
        return theory_lines(rows_of(self.contest.data), chosen.key, chosen.label, parts, seconds)

    def _fit_others(self, run: RunRecord, chosen: LeaderboardEntry) -> None:
        """Fit and save others, as many as the rules keep: the best of the other kind, then those that come next.

        Beside a blend that is the best single method, beside a method the best blend; guessing comes after all others.
        """
        others = sorted((e for e in run.leaderboard if e.key != chosen.key), key=lambda e: e.form == "constant")
        other_kind = next((e for e in others if (e.form == "blend") != (chosen.form == "blend")), None)
        others.sort(key=lambda e: e is not other_kind)
        for entry in others[: self.keep - 1]:
            (self.contest.folder.path / MODELS).mkdir(exist_ok=True)
            self.contest.watch.finishing(entry.label)
            self._fit(run, entry, f"{MODELS}/{entry.key.replace('/', '-')}.skops")

    def _best(self, chosen: LeaderboardEntry) -> BestMethod:
        explained = self.contest.data.explain(self._out_of_fold(chosen.key))
        return BestMethod(chosen.key, chosen.label, chosen.params, rows=None, model=None, use=None, **vars(explained))

    @property
    def _left(self) -> float:
        """Seconds on the clock until everything but the report must be done."""
        clock = self.contest.clock
        return clock.left - self.contest.report_seconds(max(REPORT_SECONDS, REPORT_SHARE * clock.budget))

    def _fit(self, run: RunRecord, entry: LeaderboardEntry, name: str) -> "LastFit":
        """Fit a method on as much of the data as can be, and save it."""
        contest, race = self.contest, self.contest.race
        members = self._members(entry)
        # Of the time left, what the machine grants; a half is kept for a fit that is slower than it was.
        granted = 0.5 * max(LEAST_FIT, self._left) / contest.slowness / len(members)
        jobs = []
        for candidate, weight in members:
            rows = race.rows_for(candidate.key, granted, contest.data.size.rows)
            expected = race.expected(candidate.key, rows or contest.data.size.rows)
            # Searched for as long as in the folds that judged it.
            search = race.search_for(candidate.key, rows or contest.data.size.rows)
            tuning = min(search, max(0.0, granted - expected)) if run.status == "finished" else 0.0
            setting = None if tuning > 0 else entry.params if len(members) == 1 else {}
            jobs.append(Member(candidate, weight, rows, tuning, setting))
        settled = contest.data.settled(self._out_of_fold(entry.key))
        # A blend needs whatever one of its members needs; the first speaks for them else.
        needed = [contest.data.metadata(candidate) for candidate, _ in reversed(members)]
        metadata = {name: value for each in needed for name, value in each.items()}
        metadata |= {**settled, "label": entry.label, "metric": run.metric.name, "score": entry.score}
        path = (contest.folder.path / name).resolve()
        limits = Limits(
            float("inf"),
            float("inf"),
            max(self._left + OVERRUN * contest.clock.budget, START + LEAST_FIT * contest.slowness),
        )
        outcome = self.pool.run(
            fit_whole, (contest.folder.work, tuple(jobs), run.metric, run.seed, path, metadata), limits
        )
        if outcome.kind != "done":
            return LastFit(None, None, outcome.reason)
        parts = [job.rows for job in jobs if job.rows is not None and job.rows < contest.data.size.rows]
        params, short = outcome.value
        return LastFit(params, min(parts, default=None), "", tuple(short))

    def _members(self, entry: LeaderboardEntry) -> list[tuple[Candidate, float]]:
        """The methods that a model is made of: itself, or those of a blend with their weights."""
        field = self.contest.race.field
        blend = self._blend(entry.key)
        return [(field[entry.key], 1.0)] if blend is None else [(field[k], w) for k, w in blend.weights.items()]

    def _blend(self, key: str) -> Blend | None:
        return next((blend for blend in self.judgement.blends if blend.candidate.key == key), None)

    def _weigh(self, run: RunRecord, entry: LeaderboardEntry) -> Sequence[ColumnEffect] | str:
        """What each column is worth to a method, as far as time is left for it, or why that is not known."""
        contest, left = self.contest, self._left
        if entry.form == "blend":
            return "A blend has the columns of its members, which stand below it on the board."
        if left <= LEAST_EXPLAINING or not contest.data.weighable:
            return ()
        rows = contest.race.rows_for(entry.key, 0.3 * left / contest.slowness)
        candidate = contest.race.field[entry.key]
        job = (contest.folder.work, candidate, run.metric, run.folds.k, run.seed, rows, entry.params, 0.5 * left)
        outcome = self.pool.run(importance, job, Limits(float("inf"), contest.memory, left))
        if outcome.kind == "done":
            return outcome.value
        return () if outcome.kind == "late" else f"It could not be found out for {entry.label}: {outcome.reason}."

    def _learn(self, run: RunRecord, entry: LeaderboardEntry) -> tuple[Trial, ...]:
        """Scores of a method with fewer rows, as far as time is left for them."""
        contest, left = self.contest, self._left
        if entry.form == "blend" or left <= LEAST_EXPLAINING:
            return ()
        candidate = contest.race.field[entry.key]
        job = (contest.folder.work, candidate, entry.params, run.metric, run.folds.k, run.seed, 0.4 * left)
        outcome = self.pool.run(learn, job, Limits(float("inf"), contest.memory, left))
        return outcome.value if outcome.kind == "done" else ()

    def _out_of_fold(self, key: str) -> Sequence[FoldPredictions]:
        blend = self._blend(key)
        if blend is None:
            return self.contest.folder.out_of_fold(key)
        return [part for record, part in blend.parts if record.repeat == 0]

    def _write_predictions(self, run: RunRecord) -> None:
        """The first repeat's predictions of every contender, one column each; empty where a fold is not done."""
        shown = [e for e in run.leaderboard if e.stage == "folds"] or run.leaderboard
        parts = {e.key: found for e in shown if (found := self._out_of_fold(e.key))}
        if not parts:
            return
        data = self.contest.data
        if not any(data.told(part.actual) for found in parts.values() for part in found[:1]):
            return
        together = pl.concat(_rows(data, found, "actual") for found in parts.values())
        table = together.unique("row").sort("row")
        for key, found in parts.items():
            table = table.join(_rows(data, found, "predicted", key), on="row", how="left")
        write_table(table, self.contest.folder.path / "out_of_fold.csv", spreadsheet=self.spreadsheet)


def _interrupted(run: RunRecord) -> RunRecord:
    """The record of a run that was asked to end, with the sentence that says so."""
    if run.status == "interrupted":
        return run
    return replace(run, status="interrupted", verdict=(*run.verdict, WAS_INTERRUPTED))


def _unless_left_out(job: "Future[Any] | None", otherwise: Any) -> Any:
    """What a job came to, or what stands for it where an interrupted run left it out or never came to it."""
    return otherwise if job is None or job.cancelled() else job.result()


def _rows(data: Input, parts: Sequence[FoldPredictions], what: str, name: str | None = None) -> pl.DataFrame:
    """The actual or the predicted values of rows, in columns that begin with a name."""
    return pl.concat(
        pl.DataFrame(
            {"row": part.numbers}
            | {f"{name or what} {end}".strip(): values for end, values in data.told(getattr(part, what)).items()}
        )
        for part in parts
    )
