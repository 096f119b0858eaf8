"""Comparisons on groups: who wins for new groups, who for known ones, and what becomes of runs without either."""

import json
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from treatise._core.errors import TreatiseError
from treatise.cli import app
from treatise.compare import Observer, compare_methods
from treatise.compare.contest.isolation import Outcome
from treatise.compare.contest.known_groups import _Asked, _Rounds
from treatise.compare.explaining.known_groups import known_groups_of
from treatise.compare.inputs import FoldPredictions
from treatise.io import load_model
from treatise.report import render_report
from treatise.report.record import FoldRecord, LeaderboardEntry, Metric, RunRecord

MIXED = "v15-1351/VariationalGLMM-gaussian"


def schools(effect, *, seed=0, groups=40, rows=10):
    """Pupils with a mark that a column explains in part, and the school as far as it has an effect."""
    rng = np.random.default_rng(seed)
    school = np.repeat(np.arange(groups), rows)
    x = rng.normal(size=groups * rows)
    mark = x + effect * rng.normal(size=groups)[school] + rng.normal(size=len(x))
    return pl.DataFrame({"school": [f"s{number}" for number in school], "x": x, "mark": mark})


@pytest.fixture(scope="module")
def strong(tmp_path_factory, shared_contestants):
    """A run in which schools tell most."""
    folder = tmp_path_factory.mktemp("strong")
    schools(2.0).write_csv(folder / "pupils.csv")
    return shared_contestants(
        lambda: compare_methods(
            folder / "pupils.csv", "mark", group="school", budget=90, jobs=2, output=folder / "run", keep=3
        ),
        "Ridge",
        "DummyRegressor",
        task="regression",
    )


def by_key(comparison):
    return {score.key: score for score in comparison.run.known_groups.methods}


def test_the_mixed_model_wins_on_known_groups_and_is_level_on_new_ones(strong):
    found, run = by_key(strong), strong.run
    mixed, plain = found[MIXED], found["sklearn/Ridge"]
    assert mixed.takes_groups and not plain.takes_groups
    # By the variances drawn: 5 of 6 parts can be explained where the school is known, 1 of 6 where it is not.
    assert mixed.known > 0.7 and plain.known < 0.35
    assert abs(mixed.new - plain.new) < 0.05 and mixed.new < 0.35
    assert run.known_groups.methods[0].key == MIXED
    assert mixed.standing == "best" and plain.standing == "worse"
    assert run.known_groups.judged == 400 and run.known_groups.groups == 40 and run.known_groups.folds == run.folds.k


def test_new_groups_decide_and_both_are_told(strong):
    run = strong.run
    scores = {entry.key: entry.score for entry in run.leaderboard}
    for key, score in by_key(strong).items():
        assert score.new == scores[key]
    assert max(entry.score for entry in run.leaderboard) < 0.35
    told = " ".join(run.verdict)
    assert "The verdict is for rows of a new 'school'" in told
    assert "On held-out rows of known groups VariationalGLMM (gaussian) has R²" in told
    page = render_report(run)
    assert 'id="known-groups"' in page and "learns from groups" in page
    plain = json.loads((strong.folder / "run.json").read_text())
    assert RunRecord.from_plain(plain).known_groups == run.known_groups
    assert "--group=school" in run.command


def test_kept_models_predict_known_and_new_groups(strong, tmp_path):
    mixed = strong.models["VariationalGLMM (gaussian)"]
    frame = schools(2.0)
    assert mixed.score(frame).measurements[0].score > 0.7
    new = tmp_path / "new.csv"
    pl.DataFrame({"x": [0.0, 0.0], "school": ["s1", "s4000"]}).write_csv(new)
    kept = strong.folder / "models" / "v15-1351-VariationalGLMM-gaussian.skops"
    model = kept if kept.is_file() else strong.folder / strong.run.best.model
    found = CliRunner().invoke(app, ["predict", str(model), str(new)])
    assert found.exit_code == 0 and "1 row holds a value of 'school' that the model has not seen" in found.stderr
    pl.DataFrame({"x": [0.0]}).write_csv(new)
    found = CliRunner().invoke(app, ["predict", str(model), str(new)])
    assert found.exit_code != 0 and "lacks the column 'school'" in found.stderr


