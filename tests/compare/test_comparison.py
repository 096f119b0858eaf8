"""The main job from a table to its folder: complete, honest about failures, within the budget, resumable."""

import json
import os
import pkgutil
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_diabetes

from treatise._core.errors import TreatiseError
from treatise.compare import Observer, compare_methods, predict_table
from treatise.compare.comparison import LEAST_BUDGET
from treatise.compare.contest.contest import Contest
from treatise.compare.contest.ending import Ending
from treatise.datasets import load_table
from treatise.io import load_model
from treatise.report import RunRecord
from treatise.report.record import DroppedColumn


class Recorder(Observer):
    """Keeps what it was told."""

    def __init__(self):
        self.events = []

    def understood(self, data, metric):
        self.events.append(("understood", data.task))

    def planned(self, candidates, failures, resumed):
        self.events.append(("planned", len(candidates), resumed))

    def fold_done(self, label, score, board, elapsed, left):
        self.events.append(("fold", label, left))

    def failed(self, failure):
        self.events.append(("failed", failure.label, failure.kind))

    def finishing(self, label):
        self.events.append(("finishing", label))


@pytest.fixture(scope="module")
def watched():
    return Recorder()


@pytest.fixture(scope="module")
def finished(csv, shared_contestants, watched, tmp_path_factory):
    """A finished run that no test changes."""
    output = tmp_path_factory.mktemp("finished") / "run"

    def make():
        return compare_methods(csv, "label", metric="accuracy", budget=120, jobs=2, output=output, observer=watched)

    return shared_contestants(make, "LogisticRegression", "DummyClassifier")


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of that run's folder."""
    return Path(shutil.copytree(finished.folder, tmp_path / "copied"))


def test_a_run_leaves_everything_and_its_model_predicts_the_file(csv, finished, watched):
    run, folder = finished.run, finished.folder
    assert {"report.html", "best.skops", "out_of_fold.csv", "run.json", "journal.jsonl"} <= {
        p.name for p in folder.iterdir()
    }
    assert not list(folder.glob("work-*"))
    assert json.loads((folder / "run.json").read_text()) == run.to_plain()
    assert RunRecord.from_plain(json.loads((folder / "run.json").read_text())) == run
    assert [entry.label for entry in run.leaderboard] == ["LogisticRegression", "DummyClassifier"]
    assert [entry.standing for entry in run.leaderboard] == ["best", "worse"]
    assert run.decision.key == "sklearn/LogisticRegression"
    assert run.data.dropped == (DroppedColumn("id", "looks like an identifier: every value differs"),)
    assert run.importance[0].label == "LogisticRegression"
    assert {row.column for row in run.importance[0].columns} == {"size <i>", "town"}
    assert [event[0] for event in watched.events[:2]] == ["understood", "planned"]
    assert watched.events[-1] == ("finishing", "LogisticRegression")
    predictions = predict_table(load_model(folder / "best.skops"), load_table(csv))
    actual = pl.read_csv(csv)["label"]
    assert (predictions["prediction"] == actual).mean() > 0.85
    assert finished.best.metadata["target"] == "label" and finished.best.metadata["kind"] == "table"
    assert finished.leaderboard["rank"].to_list() == [1, 2]


def test_the_command_in_the_record_makes_the_same_run(csv, finished):
    command = shlex.split(finished.run.command)
    assert command[:3] == ["treatise", "compare", str(csv)]
    assert command[3:] == [
        "--target=label", "--task=binary", "--metric=accuracy", "--budget=120", "--jobs=2", "--seed=0",
    ]  # fmt: skip


def test_out_of_fold_predictions_agree_with_the_reported_score(finished):
    run, folder = finished.run, finished.folder
    held_out = pl.read_csv(folder / "out_of_fold.csv")
    right = (held_out["actual"] == held_out["sklearn/LogisticRegression"]).to_numpy()
    for score in run.leaderboard[0].scores:
        with np.load(folder / "folds" / f"sklearn-LogisticRegression-fold-0-{score.fold}.npz") as part:
            assert right[part["numbers"]].mean() == pytest.approx(score.score)
    matrix = np.array(run.best.confusion.matrix)
    assert np.trace(matrix) == right.sum()
    assert matrix.sum() == len(right) == 240


