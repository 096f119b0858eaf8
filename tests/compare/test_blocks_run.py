"""The main job on a table that is too large for the memory, from the file to the run folder."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise._core.files import HeldError
from treatise.compare import Observer, compare_methods, predict_table
from treatise.compare.inputs.block_store import Block, BlockStore
from treatise.datasets import load_table
from treatise.io import load_model
from treatise.report import RunRecord


class Recorder(Observer):
    """Keeps what it was told."""

    def __init__(self):
        self.sentences, self.resumed = [], None

    def streaming(self, sentence):
        self.sentences.append(sentence)

    def planned(self, candidates, failures, resumed):
        self.resumed = resumed


@pytest.fixture
def table(tmp_path):
    """Four thousand rows of which the label can be told, sorted by it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4)).round(4)
    label = np.where(X @ [1, -1, 0.5, 0] + 0.3 * rng.normal(size=4000) > 0, "<yes>", "no")
    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(label=pl.Series(label)).sort("label")
    path = tmp_path / "long.csv"
    frame.write_csv(path)
    return path


def test_a_run_in_blocks_leaves_all_that_a_run_in_memory_leaves(table, contestants, tmp_path):
    contestants.streaming("AROW", "SGDClassifier", "DummyClassifier")
    watch, output = Recorder(), tmp_path / "run"
    contestants.slow_clock()
    comparison = compare_methods(table, "label", memory=1e4, budget=40, jobs=2, output=output, observer=watch)
    run = comparison.run
    assert run.seconds <= 44
    assert len(watch.sentences) == 1 and "read in blocks" in watch.sentences[0]
    assert {p.name for p in output.iterdir()} == {
        "report.html", "best.skops", "out_of_fold.csv", "run.json", "journal.jsonl", "folds", ".lock",
    }  # fmt: skip
    assert not (tmp_path / "run-blocks").exists()
    assert RunRecord.from_plain(json.loads((output / "run.json").read_text())) == run
    assert run.status == "finished" and run.failures == ()
    assert {entry.label for entry in run.leaderboard} == {"AROW", "SGDClassifier", "DummyClassifier"}
    assert run.leaderboard[0].standing == "best"
    assert {entry.label: entry.standing for entry in run.leaderboard}["DummyClassifier"] == "worse"
    assert run.leaderboard[0].folds == 5
    assert run.leaderboard[0].score > 0.95
    assert run.data.rows == 4000 and sum(run.data.counts) == 4000
    assert any("read in blocks" in note for note in run.data.notes)
    assert "--memory=" in run.command
    assert run.importance[0].columns[0].column in ("a", "b")
    held_out = pl.read_csv(output / "out_of_fold.csv")
    assert held_out["row"].to_list() == list(range(4000))
    assert held_out["actual"].to_list() == pl.read_csv(table)["label"].to_list()
    right = (held_out["actual"] == held_out[run.best.key]).sum()
    assert right == np.trace(run.best.confusion.matrix) > 0.85 * 4000
    page = (output / "report.html").read_text()
    assert "read in blocks" in page and "<yes>" not in page
    predictions = predict_table(load_model(output / "best.skops"), load_table(table))
    assert (predictions["prediction"] == pl.read_csv(table)["label"]).mean() > 0.85
    again = Recorder()
    compare_methods(table, "label", memory=1e4, budget=80, jobs=2, output=output, observer=again)
    assert again.resumed == run.race.folds
    with pytest.raises(TreatiseError, match=r"another run \(it differs in: .*rows read"):
        compare_methods(table, "label", budget=80, jobs=2, output=output)


def test_a_memory_that_holds_nothing_is_refused(table, tmp_path):
    with pytest.raises(TreatiseError, match="memory of 0 bytes"):
        compare_methods(table, "label", memory=0.0, output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_file_that_ends_badly_leaves_no_blocks_behind(table, tmp_path):
    text = table.read_text()
    # Long enough that the first rows do not show it.
    table.write_text(text + text.split("\n", 1)[1] * 40 + "1,2\n")
    with pytest.raises(TreatiseError, match="line 164002 has 2 fields"):
        compare_methods(table, "label", memory=1e4, budget=60, jobs=1, output=tmp_path / "run")
    assert [p.name for p in tmp_path.iterdir()] == ["long.csv"]


def test_a_second_run_in_blocks_leaves_the_rows_of_the_first_alone(table, tmp_path):
    first = BlockStore(tmp_path / "run-blocks", new=True)
    first.add(Block(np.arange(3), pl.DataFrame({"a": [1, 2, 3]}), None))
    first.finish()
    with pytest.raises(HeldError, match=f"is in use by process {os.getpid()}"):
        compare_methods(table, "label", memory=1e4, budget=60, jobs=1, output=tmp_path / "run")
    assert first.read(0).frame["a"].to_list() == [1, 2, 3]
    first.remove()
    assert not (tmp_path / "run-blocks").exists()
    (tmp_path / "run-blocks").mkdir()
    (tmp_path / "run-blocks" / "thesis.tex").write_text("precious")
    with pytest.raises(TreatiseError, match="holds something else"):
        BlockStore(tmp_path / "run-blocks", new=True)


# The command as a process of its own, with two quick methods.
PROGRAM = """
import sys
from treatise.cli import main
from treatise.compare.candidates import streaming_candidates
from treatise.compare.inputs import blocks

few = ("AROW", "SGDClassifier")
blocks.streaming_candidates = lambda task: [c for c in streaming_candidates(task) if c.label in few]
sys.argv[0] = "treatise"
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_run_in_blocks_leaves_a_valid_part_and_goes_on(table, contestants, tmp_path):
    command = [sys.executable, "-c", PROGRAM, "compare", str(table), "--target", "label", "--memory", "0.00001"]
    command += ["--budget", "600", "--jobs", "2", "--output", str(tmp_path / "run")]
    journal = tmp_path / "run" / "journal.jsonl"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (journal.exists() and journal.read_text().count('{"fold"') >= 3):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert err.splitlines()[0].startswith("long has about 4000 rows and would take")
    assert "The run was interrupted" in out
    assert not (tmp_path / "run-blocks").exists()
    assert "interrupted" in (tmp_path / "run" / "report.html").read_text()
    done = journal.read_text().count('{"fold"')
    spent = json.loads(journal.read_text().splitlines()[-1])["spent"]
    contestants.streaming("AROW", "SGDClassifier")
    watch = Recorder()
    run = compare_methods(
        table, "label", memory=1e4, budget=spent + 600, jobs=2, output=tmp_path / "run", observer=watch
    ).run
    assert watch.resumed == done
    assert run.status == "finished"
    assert [entry.folds for entry in run.leaderboard] == [5, 5]
    assert (tmp_path / "run" / "best.skops").exists()