def test_single_rows_are_no_groups_to_know(contestants, tmp_path):
    contestants("Ridge", "DummyRegressor", task="regression")
    frame = schools(1.0, groups=60, rows=1)
    run = compare_methods(frame, "mark", group="school", budget=90, jobs=2, output=tmp_path / "run").run
    assert run.known_groups is None and {entry.key for entry in run.leaderboard} >= {"sklearn/Ridge"}
    assert MIXED not in {method.key for method in run.methods}
    assert not any("known groups" in sentence for sentence in run.verdict)


def test_one_group_is_an_error_before_anything_runs(tmp_path):
    with pytest.raises(TreatiseError, match="all rows have the same 'school'"):
        compare_methods(schools(1.0, groups=1, rows=50), "mark", group="school", budget=30, output=tmp_path / "run")


class Interrupting(Observer):
    """Presses Ctrl-C after so many folds."""

    def __init__(self, after):
        self.left = after

    def fold_done(self, *args):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_an_interrupted_run_goes_on_and_without_effects_of_groups_nothing_is_lost(contestants, tmp_path):
    contestants("Ridge", "DummyRegressor", task="regression")
    frame, wishes = schools(0.0, groups=20), {"group": "school", "budget": 90, "jobs": 1, "output": tmp_path / "run"}
    first = compare_methods(frame, "mark", observer=Interrupting(4), **wishes).run
    assert first.status == "interrupted" and first.known_groups is None
    done = sum(len(entry.scores) for entry in first.leaderboard)
    second = compare_methods(frame, "mark", **wishes)
    assert second.run.status == "finished" and second.run.best.model is not None
    assert sum(len(entry.scores) for entry in second.run.leaderboard if entry.form != "blend") >= done
    found = by_key(second)
    # There is nothing to know of a school: half of the variance is explained in any case.
    assert abs(found[MIXED].known - found["sklearn/Ridge"].known) < 0.05
    assert all(score.standing != "worse" for score in found.values())


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_request_to_end_while_known_groups_are_compared_leaves_a_report_and_a_model(
    contestants, tmp_path, monkeypatch
):
    contestants("Ridge", "DummyRegressor", task="regression")
    judged, asked = _Rounds._judged, []

    def interrupted(self, *args):
        asked.append(args)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return judged(self, *args)

    monkeypatch.setattr(_Rounds, "_judged", interrupted)
    frame, wishes = schools(0.0, groups=20), {"group": "school", "budget": 90, "jobs": 1, "output": tmp_path / "run"}
    run = compare_methods(frame, "mark", **wishes).run
    assert run.status == "interrupted" and run.known_groups is None
    assert "not measured, as the run was interrupted" in " ".join(run.verdict)
    assert load_model(tmp_path / "run" / run.best.model).metadata["label"] == run.best.label
    assert "interrupted" in (tmp_path / "run" / "report.html").read_text()
    again = compare_methods(frame, "mark", **wishes).run
    assert again.status == "finished" and again.known_groups is not None


# The time that known groups have.


class Ending:
    """The end of a contest on a clock of its own: folds that take so many seconds, one processor, a fit before them."""

    def __init__(self, seconds, left, fit, k=5):
        self.seconds, self.now, self.left_at_start, self.waits = seconds, 0.0, left, [fit]
        self.asked = []
        course = SimpleNamespace(training_rows=100)
        race = SimpleNamespace(course=course, expected=lambda key, rows: seconds[key], field=dict.fromkeys(seconds))
        folder = SimpleNamespace(work=Path("new"))
        contest = SimpleNamespace(
            race=race, k=k, jobs=1, slowness=1.0, seed=0, metric=None, memory=np.inf, folder=folder
        )
        entries = {key: SimpleNamespace(stage="folds", rows=100, params={}) for key in seconds}
        self.rounds = _Rounds(contest, entries, self, self, self.left)

    def left(self):
        return self.left_at_start - self.now

    def map(self, function, items):
        """As an executor whose one thread fits the chosen model first."""
        self.now += self.waits.pop() if self.waits else 0.0
        return [function(item) for item in items]

    def run(self, function, jobs, limits):
        """As a pool of one process."""
        key = jobs[0].turn.key
        self.asked.append(key)
        if self.seconds[key] > limits.wall:
            self.now += limits.wall
            return Outcome("late")
        self.now += self.seconds[key]
        return Outcome("done", value=key, wall=self.seconds[key])

    def found(self):
        return self.rounds.run([_Asked(Path("known"), key) for key in self.seconds])