def test_no_misbehaving_method_ends_the_run(csv, contestants, tmp_path, monkeypatch):
    monkeypatch.setattr("treatise.compare.contest.contest.MEMORY_SHARE", 0.05)
    contestants(
        "hostile.Raises", "hostile.Hangs", "hostile.EatsMemory", "hostile.Dies", "hostile.Prints", "LogisticRegression"
    )
    run = compare_methods(csv, "label", budget=30, jobs=2, output=tmp_path / "run").run
    assert run.seconds <= 33
    kinds = {failure.label: failure.kind for failure in run.failures}
    assert kinds == {"Raises": "error", "Hangs": "time", "EatsMemory": "memory", "Dies": "error"}
    assert {entry.label for entry in run.leaderboard if entry.form != "blend"} == {"LogisticRegression", "Prints"}
    reason = next(f.reason for f in run.failures if f.label == "Raises")
    assert reason == "ValueError: the matrix is <singular>"
    page = (tmp_path / "run" / "report.html").read_text()
    assert "<singular>" not in page
    assert "&lt;singular&gt;" in page


def test_the_least_budget_gives_an_answer_though_it_is_spent_before_the_first_fold(csv, contestants, tmp_path):
    contestants("LogisticRegression", "DummyClassifier")
    run = compare_methods(csv, "label", budget=LEAST_BUDGET, spent=LEAST_BUDGET, jobs=1, output=tmp_path / "run").run
    assert [entry.label for entry in run.leaderboard] == ["LogisticRegression"]
    assert (tmp_path / "run" / "best.skops").exists()
    assert [failure.label for failure in run.failures] == ["DummyClassifier"]


def test_nothing_from_the_file_reaches_the_page_unescaped(finished):
    page = (finished.folder / "report.html").read_text()
    assert "<script>alert(1)" not in page
    assert "size <i>" not in page
    assert "size &lt;i&gt;" in page


def test_a_model_of_a_part_of_the_rows_says_so(csv, contestants, tmp_path, monkeypatch):
    contestants("LogisticRegression", "DummyClassifier")
    monkeypatch.setattr("treatise.compare.contest.race.Race.rows_for", lambda *_: 60)
    run = compare_methods(csv, "label", budget=20, jobs=1, folds=2, output=tmp_path / "run").run
    assert run.best.rows == 60
    every = sum(run.data.counts)
    assert f"fitted on 60 of {every} rows" in " ".join(run.verdict)
    assert "fitted on 60 rows, as many" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_when_every_method_fails_the_report_still_says_why(csv, contestants, tmp_path):
    contestants("hostile.Raises", "hostile.Dies")
    run = compare_methods(csv, "label", budget=60, jobs=1, output=tmp_path / "run").run
    assert run.leaderboard == ()
    assert run.best is None
    assert len(run.failures) == 2
    assert "No method finished" in (tmp_path / "run" / "report.html").read_text()


def test_a_method_that_never_had_its_turn_is_named(csv, contestants, tmp_path, monkeypatch):
    contestants("LogisticRegression", "DummyClassifier")
    monkeypatch.setattr(Contest, "folds_left", property(lambda contest: 0.0 if contest.folder.folds else 60.0))
    run = compare_methods(csv, "label", budget=60, jobs=1, output=tmp_path / "run").run
    assert [entry.label for entry in run.leaderboard] == ["LogisticRegression"]
    (failure,) = run.failures
    assert (failure.label, failure.kind, failure.folds) == ("DummyClassifier", "time", 0)
    assert "before its turn" in failure.reason
    assert '"failure"' not in (tmp_path / "run" / "journal.jsonl").read_text()


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return pl.from_pandas(X.assign(progression=y))


def test_every_real_candidate_of_regression_within_the_budget(diabetes, tmp_path, contestants):
    contestants.repeats(10)
    contestants.slow_clock(1)
    run = compare_methods(diabetes, "progression", budget=20, jobs=2, output=tmp_path / "run").run
    labels = {entry.label for entry in run.leaderboard} | {failure.label for failure in run.failures}
    assert {"Ridge", "RandomForestRegressor", "SVR", "DummyRegressor", "HistGradientBoostingRegressor"} <= labels


