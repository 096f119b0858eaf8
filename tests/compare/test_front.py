"""From Python: the package that can be called, what a notebook shows, and every wish in one run."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treatise
from treatise._core.errors import TreatiseError
from treatise.compare import FittedModel
from treatise.compare.inputs import KINDS
from treatise.report import RunRecord


@pytest.fixture(scope="module")
def patients():
    """Rows of forty patients with a rare outcome, a weight and a hostile name."""
    rng = np.random.default_rng(0)
    n = 400
    x = rng.normal(size=n)
    sick = x + rng.logistic(size=n) > 2.6
    return pd.DataFrame(
        {
            "patient": rng.integers(0, 40, n), "x <b>": x, "z": rng.normal(size=n), "w": rng.uniform(0.5, 2, n),
            "y": np.where(sick, "<i>sick</i>", "well"),
        }
    )  # fmt: skip


def recall_of_the_sick(actual, predicted):
    return np.mean(predicted[actual == "<i>sick</i>"] == "<i>sick</i>")


@pytest.fixture(scope="module")
def comparison(patients, tmp_path_factory, shared_contestants):
    methods = ["LogisticRegression", "DummyClassifier"]

    def make():
        return treatise.compare(
            patients[:300], target="y", group="patient", weight="w", test=pl.from_pandas(patients[300:]), folds=3,
            include=methods, keep=2, metric=recall_of_the_sick, threshold="f1",
            budget=120, jobs=1, output=tmp_path_factory.mktemp("front") / "run",
        )  # fmt: skip

    return shared_contestants(make, *methods)


def test_the_package_can_be_called_and_is_still_a_package():
    program = (
        "import treatise.compare\n"
        "from treatise.compare import compare_methods, Observer\n"
        "import treatise, sys, types\n"
        "assert treatise.compare is sys.modules['treatise.compare']\n"
        "assert isinstance(treatise.compare, types.ModuleType)\n"
        "assert callable(treatise.compare) and treatise.compare.compare_methods is compare_methods\n"
        "try:\n    treatise.compare('nowhere/at_all.csv', target='y')\n"
        "except treatise._core.errors.TreatiseError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "nowhere/at_all.csv: no such file\n", done.stderr
    assert set(treatise.compare.__all__) <= set(dir(treatise.compare))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        treatise.compare.nonsense  # noqa: B018


def test_every_wish_is_in_the_record_and_in_the_command(comparison):
    run = comparison.run
    assert {entry.label for entry in run.leaderboard} == {"LogisticRegression", "DummyClassifier"}
    assert run.metric.name == "recall_of_the_sick" and run.folds.k == 3 and run.folds.grouped
    assert {"--weight=w", "--folds=3", "--keep=2", "--threshold=f1", "--group=patient"} <= set(run.command.split())
    assert "--include=LogisticRegression --include=DummyClassifier" in run.command
    assert any("rows weigh what 'w' says" in note for note in run.data.notes)
    assert "patient" not in {row.column for found in run.importance for row in found.columns}
    assert RunRecord.from_plain(json.loads((comparison.folder / "run.json").read_text())) == run


def test_the_winner_is_judged_on_the_rows_kept_aside(comparison, patients):
    test = comparison.run.test
    held = patients[300:]
    labels = comparison.best.predict(held)["prediction"].to_numpy()
    assert test.source == "a data frame" and test.rows == 100
    assert test.score == pytest.approx(recall_of_the_sick(held["y"].to_numpy(), labels))
    assert test.low <= test.score <= test.high
    assert test.metrics["accuracy"] == pytest.approx(np.average(labels == held["y"], weights=held["w"]))
    assert any("On the 100 rows of a data frame" in sentence for sentence in comparison.run.verdict)
    assert "On the 100 rows of a data frame" in (comparison.folder / "report.html").read_text()


def test_best_and_kept_models_predict_frames_of_both_libraries(comparison, patients):
    best = comparison.best
    assert isinstance(best, FittedModel) and set(comparison.models) == {"LogisticRegression", "DummyClassifier"}
    answer = best.predict(patients, keep=["patient"])
    assert list(answer.columns) == ["patient", "prediction", "probability <i>sick</i>", "probability well"]
    assert best.predict(pl.from_pandas(patients)).height == len(patients)
    threshold = best.metadata["threshold"]
    assert threshold["rule"] == "f1" and best.metadata["positive"] == "<i>sick</i>"
    sick = answer["probability <i>sick</i>"] >= threshold["value"]
    assert (answer["prediction"] == np.where(sick, "<i>sick</i>", "well")).all()


def test_a_notebook_shows_the_outcome_and_the_best_and_no_foreign_markup(comparison):
    page = comparison._repr_html_()
    assert "LogisticRegression" in page and "recall of the sick" in page and "report.html" in page
    assert "<i>" not in page and "<b>" not in page
    text = repr(comparison)
    assert text.splitlines()[0].startswith("Comparison of 2 methods on table: ") and len(text.splitlines()) == 4


@pytest.fixture
def idle(monkeypatch):
    """Fails where a process is started or anything is written."""

    def started(*args):
        raise AssertionError("workers were started")

    monkeypatch.setattr("treatise.compare.comparison.workers", started)
    monkeypatch.setattr("treatise.compare.comparison.retire_workers", lambda: None)


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"target": "yy"}, "no column 'yy'"),
        ({"group": "patience"}, "did you mean 'patient'"),
        ({"metric": "acuracy"}, "metric 'acuracy' is unknown"),
        ({"metric": 7}, "no name and no function"),
        ({"threshold": "f2"}, "a probability such as"),
        ({"test": "nowhere.csv"}, "nowhere.csv: no such file"),
        ({"prefer": "luck"}, "balanced"),
        ({"folds": 1}, "at least 2"),
    ],
)
def test_mistakes_are_told_before_any_process_is_started(patients, tmp_path, idle, wishes, sentence):
    path = tmp_path / "patients.csv"
    patients.to_csv(path, index=False)
    with pytest.raises(TreatiseError, match=sentence):
        treatise.compare(path, **{"target": "y", "output": tmp_path / "run", **wishes})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"include": "LogisticRegresion"}, "did you mean 'LogisticRegression'"),
        ({"exclude": ["baselines", "papers"]}, "no method is left"),
        ({"metric": "rmse"}, "not for a binary task"),
        ({"test": pl.DataFrame({"x <b>": [1.0], "z": [2.0]})}, "lacks the column 'y'"),
    ],
)
def test_what_only_the_table_tells_is_told_before_the_contest(patients, tmp_path, monkeypatch, wishes, sentence):
    class Nobody:
        def warm_up(self, count):
            pass

    monkeypatch.setattr("treatise.compare.comparison.workers", Nobody)
    monkeypatch.setattr("treatise.compare.comparison.retire_workers", lambda: None)
    with pytest.raises(TreatiseError, match=sentence):
        treatise.compare(patients.drop(columns=["patient"]), "y", output=tmp_path / "run", **wishes)
    assert not (tmp_path / "run").exists()


def test_sequences_and_tables_on_disk_say_what_they_do_not_take(patients, tmp_path, monkeypatch):
    from treatise.compare.inputs import Request, read_input

    words = tmp_path / "words.conll"
    words.write_text("the\tD\ndog\tN\n\n" * 4)
    for wish, word in (
        ({"time": "0"}, "--by-time"),
        ({"weight": "0"}, "--weight"),
        ({"threshold": "f1"}, "--threshold"),
    ):
        with pytest.raises(TreatiseError, match=f"{word} is for tables"):
            read_input(Request(str(words), "1", "sequence", **wish))
    path = tmp_path / "patients.csv"
    patients.to_csv(path, index=False)
    with pytest.raises(TreatiseError, match="--group needs the table in memory"):
        read_input(Request(str(path), "y", group="patient", output=tmp_path / "run", limit=1000.0))
    assert not list(tmp_path.glob("run*"))
    assert all(isinstance(kind.wishes, frozenset) for kind in KINDS)