def test_waiting_for_the_last_fit_is_no_time_of_known_groups():
    """The fit takes half of what is left; folds of half a second must not look as if they had taken as long."""
    ending = Ending({"a": 0.2, "b": 0.3}, left=8.0, fit=4.0)
    assert len(ending.found()) >= 2
    assert ending.left() > 0
    assert len(Ending({"a": 0.2, "b": 0.3}, left=8.0, fit=0.0).found()) == 5


def test_two_folds_come_before_explanations_and_more_do_not():
    ending = Ending({"a": 1.0}, left=4.0, fit=1.5)
    assert len(ending.found()) == 2, "the second leaves less than half for explanations, and a third is not begun"


def test_a_slow_method_does_not_keep_the_others_from_known_groups():
    ending = Ending({"chosen": 0.5, "slow": 30.0, "mixed": 0.5}, left=10.0, fit=2.0)
    found = ending.found()
    assert len(found) >= 2 and "slow" not in ending.asked
    assert {each.key for each in found[0]} == {"chosen", "mixed"}


def entry(key, score):
    kept = {"score": score, "low": score - 0.1, "high": score + 0.1, "key": key, "label": key.upper(), "rank": 1}
    others = dict.fromkeys(LeaderboardEntry.__dataclass_fields__)
    return LeaderboardEntry(**others | kept)


def folds(key, levels, rng):
    """Folds of a method whose merits lie about a level."""
    parts = []
    for fold, level in enumerate(levels):
        numbers = np.arange(40) + 40 * fold
        record = FoldRecord(key, "fold", 0, 0, fold, 160, 40, level, {}, 0.1, 0.1, {}, 0.1, 0.0)
        merits = level + 0.1 * rng.normal(size=40)
        parts.append((record, FoldPredictions(numbers, numbers, numbers, None, merits=merits)))
    return parts


@pytest.mark.parametrize(
    ("level", "standing", "words"),
    [
        (0.2, "worse", "for groups that are in the table take B"),
        (0.9, "best", "nothing that was tried on them is better: it serves both"),
        (0.8, "equivalent", "which is as good: it serves both"),
    ],
)
def test_the_recommended_method_is_told_from_the_best_on_known_groups(level, standing, words):
    rng = np.random.default_rng(0)
    known = {"a": folds("a", [level] * 5, rng), "b": folds("b", [0.8] * 5, np.random.default_rng(0))}
    found = known_groups_of(
        "school", np.arange(200) // 10, [entry("a", 0.5), entry("b", 0.4)], {"b"}, {}, known,
        Metric("r2", "R²", True, None, 1.0), 5, margin=0.05,
    )  # fmt: skip
    ours = next(score for score in found.methods if score.key == "a")
    assert ours.standing == standing or (standing == "equivalent" and ours.standing in ("best", "equivalent"))
    assert (ours.new, ours.new_low) == (0.5, 0.4) and ours.known == pytest.approx(level)
    assert words in found.words[1] or "it serves both" in words
    assert [score.takes_groups for score in sorted(found.methods, key=lambda score: score.key)] == [False, True]
    assert found.judged == 200 and found.groups == 20


def test_folds_of_new_groups_stand_for_looks_at_a_sample():
    rng = np.random.default_rng(0)
    parts = {key: folds(key, [0.5, 0.6], rng) for key in "ab"}
    metric = Metric("rmse", "RMSE", False, 0.0)
    found = known_groups_of(
        "g", np.arange(80) // 4, [entry("a", 3.0), entry("b", 4.0)], set(), {"b": parts["b"]}, parts, metric, 5, 0.1
    )
    assert {score.key: score.new for score in found.methods} == {"a": 3.0, "b": pytest.approx(0.55)}
    assert (
        known_groups_of("g", np.arange(80), [entry("a", 3.0)], set(), {}, {"a": parts["a"][:1]}, metric, 5, 0) is None
    )