def test_a_regression_reaches_the_known_level_and_shows_its_residuals(diabetes, tmp_path, contestants):
    contestants("Ridge", "DummyRegressor", task="regression")
    run = compare_methods(diabetes, "progression", budget=120, jobs=2, output=tmp_path / "run").run
    assert len(run.best.residuals.actual) == len(diabetes)
    # The known level of the best linear methods on this table is R2 of about 0.48.
    assert run.leaderboard[0].score > 0.4


def test_the_same_seed_gives_the_same_folds_and_scores(csv, contestants, finished, tmp_path):
    contestants("LogisticRegression")
    run = compare_methods(csv, "label", metric="accuracy", budget=120, jobs=1, output=tmp_path / "run").run
    scores = [[s.score for s in each.leaderboard[0].scores] for each in (finished.run, run)]
    assert len(scores[0]) == 5
    assert scores[0] == scores[1]


def test_a_finished_run_goes_on_when_there_is_more_to_do(csv, contestants, finished, copied):
    # One whose accuracy is level with the first, so that both have more to do.
    contestants("LogisticRegression", "SVC")
    contestants.repeats(2)
    watch = Recorder()
    second = compare_methods(csv, "label", metric="accuracy", budget=240, jobs=1, output=copied, observer=watch).run
    assert watch.events[1] == ("planned", 2, finished.run.race.folds)
    assert max(entry.folds for entry in second.leaderboard) == 10
    assert second.seconds > finished.run.seconds
    (now,) = [entry for entry in second.leaderboard if entry.label == "LogisticRegression"]
    assert now.scores[:5] == finished.run.leaderboard[0].scores


def test_a_folder_of_another_run_or_of_something_else_is_refused(csv, copied, tmp_path):
    with pytest.raises(TreatiseError, match=r"another run \(it differs in: metric\)"):
        compare_methods(csv, "label", budget=60, jobs=1, metric="roc_auc", output=copied)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with pytest.raises(TreatiseError, match="holds no run"):
        compare_methods(csv, "label", budget=60, jobs=1, output=tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "precious"


def test_a_torn_last_line_of_the_journal_is_mended_and_a_damaged_one_refused(csv, contestants, copied):
    contestants("LogisticRegression", "DummyClassifier")
    options = {"metric": "accuracy", "budget": 240, "jobs": 1, "output": copied}
    journal = copied / "journal.jsonl"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:9]) + "\n" + lines[9][:20])
    watch = Recorder()
    compare_methods(csv, "label", **options, observer=watch)
    assert watch.events[1] == ("planned", 2, 8)
    done = [json.loads(line)["fold"] for line in journal.read_text().splitlines() if line.startswith('{"fold"')]
    places = [(fold["key"], fold["stage"], fold["sample"], fold["repeat"], fold["fold"]) for fold in done]
    assert len(set(places)) == len(places) >= len(lines) - 3
    journal.write_text("\n".join([lines[0], lines[1][:20], *lines[2:]]) + "\n")
    with pytest.raises(TreatiseError, match="line 2 is damaged"):
        compare_methods(csv, "label", **options)


def record_of(answer):
    """The record that ``--json`` prints, which also names the folder."""
    plain = json.loads(answer)
    assert plain.pop("folder")
    return RunRecord.from_plain(plain)


# The command as a process of its own, with two quick methods.
PROGRAM = """
import os, sys
from treatise.cli import main
from treatise.compare.candidates import all_candidates
from treatise.compare.inputs import base
from treatise.compare.inputs import rows

base.MOST_REPEATS = int(os.environ["REPEATS"])

rows.all_candidates = lambda task: [c for c in all_candidates(task) if c.label in ("LogisticRegression", "SVC")]
sys.argv[0] = "treatise"
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_resumes(csv, tmp_path, blow):
    """Ctrl-C and a request to end leave a board, a report and a model; the same command goes on."""

    words = ["compare", csv, "--target", "label", "--budget", 600, "--jobs", 2, "--output", tmp_path / "run", "--json"]
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    unending, short = ({**os.environ, "REPEATS": most} for most in ("1000", "2"))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    journal = tmp_path / "run" / "journal.jsonl"
    with subprocess.Popen(command, text=True, env=unending, **pipes) as process:
        while process.poll() is None and not (journal.exists() and journal.read_text().count('{"fold"') >= 4):
            time.sleep(0.05)
        process.send_signal(blow)
        out, err = process.communicate()
    done = journal.read_text().count('{"fold"')
    assert 4 <= done < 15
    if blow != signal.SIGKILL:
        assert (tmp_path / "run" / "best.skops").exists()
        assert process.returncode == 130
        assert "Traceback" not in err
        run = record_of(out)
        assert run.status == "interrupted"
        assert run.leaderboard
        assert "interrupted" in (tmp_path / "run" / "report.html").read_text()
    if blow == signal.SIGTERM:
        return
    again = subprocess.run(command, capture_output=True, text=True, env=short)
    assert again.returncode == 0, again.stderr
    run = record_of(again.stdout)
    assert run.status == "finished"
    assert sum(entry.folds for entry in run.leaderboard) > done
    assert (tmp_path / "run" / "best.skops").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_request_to_end_after_the_last_fold_leaves_a_report_and_a_model(csv, contestants, tmp_path, monkeypatch):
    contestants("LogisticRegression", "DummyClassifier")

    def interrupted(*args):
        os.kill(os.getpid(), signal.SIGINT)
        return ()

    monkeypatch.setattr(Ending, "_weigh", interrupted)
    run = compare_methods(csv, "label", budget=60, jobs=1, output=tmp_path / "run").run
    assert run.status == "interrupted" and run.best.model == "best.skops"
    assert load_model(tmp_path / "run" / "best.skops").metadata["label"] == run.best.label
    assert "interrupted" in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_request_to_end_in_the_midst_of_the_end_leaves_a_report_and_a_model(csv, contestants, tmp_path, monkeypatch):
    contestants("LogisticRegression", "DummyClassifier")
    folder = tmp_path / "run"

    def run_interrupted(at):
        owner, _, name = at.rpartition(".")
        doing = getattr(pkgutil.resolve_name(owner), name)

        def interrupted(*args, **options):
            os.kill(os.getpid(), signal.SIGINT)
            return doing(*args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(at, interrupted)
            # The folds are done once: those that follow go on at the end.
            run = compare_methods(csv, "label", budget=300, jobs=1, test=csv, output=folder).run
        assert load_model(folder / "best.skops").metadata["label"] == run.best.label, at
        assert json.loads((folder / "run.json").read_text())["status"] == run.status, at
        assert list(folder.glob("work-*")) == [], at
        page = (folder / "report.html").read_text()
        for made in ("best.skops", "report.html", "run.json"):
            (folder / made).unlink()
        return run, page

    ending, sentence = "treatise.compare.contest.ending", "The run was interrupted; the same command goes on"
    leaves_out_the_test = {
        "treatise.compare.contest.outcome.blends": False,  # but explanations
        f"{ending}.explanations": True,
        f"{ending}.load_model": True,
        "treatise.compare.comparison._tested": True,
        f"{ending}.write_table": False,
    }
    for at, left_out in leaves_out_the_test.items():
        run, page = run_interrupted(at)
        assert run.status == "interrupted" and "<strong>Interrupted</strong>" in page, at
        assert sum(said.startswith(sentence) for said in run.verdict) == 1, at
        assert (run.test is None) == left_out, at
    # All is there by then.
    for at in (f"{ending}.write_report", "treatise.compare.contest.folder.RunFolder.close"):
        run, page = run_interrupted(at)
        assert run.status == "finished" and run.test is not None and "<strong>Interrupted</strong>" not in page, at


@pytest.mark.filterwarnings("ignore")
def test_what_a_dask_cluster_decides_is_the_same_though_workers_are_killed():
    pytest.importorskip("distributed")
    from kills import METHODS, comparisons, outcomes

    (_, undisturbed), *killed = outcomes(comparisons, 3, seed=1)
    assert undisturbed["failures"] == [] and undisturbed["status"] == "finished"
    assert {label for _, label, *_ in undisturbed["board"]} >= set(METHODS)
    assert len(killed) == 3
    for moment, outcome in killed:
        assert outcome == undisturbed, moment


@pytest.mark.parametrize(("budget", "jobs", "word"), [(1, 1, "budget"), (float("nan"), 1, "budget"), (10, 0, "jobs")])
def test_impossible_orders_are_refused_before_anything_is_written(csv, tmp_path, budget, jobs, word):
    with pytest.raises(TreatiseError, match=word):
        compare_methods(csv, "label", budget=budget, jobs=jobs, output=tmp_path / "run")
    assert not (tmp_path / "run").exists()
